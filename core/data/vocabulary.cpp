#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "core/data/corpus.h"
#include "core/data/utf8.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::string_view characters_prefix = "characters:";
constexpr std::string_view bytes_prefix = "bytes:";
constexpr std::size_t code_points = 0x110000;

[[noreturn]] void refuse_utf8(std::size_t offset) {
    throw BadInput("The text is not UTF-8 at byte offset " + std::to_string(offset) +
                   "; read it as bytes (symbols = bytes) or convert it to UTF-8.");
}

char32_t character_at(std::string_view text, std::size_t offset, std::size_t& length) {
    const DecodedCharacter character = decode_utf8(text, offset);
    if (character.length == 0) refuse_utf8(offset);
    length = character.length;
    return character.code;
}

}  // namespace

Vocabulary Vocabulary::of_characters(std::string_view text) {
    std::vector<bool> seen(code_points);
    for (std::size_t offset = 0, length = 0; offset < text.size(); offset += length) {
        seen[character_at(text, offset, length)] = true;
    }
    Vocabulary vocabulary;
    for (std::size_t code = 0; code < seen.size(); ++code) {
        if (seen[code]) vocabulary.symbols_.push_back(static_cast<std::uint32_t>(code));
    }
    return vocabulary;
}

Vocabulary Vocabulary::of_bytes(std::string_view bytes) {
    std::array<bool, 256> seen{};
    for (const char c : bytes) seen[static_cast<unsigned char>(c)] = true;
    Vocabulary vocabulary;
    vocabulary.bytes_ = true;
    for (std::uint32_t byte = 0; byte < seen.size(); ++byte) {
        if (seen[byte]) vocabulary.symbols_.push_back(byte);
    }
    return vocabulary;
}

Vocabulary Vocabulary::from_text(std::string_view text) {
    Vocabulary vocabulary;
    vocabulary.bytes_ = text.starts_with(bytes_prefix);
    if (!vocabulary.bytes_ && !text.starts_with(characters_prefix)) {
        throw BadInput("A stored vocabulary starts with 'characters:' or 'bytes:', not with '" +
                       std::string(text.substr(0, 20)) + "'.");
    }
    text.remove_prefix(vocabulary.bytes_ ? bytes_prefix.size() : characters_prefix.size());
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (at != end) {
        std::uint32_t symbol = 0;
        const auto [next, error] = std::from_chars(at, end, symbol);
        const bool valid = error == std::errc{} && (vocabulary.bytes_ ? symbol < 256 : is_unicode_scalar(symbol)) &&
                           (vocabulary.symbols_.empty() || symbol > vocabulary.symbols_.back()) &&
                           (next == end || (*next == ',' && next + 1 != end));
        if (!valid) {
            throw BadInput("A stored vocabulary is a list of ascending symbol numbers, but number " +
                           std::to_string(vocabulary.symbols_.size() + 1) + " of this one is not.");
        }
        vocabulary.symbols_.push_back(symbol);
        at = next == end ? end : next + 1;
    }
    return vocabulary;
}

std::string Vocabulary::to_text() const {
    std::string text(bytes_ ? bytes_prefix : characters_prefix);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(symbols_[i]);
    }
    return text;
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
    constexpr std::size_t direct = 256;
    std::array<std::int32_t, direct> table{};
    table.fill(-1);
    for (std::size_t token = 0; token < symbols_.size() && symbols_[token] < direct; ++token) {
        table[symbols_[token]] = static_cast<std::int32_t>(token);
    }
    const auto token_of = [&](std::uint32_t symbol) -> std::int32_t {
        if (symbol < direct) return table[symbol];
        const auto found = std::lower_bound(symbols_.begin(), symbols_.end(), symbol);
        if (found == symbols_.end() || *found != symbol) return -1;
        return static_cast<std::int32_t>(found - symbols_.begin());
    };

    std::vector<std::int32_t> tokens;
    tokens.reserve(text.size());
    for (std::size_t offset = 0, length = 1; offset < text.size(); offset += length) {
        const std::uint32_t symbol = bytes_ ? static_cast<unsigned char>(text[offset])
                                            : static_cast<std::uint32_t>(character_at(text, offset, length));
        const std::int32_t token = token_of(symbol);
        if (token < 0) {
            const std::string what = bytes_ ? "Byte " + std::to_string(symbol) + " (number "
                                            : "The character '" + printable_character(symbol) + "' (number ";
            throw BadInput(what + std::to_string(tokens.size() + 1) + " of the text) is not among the " +
                           std::to_string(size()) + " symbols of this vocabulary; leave it out or replace it.");
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
            throw BadInput("Token " + std::to_string(token) + " is outside this vocabulary; tokens go from 0 to " +
                           std::to_string(size() - 1) + ".");
        }
        const std::uint32_t symbol = symbols_[static_cast<std::size_t>(token)];
        if (bytes_) {
            text += static_cast<char>(symbol);
        } else {
            append_utf8(text, symbol);
        }
    }
    return text;
}

std::string Vocabulary::symbol(std::int32_t token) const {
    return decode({&token, 1});
}

}  // namespace ropelab
