#include "core/data/tokenizer/vocabulary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/checksum.h"
#include "core/data/known_sets.h"
#include "core/data/read_file.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

constexpr std::string_view characters_prefix = "characters:";
constexpr std::string_view bytes_prefix = "bytes:";
constexpr std::size_t code_point_limit = 0x110000;

[[noreturn]] void refuse_utf8(std::size_t offset) {
    throw BadInput("The text is not UTF-8 at byte offset " + std::to_string(offset) +
                   "; use bytes as tokens (tokenizer = bytes) or convert the text to UTF-8.");
}

char32_t character_at(std::string_view text, std::size_t offset, std::size_t& length) {
    const DecodedCharacter character = decode_utf8(text, offset);
    if (character.length == 0) refuse_utf8(offset);
    length = character.length;
    return character.code;
}

}  // namespace

Vocabulary Vocabulary::of_characters(std::string_view text) {
    std::vector<bool> seen(code_point_limit);
    for (std::size_t offset = 0, length = 0; offset < text.size(); offset += length) {
        seen[character_at(text, offset, length)] = true;
    }
    Vocabulary vocabulary;
    for (std::size_t code = 0; code < seen.size(); ++code) {
        if (seen[code]) vocabulary.code_points_.push_back(static_cast<std::uint32_t>(code));
    }
    return vocabulary;
}

Vocabulary Vocabulary::of_bytes(std::string_view bytes) {
    std::array<bool, 256> seen{};
    for (const char c : bytes) seen[static_cast<unsigned char>(c)] = true;
    Vocabulary vocabulary;
    vocabulary.bytes_ = true;
    for (std::uint32_t byte = 0; byte < seen.size(); ++byte) {
        if (seen[byte]) vocabulary.code_points_.push_back(byte);
    }
    return vocabulary;
}

Vocabulary Vocabulary::of_all_bytes() {
    Vocabulary vocabulary;
    vocabulary.bytes_ = true;
    for (std::uint32_t byte = 0; byte < 256; ++byte) vocabulary.code_points_.push_back(byte);
    return vocabulary;
}

Vocabulary Vocabulary::of_subwords(std::shared_ptr<const Subwords> subwords) {
    Vocabulary vocabulary;
    vocabulary.subwords_ = std::move(subwords);
    return vocabulary;
}

Vocabulary Vocabulary::from_text(std::string_view text) {
    if (is_subwords_text(text)) return of_subwords(subwords_from_text(text));
    Vocabulary vocabulary;
    vocabulary.bytes_ = text.starts_with(bytes_prefix);
    if (!vocabulary.bytes_ && !text.starts_with(characters_prefix)) {
        throw BadInput(
            "The stored vocabulary must begin with its kind, such as 'characters:' or 'bytes:', but it begins with '" +
            std::string(text.substr(0, 20)) + "'.");
    }
    text.remove_prefix(vocabulary.bytes_ ? bytes_prefix.size() : characters_prefix.size());
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (at != end) {
        std::uint32_t code = 0;
        const auto [next, error] = std::from_chars(at, end, code);
        const bool valid = error == std::errc{} && (vocabulary.bytes_ ? code < 256 : is_unicode_scalar(code)) &&
                           (vocabulary.code_points_.empty() || code > vocabulary.code_points_.back()) &&
                           (next == end || (*next == ',' && next + 1 != end));
        if (!valid) {
            throw BadInput("The stored vocabulary must list code points in ascending order, but its entry " +
                           std::to_string(vocabulary.code_points_.size() + 1) + " is invalid.");
        }
        vocabulary.code_points_.push_back(code);
        at = next == end ? end : next + 1;
    }
    return vocabulary;
}

std::optional<double> Vocabulary::fixed_bytes_per_token() const {
    if (subwords()) return std::nullopt;
    constexpr std::uint32_t ascii_end = 0x80;
    if (bytes_ || code_points_.empty() || code_points_.back() < ascii_end) return 1.0;
    return std::nullopt;
}

std::string Vocabulary::to_text() const {
    if (subwords_) return subwords_->to_text();
    std::string text(bytes_ ? bytes_prefix : characters_prefix);
    for (std::size_t i = 0; i < code_points_.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(code_points_[i]);
    }
    return text;
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
    if (subwords_) return subwords_->encode(text);
    constexpr std::size_t direct = 256;
    std::array<std::int32_t, direct> table{};
    table.fill(-1);
    for (std::size_t token = 0; token < code_points_.size() && code_points_[token] < direct; ++token) {
        table[code_points_[token]] = static_cast<std::int32_t>(token);
    }
    const auto token_of = [&](std::uint32_t code) -> std::int32_t {
        if (code < direct) return table[code];
        const auto found = std::lower_bound(code_points_.begin(), code_points_.end(), code);
        if (found == code_points_.end() || *found != code) return -1;
        return static_cast<std::int32_t>(found - code_points_.begin());
    };

    std::vector<std::int32_t> tokens;
    tokens.reserve(text.size());
    for (std::size_t offset = 0, length = 1; offset < text.size(); offset += length) {
        const std::uint32_t code = bytes_ ? static_cast<unsigned char>(text[offset])
                                          : static_cast<std::uint32_t>(character_at(text, offset, length));
        const std::int32_t token = token_of(code);
        if (token < 0) {
            const std::string what = bytes_ ? "Byte " + std::to_string(code) + " (number "
                                            : "The character '" + printable_character(code) + "' (number ";
            throw BadInput(what + std::to_string(tokens.size() + 1) + " of the text) is not among the " +
                           std::to_string(size()) + " tokens of this vocabulary; omit or replace it.");
        }
        tokens.push_back(token);
    }
    return tokens;
}

std::string Vocabulary::decode(std::span<const std::int32_t> tokens) const {
    std::string text;
    text.reserve(tokens.size());
    for (const std::int32_t token : tokens) {
        if (token < 0 || token >= size()) {
            throw BadInput("Token " + std::to_string(token) + " is outside this vocabulary; its tokens are 0 to " +
                           std::to_string(size() - 1) + ".");
        }
        if (subwords_) {
            text += subwords_->tokens()[static_cast<std::size_t>(token)];
            continue;
        }
        const std::uint32_t code = code_points_[static_cast<std::size_t>(token)];
        if (bytes_) {
            text += static_cast<char>(code);
        } else {
            append_utf8(text, code);
        }
    }
    return text;
}

std::string Vocabulary::bytes_of(std::int32_t token) const {
    return decode({&token, 1});
}

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_line = 1 << 16;                    // of a file of tiktoken
constexpr std::int64_t most_bytes = std::int64_t{256} << 20;  // tokenizers of 256,000 tokens have 40 MB

std::optional<std::string> content_of(const fs::path& file) {
    try {
        return read_regular_file(file, most_bytes);
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

// An empty path if the user has no cache.
fs::path tokenizer_folder() {
    try {
        return cache_folder().parent_path() / "tokenizers";
    } catch (const BadInput&) {
        return {};
    }
}

// Under a temporary name first, so that no program reads a part of it. Failure to write is no error.
void store_in_cache(const fs::path& file, const std::string& content) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const fs::path temporary = file.string() + ".part-" + checksum_of(content, Checksum::Algorithm::sha256).hex;
    {
        std::ofstream out(temporary, std::ios::binary);
        if (!out.write(content.data(), std::ssize(content)).flush()) {
            out.close();
            fs::remove(temporary, error);
            return;
        }
    }
    fs::rename(temporary, file, error);
    if (error) fs::remove(temporary, error);
}

std::string cached_model(Tokenizer kind, std::int64_t size, std::string_view training) {
    // The number changes whenever the options of training change.
    const std::string key = "1|" + std::string(facts_of(kind).choice.word) + '|' + std::to_string(size) + '|' +
                            checksum_of(training, Checksum::Algorithm::sha256).hex;
    const fs::path folder = tokenizer_folder();
    const fs::path file = folder / (checksum_of(key, Checksum::Algorithm::sha256).hex + ".model");
    if (!folder.empty()) {
        if (auto model = content_of(file); model && !model->empty()) return std::move(*model);
    }
    std::string model = train_sentencepiece(kind, size, training);
    if (!folder.empty()) store_in_cache(file, model);
    return model;
}

// At most `largest_tokenizer_text` bytes, without a part of a character.
std::string_view beginning_of(std::string_view text) {
    if (text.size() <= largest_tokenizer_text) return text;
    std::size_t end = largest_tokenizer_text;
    while (end > largest_tokenizer_text - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end);
}

// A window that shows one token then reads its tokenizer once.
class RecentSubwords {
 public:
    std::shared_ptr<const Subwords> find(std::string_view text) {
        const std::lock_guard lock(mutex_);
        const auto found = std::ranges::find(entries_, text, &Entry::text);
        return found == entries_.end() ? nullptr : found->subwords;
    }

    void add(std::string text, std::shared_ptr<const Subwords> subwords) {
        const std::lock_guard lock(mutex_);
        entries_.push_front({std::move(text), std::move(subwords)});
        if (entries_.size() > max_entries) entries_.pop_back();
    }

 private:
    struct Entry {
        std::string text;
        std::shared_ptr<const Subwords> subwords;
    };
    static constexpr std::size_t max_entries = 4;

    std::mutex mutex_;
    std::deque<Entry> entries_;
};

}  // namespace

std::shared_ptr<const Subwords> trained_subwords(Tokenizer kind, std::int64_t size, std::string_view training) {
    const std::string_view text = beginning_of(training);
    if (kind == Tokenizer::words) return train_words(size, text);
    return sentencepiece_of_model(cached_model(kind, size, text), "The trained tokenizer", Normalization::left_out);
}

std::shared_ptr<const Subwords> subwords_of_file(const fs::path& file, Normalization normalization) {
    std::error_code error;
    const std::string name = "'" + file.string() + "'";
    if (const auto bytes = fs::file_size(file, error); !error && std::cmp_greater(bytes, most_bytes)) {
        throw BadInput("The tokenizer " + name + " has " + std::to_string(bytes >> 20) +
                       " MiB, but a tokenizer may have at most " + std::to_string(most_bytes >> 20) + " MiB.");
    }
    auto content = content_of(file);
    if (!content) {
        throw BadInput("The tokenizer " + name +
                       " cannot be read; name a tokenizer.json, a SentencePiece .model or a "
                       "file of tiktoken.");
    }
    if (file.extension() == ".json") return byte_pairs_of_json(*content, name);
    const std::string_view line = std::string_view(*content).substr(0, content->find('\n'));
    const std::size_t space = line.find(' ');
    if (space < most_line && bytes_of_base64(line.substr(0, space))) return byte_pairs_of_ranks(*content, name);
    return sentencepiece_of_model(std::move(*content), name, normalization);
}

bool is_subwords_text(std::string_view text) {
    return text.starts_with(sentencepiece_prefix) || text.starts_with(normalized_sentencepiece_prefix) ||
           text.starts_with(byte_pairs_prefix) || text.starts_with(words_prefix);
}

std::shared_ptr<const Subwords> subwords_from_text(std::string_view text) {
    static RecentSubwords recent;
    std::shared_ptr<const Subwords> subwords = recent.find(text);
    if (subwords != nullptr) return subwords;
    if (text.starts_with(sentencepiece_prefix) || text.starts_with(normalized_sentencepiece_prefix)) {
        subwords = sentencepiece_from_text(text);
    } else if (text.starts_with(byte_pairs_prefix)) {
        subwords = byte_pairs_from_text(text);
    } else if (text.starts_with(words_prefix)) {
        subwords = words_from_text(text);
    } else {
        throw BadInput("The stored subword tokenizer must begin with its kind, but it begins with '" +
                       std::string(text.substr(0, 20)) + "'.");
    }
    recent.add(std::string(text), subwords);
    return subwords;
}

// Between two letters, as whatever a tokenizer does at the ends of a text, such as a space before it, is no property of
// the character.
static std::int64_t bytes_lost(const Vocabulary& vocabulary, const std::string& character, bool adds_space) {
    const std::string text = "a" + character + "a";
    const std::vector<std::int32_t> tokens = vocabulary.encode(text);
    const auto is_unknown = [&](std::int32_t token) { return vocabulary.bytes_of(token).empty(); };
    if (std::ranges::any_of(tokens, is_unknown)) return 0;
    std::string restored = vocabulary.decode(tokens);
    if (adds_space && !restored.empty()) restored.erase(0, 1);
    std::size_t same = 0;  // a tokenizer that normalizes has other bytes, not fewer of them
    for (const char byte : text) same += same < restored.size() && restored[same] == byte ? 1 : 0;
    return same == restored.size() ? std::ssize(text) - std::ssize(restored) : 0;
}

std::int64_t bytes_without_token(const Vocabulary& vocabulary, std::string_view text,
                                 std::span<const std::int32_t> tokens) {
    if (!vocabulary.subwords() || vocabulary.by_line() || vocabulary.decode(tokens) == text) return 0;
    std::map<std::string, std::int64_t, std::less<>> counts;
    for (std::size_t offset = 0, length = 0; offset < text.size(); offset += length) {
        length = std::max<std::size_t>(decode_utf8(text, offset).length, 1);
        const std::string_view character = text.substr(offset, length);
        const auto known = counts.find(character);
        (known == counts.end() ? counts.emplace(character, 0).first : known)->second += 1;
    }
    const bool adds_space = vocabulary.decode(vocabulary.encode("aa")).starts_with(' ');
    const std::int64_t beside = bytes_lost(vocabulary, "", adds_space);
    std::int64_t lost = 0;
    for (const auto& [character, count] : counts)
        lost += count * (bytes_lost(vocabulary, character, adds_space) - beside);
    return std::max<std::int64_t>(lost, 0);
}

std::string left_out_words(std::int64_t bytes) {
    if (bytes == 0) return "";
    return "The vocabulary has no token for " + counted(bytes, "byte") + " of the text, which " +
           (bytes == 1 ? "is" : "are") + " left out.";
}

}  // namespace ropelab
