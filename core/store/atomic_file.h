#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace ropelab {

// These functions write files atomically: after a crash or a power failure, a file is either complete or does not
// exist. Every function throws BadInput, naming the file and the system's error message, if it fails.

/// Returns a unique path for a temporary file: a hidden file in the folder of `target`.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Writes the concatenated parts to a temporary file, syncs it, renames it to `target` and syncs the folder. If this
/// fails, `target` is unchanged.
void write_file_atomically(const std::filesystem::path& target, const std::vector<std::span<const std::byte>>& parts);

/// Copies the content of `from` to the new file `to` and syncs it. Throws BadInput also if `to` exists.
void copy_file_synced(const std::filesystem::path& from, const std::filesystem::path& to);

/// Flushes a file's content, or a folder's entries, to the disk (fsync).
void sync(const std::filesystem::path& file_or_folder);

}  // namespace ropelab
