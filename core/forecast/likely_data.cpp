#include "core/forecast/likely_data.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <unordered_set>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/known_sets.h"
#include "core/data/text_source.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

// As measured on Tiny Shakespeare with 1,024 tokens.
constexpr double likely_bytes_per_subword = 2;

// Read once; that of many published models if it cannot be read, which training will report.
std::int64_t vocabulary_of_file(const std::string& file) {
    constexpr std::int64_t common = 32000;
    static std::mutex mutex;
    static std::map<std::string, std::int64_t> sizes;
    const std::lock_guard lock(mutex);
    const auto [known, is_new] = sizes.try_emplace(file, common);
    if (!is_new) return known->second;
    try {
        known->second = std::ssize(subwords_of_file(file)->tokens());
    } catch (const BadInput&) {
        sizes.erase(known);
        return common;
    }
    return known->second;
}

// Of the first 4 MiB of a text file.
struct TextBeginning {
    std::int64_t characters = 0;  // kinds of them, or of bytes if it is not UTF-8
    double bytes_per_character = 1;
};

TextBeginning counted_beginning(const std::filesystem::path& file) {
    std::string text(largest_tokenizer_text, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(text.data(), std::ssize(text));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    TextBeginning result;
    std::unordered_set<char32_t> characters;
    std::size_t offset = 0;
    double count = 0;
    for (; offset < text.size(); ++count) {
        const DecodedCharacter character = decode_utf8(text, offset);
        if (character.length == 0) break;
        characters.insert(character.code);
        offset += character.length;
    }
    if (offset + 4 > text.size() && count > 0) {  // the last character may be cut
        result.characters = std::ssize(characters);
        result.bytes_per_character = static_cast<double>(offset) / count;
    } else {
        result.characters = std::ssize(std::unordered_set<char>(text.begin(), text.end()));
    }
    return result;
}

// Counted once; nullopt if the tokens are no characters of a file.
std::optional<TextBeginning> beginning_of(const RunSpec& spec) {
    std::error_code error;
    const bool has_characters = spec.tokenizer == Tokenizer::automatic || spec.tokenizer == Tokenizer::characters;
    if (!has_characters || !std::filesystem::is_regular_file(spec.data, error)) return std::nullopt;
    const auto key = std::tuple(spec.data, std::filesystem::file_size(spec.data, error),
                                std::filesystem::last_write_time(spec.data, error));
    static std::mutex mutex;
    static std::map<std::remove_const_t<decltype(key)>, TextBeginning> known;
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = known.try_emplace(key);
    if (is_new) found->second = counted_beginning(spec.data);
    return found->second;
}

double bytes_per_token(const RunSpec& spec) {
    if (spec.has_subwords()) return likely_bytes_per_subword;
    const auto beginning = beginning_of(spec);
    return beginning ? beginning->bytes_per_character : 1.0;
}

}  // namespace

std::int64_t likely_vocabulary(const RunSpec& spec) {
    if (find_language(spec.data)) return 29;
    if (spec.tokenizer == Tokenizer::file) return vocabulary_of_file(spec.tokenizer_file);
    if (spec.has_subwords()) return spec.largest_vocabulary();
    if (const auto beginning = beginning_of(spec)) return std::max<std::int64_t>(1, beginning->characters);
    if (spec.data == "text8") return 27;
    std::error_code error;
    if (std::filesystem::is_directory(spec.data, error)) return 256;
    if (spec.data == "enwik8" || spec.tokenizer == Tokenizer::bytes) return 205;
    return 65;
}

std::int64_t likely_tokens(const RunSpec& spec) {
    if (find_language(spec.data)) return spec.data_length;
    const auto tokens = [&](double bytes) { return static_cast<std::int64_t>(bytes / bytes_per_token(spec)); };
    if (spec.data == "text8" || spec.data == "enwik8") return tokens(1e8);
    std::error_code error;
    if (std::filesystem::is_directory(spec.data, error))
        return largest_held_out;  // its training text stays in its files
    const auto size = std::filesystem::file_size(spec.data, error);
    return tokens(error ? 1'115'394 : static_cast<double>(size));
}

std::int64_t likely_validation_tokens(const RunSpec& spec, const std::filesystem::path& data_dir) {
    if (find_language(spec.data)) return split_sizes(spec.data_length, spec.split).validation;
    try {
        const TextSource source = locate(spec.data, data_dir);
        if (source.is_folder) {
            const std::int64_t bytes = bytes_of(files_of_folder(source.file));
            return std::min(split_sizes(bytes, spec.split).validation, largest_held_out);
        }
        std::error_code error;
        const auto bytes = std::filesystem::file_size(source.file, error);
        const double tokens = static_cast<double>(bytes) / bytes_per_token(spec);
        if (!error) return split_sizes(static_cast<std::int64_t>(tokens), spec.split).validation;
    } catch (const BadInput&) {
        // The data set is missing; training will report that.
    }
    const KnownSet* set = find_known_set(spec.data);
    return set != nullptr ? split_sizes(set->bytes, spec.split).validation : unknown_validation_tokens;
}

}  // namespace ropelab
