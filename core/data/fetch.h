#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/data/download.h"
#include "core/data/known_sets.h"

namespace ropelab {

/// The steps of fetching a known data set, in the order in which they happen.
enum class FetchStep { downloading, checking, unpacking };

/// Progress of one step.
struct FetchProgress {
    FetchStep step = FetchStep::downloading;
    std::int64_t done = 0;   // bytes
    std::int64_t total = 0;  // bytes; 0 if the server does not report the size
};

/// Settings of `fetch`.
struct FetchOptions {
    std::filesystem::path folder;                        // destination; if empty, cache_folder()
    std::function<void(const FetchProgress&)> progress;  // on the calling thread; every step ends with done = total
    std::function<bool()> cancelled;                     // called at least once per second
    int attempts = 5;                                    // maximum number of connections
    std::chrono::milliseconds pause{1000};               // before the second attempt; longer before later ones
};

/// Result of `fetch`.
struct Fetched {
    std::filesystem::path file;
    bool already_there = false;  // true if the cache already held the file, so that nothing was downloaded
};

/// Downloads a known data set into the cache. The download resumes from the `….part` file of an interrupted fetch. The
/// checksum is verified after downloading and, for zipped sets, again after unpacking; only then does the file get its
/// final name. If a file of that name exists, it is returned if its checksum is right and replaced otherwise. The
/// environment variable ROPELAB_DATA_URL names a mirror; the set is then downloaded from that URL followed by a slash
/// and the set's download name. Returns nullopt if cancelled; the next fetch then resumes. Throws FetchFailed if the
/// download fails, and std::runtime_error if a file in the cache cannot be read.
std::optional<Fetched> fetch(const KnownSet& set, const FetchOptions& options = {});

}  // namespace ropelab
