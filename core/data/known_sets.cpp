#include "core/data/known_sets.h"

#include <array>
#include <cstdlib>
#include <system_error>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/synthetic/language.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

constexpr Checksum::Algorithm sha256 = Checksum::Algorithm::sha256;
constexpr Checksum::Algorithm md5 = Checksum::Algorithm::md5;

const std::array<KnownSet, 3>& table() {
    static const Checksum shakespeare{sha256, "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"};
    static const std::array<KnownSet, 3> sets = {{
        {.name = "tinyshakespeare",
         .title = "Tiny Shakespeare",
         .about = "1.1 million characters of Shakespeare's plays with 65 distinct characters (from karpathy/char-rnn).",
         .file = "tinyshakespeare.txt",
         .bytes = 1'115'394,
         .checksum = shakespeare,
         .url = "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
         .download_name = "tinyshakespeare.txt",
         .download_bytes = 1'115'394,
         .download_checksum = shakespeare},
        {.name = "enwik8",
         .title = "enwik8",
         .about =
             "The first 100 million bytes of a dump of the English Wikipedia, with 205 distinct byte values. Published "
             "results use 90, 5 and 5 million bytes: split=90/5/5.",
         .file = "enwik8",
         .bytes = 100'000'000,
         .checksum = {sha256, "2b49720ec4d78c3c9fabaee6e4179a5e997302b3a70029f30f2d582218c024a8"},
         .url = "http://mattmahoney.net/dc/enwik8.zip",
         .download_name = "enwik8.zip",
         .download_bytes = 36'445'475,
         .download_checksum = {sha256, "547994d9980ebed1288380d652999f38a14fe291a6247c157c3d33d4932534bc"},
         .zipped = true,
         .as_bytes = true},
        {.name = "text8",
         .title = "text8",
         .about = "The first 100 million characters of the cleaned English Wikipedia: only a to z and space. Published "
                  "results use 90, 5 and 5 million characters: split=90/5/5.",
         .file = "text8",
         .bytes = 100'000'000,
         .checksum = {md5, "3bea1919949baf155f99411df5fada7e"},
         .url = "http://mattmahoney.net/dc/text8.zip",
         .download_name = "text8.zip",
         .download_bytes = 31'344'016,
         .download_checksum = {sha256, "a6640522afe85d1963ad56c05b0ede0a0c000dddc9671758a6cc09b7a38e5232"},
         .zipped = true},
    }};
    return sets;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<FoundSet> whole_file(const KnownSet& set, const fs::path& folder) {
    std::error_code error;
    const fs::path file = folder / set.file;
    if (!fs::is_regular_file(file, error)) return std::nullopt;
    const auto bytes = static_cast<std::int64_t>(fs::file_size(file, error));
    // A file of another length is not the known set; every result shows its description.
    const std::string description = bytes == set.bytes ? set.title
                                                       : "a file named " + set.file + " (" + grouped(bytes) +
                                                             " bytes instead of " + grouped(set.bytes) + ")";
    return FoundSet{file, bytes, description};
}

std::optional<FoundSet> truncated_file(const KnownSet& set, const fs::path& folder) {
    std::optional<FoundSet> longest;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (!name.starts_with(set.name + ".first-") || !name.ends_with("-bytes") || !entry->is_regular_file(ignored)) {
            continue;
        }
        const auto bytes = static_cast<std::int64_t>(entry->file_size(ignored));
        if (!longest || bytes > longest->bytes) {
            longest = {entry->path(), bytes, "first " + grouped(bytes) + " bytes of " + set.title};
        }
    }
    return longest;
}

}  // namespace

std::span<const KnownSet> known_sets() {
    return table();
}

const KnownSet* find_known_set(std::string_view name) {
    for (const KnownSet& set : table()) {
        if (set.name == name) return &set;
    }
    return nullptr;
}

const KnownSet& known_set(std::string_view name) {
    if (const KnownSet* set = find_known_set(name)) return *set;
    std::vector<std::string_view> names;
    for (const KnownSet& set : table()) names.push_back(set.name);
    throw BadInput("There is no known data set '" + std::string(name) + "'; did you mean '" + nearest(name, names) +
                   "' (known: " + joined(names) + ")?");
}

std::vector<std::string_view> known_data_names() {
    std::vector<std::string_view> names;
    for (const LanguageFacts& language : languages()) names.push_back(language.name);
    for (const KnownSet& set : table()) names.push_back(set.name);
    return names;
}

fs::path cache_folder() {
    const fs::path xdg = environment("XDG_CACHE_HOME");
    if (xdg.is_absolute()) return xdg / "ropelab" / "data";
    const fs::path home = environment("HOME");
    if (home.empty()) {
        throw BadInput("The cache folder is unknown because neither XDG_CACHE_HOME nor HOME is set; set one of them.");
    }
    return home / ".cache" / "ropelab" / "data";
}

std::optional<FoundSet> find_on_disk(const KnownSet& set, const fs::path& data_dir) {
    for (const fs::path& folder : data_folders(data_dir)) {
        if (auto found = whole_file(set, folder)) return found;
        if (auto found = truncated_file(set, folder)) return found;
    }
    try {
        return whole_file(set, cache_folder());
    } catch (const BadInput&) {  // without HOME there is no cache folder, and nothing in it
        return std::nullopt;
    }
}

std::vector<fs::path> data_folders(const fs::path& data_dir) {
    std::error_code error;
    std::vector<fs::path> folders;
    if (!data_dir.empty()) {
        if (!fs::is_directory(data_dir, error)) {
            throw BadInput("The data folder '" + data_dir.string() +
                           "' does not exist or is not a folder; name an existing folder.");
        }
        folders.push_back(data_dir);
    }
    if (const std::string named = environment("ROPELAB_DATA"); !named.empty()) folders.emplace_back(named);
    return folders;
}

}  // namespace ropelab
