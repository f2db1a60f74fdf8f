#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/synthetic/language.h"

namespace ropelab {

/// Size limit of a text file, in bytes. The whole text is in memory as tokens of four bytes while runs use it.
inline constexpr std::int64_t largest_file = std::int64_t{1} << 31;

/// The source of the text that the setting `data` names: a synthetic language, a file or a folder of files.
struct TextSource {
    std::string name;                  // in messages and results, such as "first 4,154,399 bytes of enwik8"
    std::optional<Language> language;  // the synthetic language; nullopt if the text is in `file`
    std::filesystem::path file;        // or folder
    bool as_bytes = false;             // true if each token is a byte unless the experiment sets the tokenizer
    bool is_folder = false;  // true if `file` is a folder, whose files are read in parts (core/data/text_folder.h)
};

/// Finds the text that `data` names: a synthetic language, a known data set (see `find_on_disk`), a file or a folder of
/// files. Throws BadInput if there is no such file, if no folder contains the known data set, or if the name denotes
/// anything else that is neither a regular file nor a folder.
TextSource locate(std::string_view data, const std::filesystem::path& data_dir = {});

/// Returns the text of `source`. `data_seed` and `data_length` (in characters) are used for synthetic languages only.
/// Throws BadInput for an empty or unreadable file and for one with more than `largest_file` bytes. `source` must not
/// be a folder.
std::string read_text(const TextSource& source, std::int64_t data_seed, std::int64_t data_length);

/// Returns what a file is that should be text in UTF-8, as the end of a sentence: "is compressed with gzip; unpack it
/// first."; "" for a text. Recognises UTF-16, gzip and pointers of Git LFS.
std::string other_format(std::string_view content);

/// Throws BadInput if the content of a file is none that a model of language trains on: other_format(), a short web
/// page, such as the error page of a failed download, or the token numbers of nanoGPT's train.bin.
void require_text(const std::filesystem::path& file, std::string_view content);

}  // namespace ropelab
