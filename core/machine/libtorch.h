#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/data/download.h"

namespace ropelab {

// LibTorch, which the training engine requires: where it is on this machine, and how the user gets it. Nothing here
// loads it.

struct LibTorch {
    std::filesystem::path folder;  // contains include/ and lib/
    std::string version;           // "2.11.0"
};

/// The version with which the engine was built. Another LibTorch with the same major and minor number can replace it.
std::string engine_libtorch_version();

/// In `folder` or its subfolder torch, as in a wheel. Throws BadInput if there is none or the engine cannot use it.
LibTorch libtorch_in(const std::filesystem::path& folder);

/// The folder of use_libtorch(), else that of the build if the engine is in its build folder, else that of
/// fetch_libtorch() or packaging/setup.sh; nullopt if none exists. Throws BadInput if the engine cannot use the folder
/// of use_libtorch().
std::optional<LibTorch> find_libtorch();

/// "Training needs LibTorch (543 MB), which …", with what to do.
std::string missing_libtorch();

/// PyTorch in the usual folders of Python packages, if the engine can use it. No Python is started.
std::vector<LibTorch> installed_pytorch();

/// Stores the folder in the user's configuration, for both programs. Throws BadInput as libtorch_in(), and
/// std::runtime_error if it cannot be stored.
LibTorch use_libtorch(const std::filesystem::path& folder);

/// A wheel of packaging/libtorch-x86_64.txt or its equivalent for this processor.
struct PinnedWheel {
    std::string name;
    std::string version;
    std::string sha256;
    std::int64_t bytes = 0;
};
/// Lines such as "torch==2.11.0 --hash=sha256:7aa2… # 530604548"; others are skipped.
std::vector<PinnedWheel> parse_pins(std::string_view text);
/// Empty if there are none for this processor.
const std::vector<PinnedWheel>& pinned_wheels();
/// Of the pinned wheels: "543 MB".
std::string libtorch_size();

/// Downloads the wheels from the package index (PIP_INDEX_URL, else PyPI's), verifies their checksums and unpacks them
/// into the cache, as packaging/setup.sh does. The progress is that of all wheels together. Returns nullopt if
/// cancelled; the next call then resumes. Throws BadInput if the wheels are of no use here, and FetchFailed.
std::optional<LibTorch> fetch_libtorch(const FetchOptions& options,
                                       const std::vector<PinnedWheel>& wheels = pinned_wheels());

}  // namespace ropelab
