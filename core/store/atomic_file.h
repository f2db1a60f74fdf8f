#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace ropelab {

// Files that are whole or not there, also after a power cut. Every function throws BadInput, naming the file and the
// system's reason.

/// A name for a file that is still being written: hidden, in the folder of `target`, used by nobody else.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Writes the parts one after another under a temporary name, syncs, renames, syncs the folder. Where it fails the
/// target is as it was.
void write_file_atomically(const std::filesystem::path& target, const std::vector<std::span<const std::byte>>& parts);

/// Copies one file's content to a new file and syncs it.
void copy_file_synced(const std::filesystem::path& from, const std::filesystem::path& to);

/// Makes the content of a file, or the names in a folder, last.
void sync(const std::filesystem::path& file_or_folder);

}  // namespace ropelab
