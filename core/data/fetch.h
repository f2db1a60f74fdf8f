#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/data/download.h"
#include "core/data/known_sets.h"

namespace ropelab {

enum class FetchStep { downloading, checking, unpacking };

struct FetchProgress {
    FetchStep step = FetchStep::downloading;
    std::int64_t done = 0;   // bytes
    std::int64_t total = 0;  // bytes; 0 where the server does not say
};

struct FetchOptions {
    std::filesystem::path folder;                        // empty: cache_folder()
    std::function<void(const FetchProgress&)> progress;  // on the calling thread; every step ends with done = total
    std::function<bool()> cancelled;                     // asked at least once a second
    int attempts = 5;                                    // connections, when they break
    std::chrono::milliseconds pause{1000};               // before the second one; longer before later ones
};

struct Fetched {
    std::filesystem::path file;
    bool already_there = false;
};

/// Brings a known set into the cache: downloads it (going on with what an interrupted fetch left in `….part`), checks
/// its checksum, unpacks it where it is zipped, checks again, and only then gives it its name. A file of that name
/// whose checksum is right is the answer at once; a wrong one is fetched anew and replaced. The environment variable
/// ROPELAB_DATA_URL names a mirror: the download is then that URL, a slash, and the set's download name. Returns
/// nullopt when cancelled; the next fetch goes on from there. Throws FetchFailed, and std::runtime_error where what
/// lies in the cache cannot be read, in one sentence.
std::optional<Fetched> fetch(const KnownSet& set, const FetchOptions& options = {});

}  // namespace ropelab
