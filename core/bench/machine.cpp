#include "core/bench/machine.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "core/base/processor.h"

namespace ropelab::bench {

namespace {

// This program's environment, with the command's variables added or replaced.
std::vector<std::string> environment_of(const Command& command) {
    std::vector<std::string> result;
    for (char** variable = environ; *variable; ++variable) {
        const std::string text = *variable;
        bool replaced = false;
        for (const auto& [name, value] : command.environment) replaced |= text.starts_with(name + "=");
        if (!replaced) result.push_back(text);
    }
    for (const auto& [name, value] : command.environment) result.push_back(name + "=" + value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

}  // namespace

Machine this_machine() {
    return {.processor = processor_name(),
            .cores = static_cast<int>(std::thread::hardware_concurrency()),
            .memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE)};
}

std::string today() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[sizeof "2026-03-01"];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

std::string output_of(const Command& command) {
    std::vector<std::string> arguments = {command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> variables = environment_of(command);

    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("The system cannot create a pipe to another program.");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const int failure = posix_spawn(&child, command.program.c_str(), &actions, nullptr, pointers(arguments).data(),
                                    pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failure != 0) {
        close(ends[0]);
        throw std::runtime_error("The program " + command.program.string() + " cannot be started.");
    }
    std::string output;
    std::array<char, 4096> part{};
    while (true) {
        const ssize_t count = read(ends[0], part.data(), part.size());
        if (count > 0) output.append(part.data(), static_cast<std::size_t>(count));
        if (count == 0 || (count < 0 && errno != EINTR)) break;
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw std::runtime_error("The program " + command.program.string() + " failed.");
    }
    return output;
}

std::filesystem::path beside(const std::string& name) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    const auto program = self.parent_path() / name;
    return access(program.c_str(), X_OK) == 0 ? program : std::filesystem::path();
}

}  // namespace ropelab::bench
