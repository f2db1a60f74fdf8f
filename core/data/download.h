#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/data/known_sets.h"

namespace ropelab {

/// For example: no network, a full disk or a wrong checksum. The message is one sentence for the user.
class FetchFailed : public std::runtime_error {
 public:
    explicit FetchFailed(const std::string& message) : std::runtime_error(message) {}
};

/// While a PartFile exists, no other process can open the same file as a PartFile.
class PartFile {
 public:
    /// Keeps existing content. Throws FetchFailed if another process has the file open or it cannot be written.
    explicit PartFile(std::filesystem::path path);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::int64_t size() const { return size_; }
    /// Throws FetchFailed if the bytes cannot be written.
    void append(const char* bytes, std::size_t count);
    void clear();
    /// fsync, so that a power failure cannot lose the file.
    void sync();

 private:
    [[noreturn]] void fail(const char* what) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::int64_t size_ = 0;
};

struct DownloadOptions {
    std::int64_t expected_bytes = 0;                           // size of the file; 0 if unknown
    int attempts = 5;                                          // maximum number of connections
    std::chrono::milliseconds pause{1000};                     // before the second attempt; longer before later ones
    std::function<void(std::int64_t, std::int64_t)> progress;  // receives bytes so far and total bytes (0: unknown)
    std::function<bool()> cancelled;                           // called at least once per second
};

/// Resumes at the end of `part` if the server supports it. Tries up to `attempts` times. Returns false if cancelled.
/// Throws FetchFailed if it fails. In both cases received bytes stay in `part`.
bool download(const std::string& url, PartFile& part, const DownloadOptions& options);

/// Replaces an existing `target`. If `step`, called with the bytes written so far, returns false, `target` is removed
/// and the result is false. Throws FetchFailed, and removes `target`, if the archive is damaged, lacks the entry or
/// holds more than `expected_bytes` in it, or if the disk is full.
bool unpack(const std::filesystem::path& archive, const std::string& entry, const std::filesystem::path& target,
            std::int64_t expected_bytes, const std::function<bool(std::int64_t)>& step = {});

/// Unpacks the files of a zip archive whose names `is_wanted` accepts into `folder`, with their folders. If `step`,
/// called with the bytes of the archive read so far, returns false, the result is false. Throws FetchFailed. In both
/// cases unpacked files stay.
bool unpack_files(const std::filesystem::path& archive, const std::filesystem::path& folder,
                  const std::function<bool(const std::string&)>& is_wanted,
                  const std::function<bool(std::int64_t)>& step);

/// The URL of a link on the page `base`. Throws FetchFailed if there is none.
std::string resolved_url(const std::string& base, const std::string& link);

enum class FetchStep { downloading, checking, unpacking };
std::string_view word_of(FetchStep step);

struct FetchProgress {
    FetchStep step = FetchStep::downloading;
    std::int64_t done = 0;   // bytes
    std::int64_t total = 0;  // bytes; 0 if the server does not report the size
};

struct FetchOptions {
    std::filesystem::path folder;                        // destination; if empty, cache_folder()
    std::function<void(const FetchProgress&)> progress;  // on the calling thread; every step ends with done = total
    std::function<bool()> cancelled;                     // called at least once per second
    int attempts = 5;                                    // maximum number of connections
    std::chrono::milliseconds pause{1000};               // before the second attempt; longer before later ones
    bool mirrored = true;                                // ROPELAB_DATA_URL may name a mirror
};

struct Fetched {
    std::filesystem::path file;
    bool already_there = false;  // true if the cache already held the file, so that nothing was downloaded
};

/// Resumes from the `….part` file of an interrupted fetch. The checksum is verified after downloading and, for zipped
/// sets, again after unpacking; only then does the file get its final name. If a file of that name exists, it is
/// returned if its checksum is right and replaced otherwise. ROPELAB_DATA_URL names a mirror, which has the set at this
/// URL, a slash and its download name. Returns nullopt if cancelled; the next fetch then resumes. Throws FetchFailed if
/// the download fails, and std::runtime_error if a file in the cache cannot be read.
std::optional<Fetched> fetch(const KnownSet& set, const FetchOptions& options = {});

}  // namespace ropelab
