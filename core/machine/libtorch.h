#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// With which the engine was compiled, such as "2.11.0". The engine works with each patch release of 2.11.
std::string_view libtorch_version();
/// Where packaging/setup.sh puts it: ropelab/libtorch-VERSION-ARCHITECTURE in $XDG_CACHE_HOME or
/// ~/.cache. Empty if neither variable is set.
std::filesystem::path downloaded_libtorch();

struct FoundLibTorch {
    std::vector<std::filesystem::path> libraries;  // each lib/libtorch_cpu.so of this version, best first
    std::string others;                            // clauses about those of other versions; "" if there are none
};
/// Searches the folder that ROPELAB_TORCH names and, if it is not set, downloaded_libtorch() and the packages of
/// Python. A folder has lib/, or a folder torch that has it.
FoundLibTorch find_libtorch();

}  // namespace ropelab
