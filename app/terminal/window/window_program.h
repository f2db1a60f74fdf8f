#pragma once

#include <string>
#include <vector>

namespace ropelab::terminal {

/// Replaces this process (exec) by the window program ropelab with these arguments and without a display. Only ropelab
/// links Qt, so that ropelab-cli runs on clusters without Qt. Throws BadInput if ropelab is not in the folder of this
/// program; `what` names the feature in the message (plural: "Figures").
[[noreturn]] void become_window_program(const std::string& what, std::vector<std::string> arguments);

/// Runs the program `ropelab`, which lies beside this program, with these arguments and without a display, and waits
/// until it ends. Returns whether it succeeded. Throws BadInput like become_window_program if there is no such program.
bool run_window_program(const std::string& what, std::vector<std::string> arguments);

}  // namespace ropelab::terminal
