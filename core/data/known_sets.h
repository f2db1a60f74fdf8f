#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/checksum.h"

namespace ropelab {

/// A text that experiments name, and where it can be fetched from.
struct KnownSet {
    std::string name;   // what an experiment calls it: "enwik8"
    std::string title;  // what people call it
    std::string about;  // one sentence for a list
    std::string file;   // its file's name: "enwik8"
    std::int64_t bytes = 0;
    Checksum checksum;          // of the file
    std::string url;            // what is downloaded
    std::string download_name;  // its name at a mirror
    std::int64_t download_bytes = 0;
    Checksum download_checksum;
    bool zipped = false;    // the download is a zip archive that holds `file`
    bool as_bytes = false;  // a symbol is a byte unless an experiment says otherwise
};

/// Tiny Shakespeare, enwik8, text8. Sizes and checksums are the published ones.
std::span<const KnownSet> known_sets();
/// nullptr for a name that is none.
const KnownSet* find_known_set(std::string_view name);
/// Throws BadInput, naming the nearest known set, for a name that is none.
const KnownSet& known_set(std::string_view name);
/// Every name that the key `data` knows: the generated languages and the known sets.
std::vector<std::string_view> known_data_names();

/// Where fetched files lie: $XDG_CACHE_HOME/ropelab/data, or ~/.cache/ropelab/data where that variable is empty or not
/// an absolute path. Throws BadInput where HOME is needed and not set.
std::filesystem::path cache_folder();

/// A known set found on this machine.
struct FoundSet {
    std::filesystem::path file;
    std::int64_t bytes = 0;
    std::string description;  // "enwik8", or "first 4,154,399 bytes of enwik8" for a truncated file
};

/// Looks in `data_dir` (empty: none given), in the folder that the environment variable ROPELAB_DATA names, then in the
/// cache. The first two may also hold a truncated file `NAME.first-*-bytes`, of which the longest counts. nullopt where
/// no folder has the set. Throws BadInput where `data_dir` is given and is no folder.
std::optional<FoundSet> find_on_disk(const KnownSet& set, const std::filesystem::path& data_dir = {});

/// 4154399 as "4,154,399".
std::string grouped(std::int64_t number);

}  // namespace ropelab
