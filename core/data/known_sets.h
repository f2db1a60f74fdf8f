#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/data/checksum.h"

namespace ropelab {

/// Size and checksum are the published ones.
struct KnownSet {
    std::string name;   // value of the setting `data`: "enwik8"
    std::string title;  // name in messages: "Tiny Shakespeare"
    std::string about;  // description in one sentence
    std::string file;   // file name: "enwik8"
    std::int64_t bytes = 0;
    Checksum checksum;          // checksum of the file
    std::string url;            // source of the download
    std::string download_name;  // file name of the download on a mirror
    std::int64_t download_bytes = 0;
    Checksum download_checksum;
    bool zipped = false;    // true if the download is a zip archive that contains `file`
    bool as_bytes = false;  // true if each token is a byte unless the experiment sets the tokenizer
};

/// The known set `name` is not complete on disk. The message says how to get it.
struct MissingSet : BadInput {
    MissingSet(std::string set, const std::string& message) : BadInput(message), name(std::move(set)) {}

    std::string name;
};

/// Tiny Shakespeare, enwik8 and text8. Sizes and checksums are the published ones.
std::span<const KnownSet> known_sets();
/// nullptr if there is none.
const KnownSet* find_known_set(std::string_view name);
/// Throws BadInput, suggesting the most similar name, if there is none.
const KnownSet& known_set(std::string_view name);
/// Values of the setting `data` other than files: the synthetic languages and the known data sets.
std::vector<std::string_view> known_data_names();

/// $XDG_CACHE_HOME/ropelab/data or ~/.cache/ropelab/data. Throws BadInput if HOME is needed but not set.
std::filesystem::path cache_folder();

struct FoundSet {
    std::filesystem::path file;
    std::int64_t bytes = 0;
    std::string description;  // "enwik8", or "first 4,154,399 bytes of enwik8" for a truncated file
};

/// Searches `data_dir` (unless empty), then in the folder that the environment variable ROPELAB_DATA names, then in the
/// cache. In the first two, a truncated file `NAME.first-*-bytes` is also accepted; if there are several, the longest
/// is used. Throws BadInput if `data_dir` is given but is not a folder.
std::optional<FoundSet> find_on_disk(const KnownSet& set, const std::filesystem::path& data_dir = {});

/// Searched before the cache: `data_dir` and ROPELAB_DATA, if given. Throws BadInput if `data_dir` is not a folder.
std::vector<std::filesystem::path> data_folders(const std::filesystem::path& data_dir);

}  // namespace ropelab
