#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// An output under the name that a user gave, written piece by piece.
///
/// - "-", /dev/stdout, /dev/stderr and /dev/fd/N: the bytes are written to that open descriptor.
/// - A FIFO, a device, or a link to one: the bytes are written into it; it is never replaced.
/// - Any other name is a file, which is written atomically: until commit(), the bytes are in a hidden file beside it.
///   After a crash or a power failure the file has either its old or its new content. An existing file keeps its
///   permissions, and a link stays a link: the file that it names is replaced.
///
/// Every function throws BadInput if the name is wrong (a folder, a missing folder, no permission) and WriteError if
/// writing fails (a full disk, a closed pipe). Both messages name the output and the cause.
class OutputFile {
 public:
    /// Waits for a reader if the output is a FIFO.
    explicit OutputFile(const std::filesystem::path& path);
    /// Removes what was written, unless commit() was called; not from a FIFO or device.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const std::byte> bytes);
    /// A file is then synced and has its name.
    void commit();

 private:
    void open_temporary();
    void close_checked();
    void discard();
    [[noreturn]] void fail(int error);

    std::string name_;                 // for messages
    std::filesystem::path target_;     // the file without links
    std::filesystem::path temporary_;  // empty for an output that is no regular file
    int descriptor_ = -1;
    bool owned_ = true;  // the descriptor is closed with this object
};

/// Call it first: no file then gets the number of a closed standard descriptor. Writing to it still fails.
void reserve_standard_descriptors();

/// The file need not exist; only the last part of a path is followed. Throws BadInput if the links lead in a circle.
std::filesystem::path without_links(std::filesystem::path path);

/// "-", /dev/stdout or a link to it.
bool is_standard_output(const std::filesystem::path& path);
/// False for "-", FIFOs and devices.
bool would_replace(const std::filesystem::path& path);

/// Concatenated, as OutputFile does. If this fails, an existing file is unchanged.
void write_output(const std::filesystem::path& path, const std::vector<std::span<const std::byte>>& parts);
void write_output(const std::filesystem::path& path, std::string_view text);

/// `what`: "written", "opened"; `error`: a value of errno. BadInput if the path is wrong (a missing folder, no
/// permission), else WriteError (a full disk, a closed pipe).
[[noreturn]] void throw_file_error(const std::string& name, const char* what, int error);

/// A unique hidden file in the folder of `target`.
std::filesystem::path temporary_beside(const std::filesystem::path& target);

/// Throws BadInput if `to` exists, and the error of throw_file_error() if copying fails.
void copy_file_synced(const std::filesystem::path& from, const std::filesystem::path& to);

/// fsync. Throws the error of throw_file_error().
void sync(const std::filesystem::path& file_or_folder);

/// The destructor removes it and its content.
class TemporaryFolder {
 public:
    /// Throws std::runtime_error if it cannot be created.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

}  // namespace ropelab
