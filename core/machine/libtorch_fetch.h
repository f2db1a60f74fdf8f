#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/download.h"
#include "core/machine/libtorch.h"

namespace ropelab {

/// Downloads the wheels from the package index (PIP_INDEX_URL, else PyPI's), verifies their checksums and unpacks them
/// into downloaded_libtorch(), as packaging/setup.sh does; forget_used_libtorch(). The progress is that of all wheels
/// together. Returns nullopt if cancelled; the next call then resumes. Throws BadInput if there are no wheels
/// or no cache folder, and FetchFailed.
std::optional<LibTorch> fetch_libtorch(const FetchOptions& options,
                                       const std::vector<PinnedWheel>& wheels = pinned_wheels());

}  // namespace ropelab
