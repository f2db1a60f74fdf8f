#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
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
/// text, or if it contains more than 50,000 files, because a process can map only so many.
std::vector<FolderFile> files_of_folder(const std::filesystem::path& folder);

/// Returns the number of bytes of files.
std::int64_t bytes_of(std::span<const FolderFile> files);

/// Throws BadInput: a folder can be read as bytes only.
[[noreturn]] void refuse_characters_of_folder(const std::filesystem::path& folder);

/// The files of a folder as one text of bytes, without separators between the files. They are mapped into memory: the
/// operating system loads the parts that are used, so the text may be larger than the memory. The files must not become
/// shorter while the object exists.
class TextFolder {
 public:
    /// Maps the files. Throws BadInput as files_of_folder does, and for a file that cannot be read.
    explicit TextFolder(const std::filesystem::path& folder);
    ~TextFolder();
    TextFolder(const TextFolder&) = delete;
    TextFolder& operator=(const TextFolder&) = delete;

    /// Returns the number of bytes of the text.
    std::int64_t bytes() const;
    /// Returns the text's pieces, one per file.
    std::span<const TokenText::Piece> pieces() const;
    /// Returns a SHA-256 checksum over the name, the size, and the first and last 4 KiB of each file. A checksum over
    /// all bytes would take minutes for a large folder.
    std::string checksum() const;

 private:
    struct Mapping;
    std::unique_ptr<Mapping> mapping_;
};

}  // namespace ropelab
