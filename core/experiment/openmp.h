#pragma once

namespace ropelab {

/// Sets what OpenMP reads when it loads. Its threads spin only briefly while they wait for work: spinning on, as they
/// do unless told, starves an animated window, and the team itself where another program wants a core; not spinning at
/// all takes 1.7 × as long a step on an idle machine (nanoGPT's CPU setting on two cores). What the user set
/// (OMP_WAIT_POLICY, GOMP_SPINCOUNT) stands. And it gives as many threads as are asked for, whatever OMP_DYNAMIC says:
/// oneDNN, which multiplies for LibTorch, leaves work undone where it gets fewer. Returns whether anything was set.
bool settle_openmp();

/// As settle_openmp, for a program with Qt: there libgomp loads before main (Qt's core needs libb2, and that needs
/// libgomp), so the program is started once more with the settings. To be called first in main; returns where nothing
/// had to be done.
void restart_with_settled_openmp(char** arguments);

}  // namespace ropelab
