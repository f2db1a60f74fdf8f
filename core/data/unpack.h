#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace ropelab {

/// Unpacks the file `entry` of a zip archive to `target`, replacing an existing file, and returns true. `step` is
/// called repeatedly with the number of bytes written so far; if it returns false, `target` is removed and the result
/// is false. Throws FetchFailed, and removes `target`, if the archive is damaged, lacks the entry or holds more than
/// `expected_bytes` in it, or if the disk is full.
bool unpack(const std::filesystem::path& archive, const std::string& entry, const std::filesystem::path& target,
            std::int64_t expected_bytes, const std::function<bool(std::int64_t)>& step = {});

}  // namespace ropelab
