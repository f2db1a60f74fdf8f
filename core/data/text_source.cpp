#include "core/data/text_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/checksum.h"
#include "core/data/utf8.h"

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
        const auto facts = std::ranges::find(languages(), *language, &LanguageFacts::language);
        return {std::string(facts->title), language, {}, false, false};
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

namespace {

struct Format {
    std::string_view mark;  // bytes that no text has in this place
    const char* sentence;
    std::size_t place = 0;
};

using namespace std::string_view_literals;
constexpr std::array formats = {
    Format{"version https://git-lfs"sv,
           "is a Git LFS pointer to a file, not the file; fetch it with \"git lfs pull\"."},
    Format{"\x1f\x8b"sv, "is compressed with gzip; unpack it first."},
    Format{"\x28\xb5\x2f\xfd"sv, "is compressed with Zstandard; unpack it first, for example with \"unzstd\"."},
    Format{"\xfd\x37zXZ\0"sv, "is compressed with xz; unpack it first, for example with \"unxz\"."},
    Format{"\x04\x22\x4d\x18"sv, "is compressed with LZ4; unpack it first, for example with \"unlz4\"."},
    Format{"1AY&SY"sv, "is compressed with bzip2; unpack it first, for example with \"bunzip2\".", 4},
    Format{"7z\xbc\xaf\x27\x1c"sv, "is a 7z archive; unpack it first and name a text file from it."},
    Format{"ustar\0"sv, "is a tar archive; unpack it first and name a text file from it.", 257},
    Format{"ustar  \0"sv, "is a tar archive; unpack it first and name a text file from it.", 257},
    Format{"PK\x03\x04"sv,
           "is a ZIP archive, as Word (docx), OpenDocument, EPUB and NumPy (npz) files are; save its text as a text "
           "file in UTF-8, or unpack it and name a text file from it."},
    Format{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv,
           "is a document of Microsoft Office; save its text as a text file in UTF-8."},
    Format{"%PDF-"sv, "is a PDF; save its text as a text file in UTF-8, for example with \"pdftotext\"."},
    Format{"PAR1\x15"sv, "is a Parquet table; write its column of texts to a text file in UTF-8."},
    Format{"ARROW1\0\0"sv, "is an Arrow table; write its column of texts to a text file in UTF-8."},
    Format{"SQLite format 3\0"sv, "is an SQLite database; write its texts to a text file in UTF-8."},
    Format{"\x93NUMPY"sv, "is an array of NumPy; name the text file from which its numbers were made."},
    Format{"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file; write its texts to a text file in UTF-8."},
    Format{"\x89PNG\r\n\x1a\n"sv, "is a PNG picture; name a text file."},
    Format{"\xff\xd8\xff"sv, "is a JPEG picture; name a text file."},
};

}  // namespace

std::string other_format(std::string_view content) {
    // Without a mark at its beginning, Latin text in UTF-16 has a zero in every other byte.
    const auto has_zeros = [&](std::size_t at) {
        return content.size() >= 4 && content[at] == 0 && content[at + 2] == 0 && content[1 - at] != 0 &&
               content[3 - at] != 0;
    };
    if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff") || has_zeros(0) || has_zeros(1))
        return "is text in UTF-16; save it as UTF-8.";
    const auto found = std::ranges::find_if(formats, [&](const Format& format) {
        return content.size() > format.place && content.substr(format.place).starts_with(format.mark);
    });
    return found == formats.end() ? "" : found->sentence;
}

void require_text(const fs::path& file, std::string_view content) {
    constexpr std::size_t longest_error_page = 65536;
    if (file.extension() == ".bin" && first_invalid_utf8(content)) {
        throw BadInput(
            quoted(file) +
            " has numbers instead of text, like nanoGPT's train.bin. Name the text file from which these numbers "
            "were made, or set tokenizer = bytes to train on the bytes of the file.");
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

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_files = 50'000;

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& problem) {
    throw BadInput("The folder '" + folder.string() + "' " + problem);
}

bool is_hidden(const fs::path& path) {
    return path.filename().string().starts_with('.');
}

}  // namespace

std::vector<FolderFile> files_of_folder(const fs::path& folder) {
    std::vector<FolderFile> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        if (is_hidden(entry->path())) {
            entry.disable_recursion_pending();
            continue;
        }
        std::error_code file_error;
        if (!entry->is_regular_file(file_error)) continue;
        const auto bytes = static_cast<std::int64_t>(entry->file_size(file_error));
        const auto written = entry->last_write_time(file_error).time_since_epoch().count();
        if (file_error) refuse_folder(folder, "has a file that cannot be read: '" + entry->path().string() + "'.");
        if (bytes > 0) files.push_back({entry->path().lexically_relative(folder).generic_string(), bytes, written});
    }
    if (error) refuse_folder(folder, "cannot be read (" + error.message() + "); name a folder that you may read.");
    if (files.empty()) refuse_folder(folder, "contains no text; put the files to train on into it.");
    if (files.size() > most_files) {
        refuse_folder(folder, "has " + std::to_string(files.size()) + " files, but at most " +
                                  std::to_string(most_files) + " are supported; join them into larger files.");
    }
    std::ranges::sort(files, {}, &FolderFile::name);
    return files;
}

std::int64_t bytes_of(std::span<const FolderFile> files) {
    std::int64_t bytes = 0;
    for (const FolderFile& file : files) bytes += file.bytes;
    return bytes;
}

void refuse_characters_of_folder(const fs::path& folder) {
    refuse_folder(folder, "can be read as bytes only; set tokenizer = bytes, or join its files into one text file.");
}

TextFolder::TextFolder(const fs::path& folder) : files_(files_of_folder(folder)) {
    std::int64_t first = 0;
    for (const FolderFile& file : files_) {
        pieces_.push_back({first, file.bytes, folder / file.name});
        first += file.bytes;
    }
}

void TextFolder::require_texts() const {
    for (const TokenText::Piece& piece : pieces_) {
        std::array<unsigned char, 512> buffer;
        const auto begin = std::span(buffer).first(std::min(buffer.size(), static_cast<std::size_t>(piece.bytes)));
        TokenText::read_piece(piece, 0, begin);
        const std::string format = other_format({reinterpret_cast<const char*>(begin.data()), begin.size()});
        if (!format.empty()) {
            throw BadInput(
                "The folder's file " + quoted(piece.file) + " " + format +
                " Otherwise, remove this file from the folder, or set tokenizer = bytes to train on its bytes.");
        }
    }
}

std::string TextFolder::checksum() const {
    constexpr std::size_t end_bytes = 4096;
    std::string all;
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const FolderFile& file = files_[i];
        std::array<unsigned char, end_bytes> buffer;
        const auto ends_of_file = std::span(buffer).first(std::min(end_bytes, static_cast<std::size_t>(file.bytes)));
        std::string ends;
        for (const std::int64_t from : {std::int64_t{0}, file.bytes - std::ssize(ends_of_file)}) {
            TokenText::read_piece(pieces_[i], from, ends_of_file);
            ends.append(ends_of_file.begin(), ends_of_file.end());
        }
        all += file.name + '\n' + std::to_string(file.bytes) + '\n' +
               checksum_of(ends, Checksum::Algorithm::sha256).hex + '\n';
    }
    return checksum_of(all, Checksum::Algorithm::sha256).hex;
}

namespace {

// Byte offsets of the ascending `characters` of a text in UTF-8.
std::array<std::size_t, 2> offsets_of(std::string_view text, std::array<std::int64_t, 2> characters) {
    std::array<std::size_t, 2> offsets = {text.size(), text.size()};
    std::size_t next = 0;
    std::int64_t character = 0;
    for (std::size_t offset = 0; offset < text.size() && next < offsets.size(); ++character) {
        while (next < offsets.size() && characters[next] == character) offsets[next++] = offset;
        offset += decode_utf8(text, offset).length;
    }
    return offsets;
}

}  // namespace

SplitSizes split_sizes(std::int64_t tokens, Split split) {
    SplitSizes sizes;
    sizes.training = static_cast<std::int64_t>(0.9 * static_cast<double>(tokens));
    const std::int64_t rest = tokens - sizes.training;
    sizes.validation = split == Split::ninety_ten ? rest : rest / 2;
    sizes.test = rest - sizes.validation;
    return sizes;
}

TextParts parts_of_text(std::string_view text, Split split, bool as_bytes) {
    const bool bytes = as_bytes || first_invalid_utf8(text);
    std::int64_t units = 0;
    for (std::size_t offset = 0; offset < text.size(); ++units) offset += bytes ? 1 : decode_utf8(text, offset).length;
    const SplitSizes sizes = split_sizes(units, split);
    std::array<std::size_t, 2> ends = {static_cast<std::size_t>(sizes.training),
                                       static_cast<std::size_t>(sizes.training + sizes.validation)};
    if (!bytes) ends = offsets_of(text, {sizes.training, sizes.training + sizes.validation});
    return {text.substr(0, ends[0]), text.substr(ends[0], ends[1] - ends[0]), text.substr(ends[1])};
}

namespace {

constexpr std::size_t shown_digits = 12;  // of a checksum in messages; enough for a person to compare
}  // namespace

std::string text_name(const RunSpec& spec) {
    if (!find_language(spec.data)) return spec.data;
    return spec.data + " (seed " + std::to_string(spec.data_seed) + ", " + grouped(spec.data_length) + " characters)";
}

TextMark mark_of(const RunSpec& spec, std::string_view text) {
    return {text_name(spec), std::ssize(text), checksum_of(text, Checksum::Algorithm::sha256).hex};
}

bool is_whole_known_set(const TextMark& text) {
    const KnownSet* set = find_known_set(text.name);
    if (set == nullptr || text.bytes != set->bytes) return false;
    return set->checksum.algorithm != Checksum::Algorithm::sha256 || text.sha256 == set->checksum.hex;
}

void require_same_text(const TextMark& now, const TextMark& then) {
    if (now.bytes == then.bytes && now.sha256 == then.sha256) return;
    const auto difference = [&](const TextMark& text) {
        return now.bytes != then.bytes ? grouped(text.bytes) + " bytes"
                                       : "the SHA-256 checksum " + text.sha256.substr(0, shown_digits) + "…";
    };
    throw BadInput("The text \"" + then.name + "\" has " + difference(now) +
                   ", but training began with a text that has " + difference(then) +
                   "; restore that text (--data-dir names its folder), or train in another lab file.");
}

}  // namespace ropelab
