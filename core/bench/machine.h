#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ropelab::bench {

/// Description of the machine on which measurements were made.
struct Machine {
    std::string processor;  // processor_name()
    int cores = 0;          // number of cores that this program may use
    std::int64_t memory_bytes = 0;
};
/// Returns the description of this machine.
Machine this_machine();

/// Returns today's date in UTC, such as "2026-03-01".
std::string today();

/// A program to run, with its arguments and environment.
struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;  // variables in addition to this program's own
};

/// Runs a program until it ends and returns its standard output; its standard error is discarded. Throws
/// std::runtime_error if the program cannot be started or its exit status is not 0.
std::string output_of(const Command& command);

/// Returns the path of the program with this name in the folder of the running program, or an empty path if there is
/// none.
std::filesystem::path beside(const std::string& name);

}  // namespace ropelab::bench
