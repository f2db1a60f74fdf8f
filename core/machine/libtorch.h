#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

// Where on this machine the training engine is, and LibTorch, which it requires. Nothing here loads them;
// libtorch_fetch.h downloads LibTorch.

/// With which the engine was compiled, such as "2.11.0". The engine works with each patch release of 2.11.
std::string_view libtorch_version();
/// Where fetch_libtorch() and packaging/setup.sh put it: ropelab/libtorch-VERSION-ARCHITECTURE in $XDG_CACHE_HOME or
/// ~/.cache. Empty if neither variable is set.
std::filesystem::path downloaded_libtorch();

struct LibTorch {
    std::filesystem::path folder;  // has lib/libtorch_cpu.so
    std::string version;           // "2.11"; empty if no file says it
};
/// In `folder` or its subfolder torch. Throws BadInput if neither has one that the engine can use.
LibTorch libtorch_in(const std::filesystem::path& folder);
/// Stores the folder in the user's configuration, where both programs find it. Throws BadInput as libtorch_in() or if
/// there is no place for it, and std::runtime_error if it cannot be written.
LibTorch use_libtorch(const std::filesystem::path& folder);
void forget_used_libtorch();

struct FoundLibTorch {
    std::vector<LibTorch> fitting;  // best first
    bool is_chosen = false;         // the first is the user's choice, which comes before that of the build
    std::string others;             // clauses about those that do not fit; "" if there are none
};
/// Searches only the folder that ROPELAB_TORCH names or, if it is not set, that of use_libtorch(),
/// downloaded_libtorch() and the usual folders of Python's packages.
FoundLibTorch find_libtorch();
/// A wheel of packaging/libtorch-x86_64.txt or its equivalent for this processor.
struct PinnedWheel {
    std::string name;
    std::string version;
    std::string sha256;
    std::int64_t bytes = 0;
};
/// Lines such as "torch==2.11.0 --hash=sha256:7aa2… # 530604548 bytes"; others are skipped.
std::vector<PinnedWheel> parse_pins(std::string_view text);
/// Empty if there are none for this processor, or the engine was built with another version.
const std::vector<PinnedWheel>& pinned_wheels();
/// Of the pinned wheels: "543 MB".
std::string libtorch_size();

/// Where the engine may be: ROPELAB_ENGINE, then ../lib relative to the program.
std::vector<std::filesystem::path> engine_paths();
/// Without loading it: true if the engine is an installed one and find_libtorch() finds nothing. An engine in a build
/// folder knows the path of its own.
bool lacks_libtorch();
/// "Training needs LibTorch 2.11, which is not on this computer …"; with_ways adds what to do about it, for places
/// other than the page Train, which has buttons for it.
std::string missing_libtorch(bool with_ways = true);

}  // namespace ropelab
