#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/token_text.h"
#include "core/data/known_sets.h"
#include "core/data/synthetic/language.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// Bytes. The whole text is in memory as tokens of four bytes while runs use it.
inline constexpr std::int64_t largest_file = std::int64_t{1} << 31;

struct TextSource {
    std::string name;                  // in messages and results, such as "first 4,154,399 bytes of enwik8"
    std::optional<Language> language;  // the synthetic language; nullopt if the text is in `file`
    std::filesystem::path file;        // or folder
    bool as_bytes = false;             // true if each token is a byte unless the experiment sets the tokenizer
    bool is_folder = false;            // true if `file` is a folder, whose files are read in parts
};

/// A synthetic language, a known data set (see `find_on_disk`), a file or a folder of files. Throws BadInput if there
/// is none, or if the name denotes neither a regular file nor a folder.
TextSource locate(std::string_view data, const std::filesystem::path& data_dir = {});

/// `data_seed` and `data_length` (in characters) are used for synthetic languages only. Throws BadInput for an empty or
/// unreadable file and for one with more than `largest_file` bytes. `source` must not be a folder.
std::string read_text(const TextSource& source, std::int64_t data_seed, std::int64_t data_length);

/// "is compressed with gzip; unpack it first."; "" for a text. Recognises UTF-16, pointers of Git LFS, and compressed
/// files, documents, tables and pictures by the bytes at their beginning.
std::string other_format(std::string_view content);

/// Refuses other_format(), a short web page, such as an error page, and the token numbers of nanoGPT's train.bin.
void require_text(const std::filesystem::path& file, std::string_view content);

struct FolderFile {
    std::string name;  // path relative to the folder
    std::int64_t bytes = 0;
    std::int64_t written = 0;  // time of the last change, in ticks of the file system's clock
};

/// With subfolders, in ascending order of names, which is the order of the text. Hidden files and empty files are left
/// out. Throws BadInput if the folder cannot be read, if it contains no text, or if it contains more than 50,000 files.
std::vector<FolderFile> files_of_folder(const std::filesystem::path& folder);

std::int64_t bytes_of(std::span<const FolderFile> files);

[[noreturn]] void refuse_characters_of_folder(const std::filesystem::path& folder);

/// One text of bytes, without separators. Only used parts are read, so the text may be larger than the memory.
class TextFolder {
 public:
    explicit TextFolder(const std::filesystem::path& folder);

    std::int64_t bytes() const { return bytes_of(files_); }
    std::span<const TokenText::Piece> pieces() const { return pieces_; }
    /// Throws BadInput, naming the first file for which other_format() is not "".
    void require_texts() const;
    /// SHA-256 over the name, the size, and the first and last 4 KiB of each file. A checksum over all bytes would take
    /// minutes for a large folder. Throws BadInput for a file that cannot be read.
    std::string checksum() const;

 private:
    std::vector<FolderFile> files_;
    std::vector<TokenText::Piece> pieces_;  // one per file
};

struct SplitSizes {
    std::int64_t training = 0;
    std::int64_t validation = 0;
    std::int64_t test = 0;  // 0 for a 90/10 split

    bool operator==(const SplitSizes&) const = default;
};

/// In both splits the training part has int(0.9 · tokens) tokens, as in nanoGPT. With 90/10, the validation part is the
/// rest. With 90/5/5, the rest is divided into equal validation and test parts, and an odd token belongs to the test
/// part; 100,000,000 tokens give the customary 90, 5 and 5 million.
SplitSizes split_sizes(std::int64_t tokens, Split split);

struct TextParts {
    std::string_view training;
    std::string_view validation;
    std::string_view test;  // empty for a 90/10 split
};

/// Where `split_sizes` splits its characters, or its bytes if it is not UTF-8 or `as_bytes`.
TextParts parts_of_text(std::string_view text, Split split, bool as_bytes = false);

/// Size and checksum, because the file behind a name may change between runs.
struct TextMark {
    std::string name;  // as `text_name` returns it
    std::int64_t bytes = 0;
    std::string sha256;  // of the whole text, in lower case; for a folder that of TextFolder::checksum

    bool operator==(const TextMark&) const = default;
};

/// The setting `data`, for a synthetic language with seed and length.
std::string text_name(const RunSpec& spec);

TextMark mark_of(const RunSpec& spec, std::string_view text);

/// Not truncated or different. text8 has no published SHA-256 checksum, so only its length is compared.
bool is_whole_known_set(const TextMark& text);

/// Throws BadInput unless `now`, the text found today, equals `then`, that of the training so far; names both.
void require_same_text(const TextMark& now, const TextMark& then);

}  // namespace ropelab
