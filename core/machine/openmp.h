#pragma once

namespace ropelab {

/// Sets environment variables before OpenMP is loaded; returns whether any was changed. Waiting threads then spin only
/// briefly (GOMP_SPINCOUNT): by default they spin long enough to starve the window and other programs, while no
/// spinning makes a step 1.7 times as long (nanoGPT's CPU setting on two idle cores). OMP_WAIT_POLICY and
/// GOMP_SPINCOUNT that the user has set are respected. OMP_DYNAMIC is set to false, because oneDNN, LibTorch's matrix
/// library, leaves work undone if it gets fewer threads than requested.
bool configure_openmp();

/// Restarts (exec) if configure_openmp() changes a variable. Programs with Qt need this, because Qt's core library
/// loads libgomp before main (by libb2). Call it first in main.
void restart_with_configured_openmp(char** arguments);

}  // namespace ropelab
