#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace ropelab {

/// Thrown if a file cannot be downloaded or stored, for example because there is no network, the server refuses, the
/// disk is full or a checksum does not match. The message is one sentence for the user.
class FetchFailed : public std::runtime_error {
 public:
    explicit FetchFailed(const std::string& message) : std::runtime_error(message) {}
};

/// A file that is being downloaded. While a PartFile exists, no other process can open the same file as a PartFile.
class PartFile {
 public:
    /// Opens the file and keeps its content, or creates it. Throws FetchFailed if another process has opened it as a
    /// PartFile or if it cannot be written.
    explicit PartFile(std::filesystem::path path);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    /// Path of the file.
    const std::filesystem::path& path() const { return path_; }
    /// Size of the file, in bytes.
    std::int64_t size() const { return size_; }
    /// Appends `count` bytes. Throws FetchFailed if they cannot be written.
    void append(const char* bytes, std::size_t count);
    /// Truncates the file to 0 bytes.
    void clear();
    /// Flushes the file to the disk (fsync), so that a power failure cannot lose it.
    void sync();

 private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

/// Settings of `download`.
struct DownloadOptions {
    std::int64_t expected_bytes = 0;                           // size of the file; 0 if unknown
    int attempts = 5;                                          // maximum number of connections
    std::chrono::milliseconds pause{1000};                     // before the second attempt; longer before later ones
    std::function<void(std::int64_t, std::int64_t)> progress;  // receives bytes so far and total bytes (0: unknown)
    std::function<bool()> cancelled;                           // called at least once per second
};

/// Downloads `url` (http or https) into `part`. The download resumes at the end of `part`, or starts from the beginning
/// if the server does not support resuming. After a lost connection it tries again, up to `attempts` times. Returns
/// false if cancelled. Throws FetchFailed if the download fails. In both cases the received bytes stay in `part`.
bool download(const std::string& url, PartFile& part, const DownloadOptions& options);

}  // namespace ropelab
