#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "core/data/corpus.h"
#include "core/data/utf8.h"
#include "core/spec/error.h"

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
        throw BadInput("A stored vocabulary starts with its kind, such as 'characters:' or 'bytes:', not with '" +
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
            throw BadInput("A stored vocabulary lists code points in ascending order, but its entry " +
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

}  // namespace ropelab
