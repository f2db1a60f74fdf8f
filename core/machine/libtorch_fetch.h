#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/download.h"
#include "core/machine/libtorch.h"

namespace ropelab {

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

/// Downloads the wheels from the package index (PIP_INDEX_URL, else PyPI's), verifies their checksums and unpacks them
/// into downloaded_libtorch(), as packaging/setup.sh does; forget_used_libtorch(). The progress is that of all wheels
/// together. Returns nullopt if cancelled; the next call then resumes. Throws BadInput if there are no wheels
/// or no cache folder, and FetchFailed.
std::optional<LibTorch> fetch_libtorch(const FetchOptions& options,
                                       const std::vector<PinnedWheel>& wheels = pinned_wheels());

}  // namespace ropelab
