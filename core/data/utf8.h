#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ropelab {

/// One character decoded from UTF-8.
struct DecodedCharacter {
    char32_t code = 0;       // code point
    std::size_t length = 0;  // number of bytes in UTF-8; 0 if the bytes are not valid UTF-8
};

/// Decodes the character that starts at byte `offset` < text.size(). Following RFC 3629, overlong forms, surrogates,
/// code points above U+10FFFF and truncated sequences are invalid.
DecodedCharacter decode_utf8(std::string_view text, std::size_t offset);

/// Appends a code point as UTF-8. `code` must be at most U+10FFFF and not a surrogate.
void append_utf8(std::string& text, char32_t code);

/// Returns the byte offset of the first sequence that is not valid UTF-8, or nullopt if the whole text is valid.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Returns true if UTF-8 can represent this code point.
bool is_unicode_scalar(char32_t code);

/// Returns a character as messages and tables show it: the character itself if it is visible, else `\n`, `\t`, `\r`,
/// `space` or its code point such as `U+0085`.
std::string printable_character(char32_t code);

/// Returns a text in which control characters, except line ends and tab, are replaced by their code points, such as
/// U+001B: names in a stranger's file must not control the terminal.
std::string without_controls(std::string_view text);

}  // namespace ropelab
