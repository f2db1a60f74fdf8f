#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/spec/token_text.h"

namespace ropelab {

/// A file of a folder that serves as a text.
struct FolderFile {
    std::string name;  // path relative to the folder
    std::int64_t bytes = 0;
    std::int64_t written = 0;  // time of the last change, in ticks of the file system's clock
};

/// Returns the files of a folder and of its subfolders in ascending order of their names, which is the order of the
/// text. Hidden files and empty files are left out. Throws BadInput if the folder cannot be read, if it contains no
/// text, or if it contains more than 50,000 files.
std::vector<FolderFile> files_of_folder(const std::filesystem::path& folder);

/// Returns the number of bytes of files.
std::int64_t bytes_of(std::span<const FolderFile> files);

/// Throws BadInput: a folder can be read as bytes only.
[[noreturn]] void refuse_characters_of_folder(const std::filesystem::path& folder);

/// The files of a folder as one text of bytes, without separators between the files. Only the parts that are used are
/// read, so the text may be larger than the memory.
class TextFolder {
 public:
    /// Lists the files. Throws BadInput as files_of_folder does.
    explicit TextFolder(const std::filesystem::path& folder);

    /// Returns the number of bytes of the text.
    std::int64_t bytes() const { return bytes_of(files_); }
    /// Returns the text's pieces, one per file.
    std::span<const TokenText::Piece> pieces() const { return pieces_; }
    /// Returns a SHA-256 checksum over the name, the size, and the first and last 4 KiB of each file. A checksum over
    /// all bytes would take minutes for a large folder. Throws BadInput for a file that cannot be read.
    std::string checksum() const;

 private:
    std::vector<FolderFile> files_;
    std::vector<TokenText::Piece> pieces_;  // one per file
};

}  // namespace ropelab
