#include "core/data/text_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/data/known_sets.h"
#include "core/data/utf8.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab {

namespace fs = std::filesystem;

namespace {

std::string quoted(const fs::path& path) {
    return "'" + path.string() + "'";
}

void require_regular_file(const fs::path& file) {
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) {
        const std::string known = nearest(file.string(), known_data_names());
        throw BadInput("There is no file " + quoted(file) +
                       " and no known data set of this name; the most similar known name is '" + known + "'.");
    }
    if (status.type() == fs::file_type::none) {
        throw BadInput(quoted(file) + " cannot be accessed (" + error.message() + "); name a file that you may read.");
    }
    if (status.type() != fs::file_type::regular) {
        throw BadInput(quoted(file) + " is neither a regular file nor a folder; copy its text into a regular file.");
    }
}

}  // namespace

TextSource locate(std::string_view data, const fs::path& data_dir) {
    if (data.empty()) throw BadInput("The setting data is empty; name a text file, a known data set or 'synthetic'.");
    if (const auto language = find_language(data)) {
        const char* name = *language == Language::positional ? "synthetic language" : "synthetic local language";
        return {name, language, {}, false, false};
    }
    if (const KnownSet* set = find_known_set(data)) {
        const auto found = find_on_disk(*set, data_dir);
        if (!found) {
            throw BadInput(set->title + " is not on this machine yet; get it with 'ropelab-cli data fetch " +
                           set->name + "', or name the folder that has it with --data-dir or ROPELAB_DATA.");
        }
        return {found->description, std::nullopt, found->file, set->as_bytes, false};
    }
    const fs::path file{std::string(data)};
    std::error_code error;
    if (fs::is_directory(file, error)) {
        const fs::path whole = file.lexically_normal();  // "folder/" has no file name
        const fs::path name = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
        return {name.string(), std::nullopt, file, true, true};
    }
    require_regular_file(file);
    return {file.filename().string(), std::nullopt, file, false, false};
}

std::string read_text(const TextSource& source, std::int64_t data_seed, std::int64_t data_length) {
    if (source.language) return generate_text(*source.language, data_seed, static_cast<std::size_t>(data_length));
    errno = 0;
    std::ifstream in(source.file, std::ios::binary | std::ios::ate);
    if (!in) {
        throw BadInput(quoted(source.file) + " cannot be read (" + std::strerror(errno) +
                       "); name a file that you may read.");
    }
    const std::int64_t bytes = in.tellg();
    if (bytes == 0) throw BadInput(quoted(source.file) + " is empty; name a file that contains text.");
    if (bytes > largest_file) {
        throw BadInput(quoted(source.file) + " has " + grouped(bytes) + " bytes; a file may have at most " +
                       grouped(largest_file) + ", but a folder of files may have any size.");
    }
    std::string text(static_cast<std::size_t>(bytes), '\0');
    in.seekg(0);
    if (!in.read(text.data(), bytes)) throw BadInput(quoted(source.file) + " could be read only in part.");
    return text;
}

std::string other_format(std::string_view content) {
    // Without a mark at its beginning, Latin text in UTF-16 has a zero in every other byte.
    const auto has_zeros = [&](std::size_t at) {
        return content.size() >= 4 && content[at] == 0 && content[at + 2] == 0 && content[1 - at] != 0 &&
               content[3 - at] != 0;
    };
    if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff") || has_zeros(0) || has_zeros(1))
        return "is text in UTF-16; save it as UTF-8.";
    if (content.starts_with("version https://git-lfs"))
        return "is a Git LFS pointer to a file, not the file; fetch it with \"git lfs pull\".";
    if (content.starts_with("\x1f\x8b")) return "is compressed with gzip; unpack it first.";
    return "";
}

void require_text(const fs::path& file, std::string_view content) {
    constexpr std::size_t longest_error_page = 65536;
    if (file.extension() == ".bin" && first_invalid_utf8(content)) {
        throw BadInput(quoted(file) +
                       " has numbers instead of text, like nanoGPT's train.bin; name the text from which " +
                       "it was made, or set tokenizer = bytes to train on its bytes.");
    }
    if (const std::string format = other_format(content); !format.empty()) {
        throw BadInput(quoted(file) + " " + format);
    }
    std::string start(content.substr(0, 15));
    std::transform(start.begin(), start.end(), start.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (content.size() < longest_error_page && (start.starts_with("<!doctype html") || start.starts_with("<html"))) {
        throw BadInput(quoted(file) +
                       " is a short web page, perhaps the error page of a failed download; download the " +
                       "text itself, or set tokenizer = bytes to train on the page.");
    }
}

}  // namespace ropelab
