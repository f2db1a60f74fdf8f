#include "app/terminal/window/window_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/machine/child_process.h"

namespace ropelab::terminal {

namespace {

// Throws BadInput if it does not exist.
std::filesystem::path window_program(const std::string& what) {
    std::error_code error;
    const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    auto window = here / "ropelab";
    if (!std::filesystem::exists(window, error)) {
        throw BadInput(what + " are drawn by the program ropelab, but " + window.string() +
                       " does not exist; build it, or install it in the folder of ropelab-cli.");
    }
    return window;
}

}  // namespace

void become_window_program(const std::string& what, std::vector<std::string> arguments) {
    const auto window = window_program(what);
    arguments.insert(arguments.begin(), window.string());
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    execv(window.c_str(), pointers.data());
    throw std::runtime_error(window.string() + " cannot be started: " + std::strerror(errno) + ".");
}

std::optional<std::string> run_window_program(const std::string& what, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), window_program(what).string());
    ChildProcess process(arguments, "QT_QPA_PLATFORM=offscreen");
    const auto deadline = Clock::now() + std::chrono::minutes(5);
    // The output is read, because a process whose output nobody reads stops when the pipe is full.
    std::string all;
    for (auto output = process.read_until(deadline); output && !output->empty();
         output = process.read_until(deadline)) {
        all += *output;
    }
    const auto status = process.wait_until(deadline);
    const bool succeeded = status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
    return succeeded ? std::optional(all) : std::nullopt;
}

void JobFlags::add(const char* key, const Field& field, const char* help) {
    CLI::Option* option = verb_->add_option(field.flag, (fields_[key] = field).value, help);
    if (field.is_number) option->type_name("NUMBER");
}

void JobFlags::run(const std::string& what, const std::string& mode, nlohmann::json job) const {
    for (const auto& [key, field] : fields_) {
        if (field.value.empty()) continue;
        try {
            job[key] = field.is_number ? nlohmann::json(parse_number(field.value)) : nlohmann::json(field.value);
        } catch (const BadInput&) {
            throw BadInput(field.flag + " requires a number, not \"" + field.value + "\".");
        }
    }
    std::vector<std::string> arguments = {mode, job.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
    if (json_) arguments.emplace_back("--json");
    become_window_program(what, std::move(arguments));
}

}  // namespace ropelab::terminal
