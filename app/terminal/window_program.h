#pragma once

#include <string>
#include <vector>

namespace ropelab::terminal {

/// Replaces this process (exec) by the window program ropelab with these arguments and without a display. Only ropelab
/// links Qt, so that ropelab-cli runs on clusters without Qt. Throws BadInput if ropelab is not in the folder of this
/// program; `what` names the feature in the message (plural: "Figures").
[[noreturn]] void become_window_program(const std::string& what, std::vector<std::string> arguments);

}  // namespace ropelab::terminal
