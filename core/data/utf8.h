#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ropelab {

/// One character read from UTF-8: its code point and how many bytes it takes; length 0 where the bytes are not UTF-8.
struct DecodedCharacter {
    char32_t code = 0;
    std::size_t length = 0;
};

/// The character that starts at byte `offset` < text.size(). Strict (RFC 3629): overlong forms, surrogates, code points
/// above U+10FFFF and cut sequences are not UTF-8.
DecodedCharacter decode_utf8(std::string_view text, std::size_t offset);

/// Appends a code point as UTF-8. `code` is at most U+10FFFF and no surrogate.
void append_utf8(std::string& text, char32_t code);

/// The byte offset of the first sequence that is not UTF-8; nullopt where the whole text is.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Whether UTF-8 can hold this code point.
bool is_unicode_scalar(char32_t code);

/// A symbol for messages and tables: itself where it prints, `\n`, `\t`, `\r`, `space`, or `U+0085` where it does not.
std::string printable_character(char32_t code);

}  // namespace ropelab
