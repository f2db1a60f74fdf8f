#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace ropelab {

/// Unpacks the file `entry` of an archive (zip and what else libarchive reads) to `target`, replacing what is there.
/// `step` hears how many bytes are written and says whether to go on; false ends the work and removes `target`.
/// Returns whether it is done. Throws FetchFailed, and removes `target`, where the archive is broken, has no such entry
/// or holds more than `expected_bytes` in it, or the disk is full.
bool unpack(const std::filesystem::path& archive, const std::string& entry, const std::filesystem::path& target,
            std::int64_t expected_bytes, const std::function<bool(std::int64_t)>& step = {});

}  // namespace ropelab
