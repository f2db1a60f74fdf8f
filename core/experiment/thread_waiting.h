#pragma once

namespace ropelab {

/// Tells OpenMP's threads to spin only briefly while they wait for work. Spinning on, as they do unless told, starves
/// an animated window, and the team itself where another program wants a core; not spinning at all takes 1.7 × as long
/// a step on an idle machine (nanoGPT's CPU setting on two cores). libgomp reads it when it loads.
/// What the user set (OMP_WAIT_POLICY, GOMP_SPINCOUNT) stands. Returns whether anything was set.
bool wait_briefly();

/// As wait_briefly, for a program with Qt: there libgomp loads before main (Qt's core needs libb2, and that needs
/// libgomp), so the program is started once more with the setting. To be called first in main; returns where nothing
/// had to be done.
void restart_to_wait_briefly(char** arguments);

}  // namespace ropelab
