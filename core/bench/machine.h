#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ropelab::bench {

struct Machine {
    std::string processor;  // processor_name()
    int cores = 0;          // number of cores that this program may use
    std::int64_t memory_bytes = 0;
};
Machine this_machine();

/// UTC, such as "2026-03-01".
std::string today();

struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;  // variables in addition to this program's own
};

/// Standard error is discarded. Throws std::runtime_error if the program cannot be started or its exit status is not 0.
std::string output_of(const Command& command);

/// In the folder of the running program; empty if there is none.
std::filesystem::path beside(const std::string& name);

}  // namespace ropelab::bench
