#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/generated/language.h"

namespace ropelab {

/// The largest file that is read: all of it lies in memory as tokens of four bytes while runs use it.
inline constexpr std::int64_t largest_file = std::int64_t{1} << 31;

/// Where the text that the key `data` names comes from.
struct TextSource {
    std::string name;                  // for people and results: "Tiny Shakespeare", "first 4,154,399 bytes of enwik8"
    std::optional<Language> language;  // of a generated text; else `file` is set
    std::filesystem::path file;
    bool as_bytes = false;  // a symbol is a byte unless an experiment says otherwise
};

/// Finds what `data` names: a generated language, a known set (`find_on_disk`), else a file. Throws BadInput for what
/// is neither, for a known set that no folder has, and for a directory or anything else that is no regular file.
TextSource locate(std::string_view data, const std::filesystem::path& data_dir = {});

/// The text. `data_seed` and `data_length` (characters) matter for generated ones only. Throws BadInput for an empty,
/// unreadable or too large file.
std::string read_text(const TextSource& source, std::int64_t data_seed, std::int64_t data_length);

}  // namespace ropelab
