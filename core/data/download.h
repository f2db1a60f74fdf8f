#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

namespace ropelab {

/// Something could not be fetched: no network, a server's refusal, a full disk, a wrong checksum. One sentence.
class FetchFailed : public std::runtime_error {
 public:
    explicit FetchFailed(const std::string& message) : std::runtime_error(message) {}
};

/// A file that grows while it is downloaded. While one exists, no other process can open the same file as a PartFile.
class PartFile {
 public:
    /// Opens or creates it and keeps what it holds. Throws FetchFailed where another process has it or it cannot be
    /// written.
    explicit PartFile(std::filesystem::path path);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::int64_t size() const { return size_; }
    void append(const char* bytes, std::size_t count);
    void clear();
    /// Everything written is on the disk afterwards, also after a power cut.
    void sync();

 private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

struct DownloadOptions {
    std::int64_t expected_bytes = 0;                           // 0: unknown
    int attempts = 5;                                          // connections in all
    std::chrono::milliseconds pause{1000};                     // before the second one; longer before later ones
    std::function<void(std::int64_t, std::int64_t)> progress;  // bytes there so far, bytes in all (0: unknown)
    std::function<bool()> cancelled;                           // asked at least once a second
};

/// Downloads `url` (http or https) into `part`, going on where it ends; a server that cannot go on starts it anew.
/// A connection that breaks is tried again. Returns false when cancelled; what came so far stays in `part`. Throws
/// FetchFailed, and keeps what came so far.
bool download(const std::string& url, PartFile& part, const DownloadOptions& options);

}  // namespace ropelab
