#pragma once

#include <string>
#include <vector>

namespace ropelab::terminal {

/// Becomes the window's program, without a display: it paints, so this program needs no Qt on a cluster. Throws
/// BadInput where it is not installed beside this one; `what` needs it ("Figures").
[[noreturn]] void become_window_program(const std::string& what, std::vector<std::string> arguments);

}  // namespace ropelab::terminal
