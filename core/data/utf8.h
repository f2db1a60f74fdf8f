#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ropelab {

struct DecodedCharacter {
    char32_t code = 0;       // code point
    std::size_t length = 0;  // number of bytes in UTF-8; 0 if the bytes are not valid UTF-8
};

/// As in RFC 3629, overlong forms, surrogates, code points above U+10FFFF and truncated sequences are invalid.
DecodedCharacter decode_utf8(std::string_view text, std::size_t offset);

/// `code` must be at most U+10FFFF and not a surrogate.
void append_utf8(std::string& text, char32_t code);

/// The byte offset; nullopt if the whole text is valid.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

bool is_unicode_scalar(char32_t code);

/// The character itself if it is visible, else `\n`, `\t`, `\r`, `space` or its code point such as `U+0085`.
std::string printable_character(char32_t code);

/// Such as U+001B: names in a stranger's file must not control the terminal. Line ends and tab stay.
std::string without_controls(std::string_view text);

/// At most `most` bytes of the text, without a part of a character, and "…" if there are more.
std::string shortened(std::string_view text, std::size_t most = 60);

/// For messages of the program, which quote files of strangers: without_controls(), and no word and no quoted part has
/// more than 200 bytes.
std::string message_text(std::string_view message);

}  // namespace ropelab
