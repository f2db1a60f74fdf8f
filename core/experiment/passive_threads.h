#pragma once

namespace ropelab {

/// Makes OpenMP's threads wait without spinning: a team that spins starves an animated window, and itself where cores
/// are shared. libgomp reads this when it loads; in a program with Qt that is before main (Qt's core needs libb2, and
/// that needs libgomp), so the program is started once more with OMP_WAIT_POLICY set. What the user set stands. To be
/// called first in main; returns where nothing had to be done.
void wait_passively(char** arguments);

}  // namespace ropelab
