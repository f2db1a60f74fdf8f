#include "app/terminal/window_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "core/spec/error.h"

namespace ropelab::terminal {

void become_window_program(const std::string& what, std::vector<std::string> arguments) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const auto window = here / "ropelab";
    if (!std::filesystem::exists(window, error)) {
        throw BadInput(what + " are drawn by the program ropelab, but " + window.string() +
                       " does not exist; build it, or install it in the folder of ropelab-cli.");
    }
    arguments.insert(arguments.begin(), window.string());
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    execv(window.c_str(), pointers.data());
    throw std::runtime_error(window.string() + " cannot be started: " + std::strerror(errno) + ".");
}

}  // namespace ropelab::terminal
