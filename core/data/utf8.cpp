#include "core/data/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace ropelab {

namespace {

struct LeadByte {
    std::size_t length;
    std::uint8_t payload;
    char32_t smallest;  // smallest code point that needs `length` bytes; smaller ones are overlong
};

LeadByte lead_byte(unsigned char byte) {
    if (byte < 0x80) return {1, byte, 0};
    if ((byte & 0xE0) == 0xC0) return {2, static_cast<std::uint8_t>(byte & 0x1F), 0x80};
    if ((byte & 0xF0) == 0xE0) return {3, static_cast<std::uint8_t>(byte & 0x0F), 0x800};
    if ((byte & 0xF8) == 0xF0) return {4, static_cast<std::uint8_t>(byte & 0x07), 0x10000};
    return {0, 0, 0};
}

}  // namespace

bool is_unicode_scalar(char32_t code) {
    return code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
}

DecodedCharacter decode_utf8(std::string_view text, std::size_t offset) {
    const LeadByte lead = lead_byte(static_cast<unsigned char>(text[offset]));
    if (lead.length == 0 || text.size() - offset < lead.length) return {};
    char32_t code = lead.payload;
    for (std::size_t i = 1; i < lead.length; ++i) {
        const auto byte = static_cast<unsigned char>(text[offset + i]);
        if ((byte & 0xC0) != 0x80) return {};
        code = (code << 6) | (byte & 0x3Fu);
    }
    if (code < lead.smallest || !is_unicode_scalar(code)) return {};
    return {code, lead.length};
}

void append_utf8(std::string& text, char32_t code) {
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | (code >> 6));
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xE0 | (code >> 12));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0 | (code >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = decode_utf8(text, offset).length;
        if (length == 0) return offset;
        offset += length;
    }
    return std::nullopt;
}

std::string printable_character(char32_t code) {
    if (code == U'\n') return "\\n";
    if (code == U'\t') return "\\t";
    if (code == U'\r') return "\\r";
    if (code == U' ') return "space";
    // Control characters, the byte order mark and separators are invisible in a message.
    const bool invisible = code < 0x20 || (code >= 0x7F && code <= 0xA0) || code == 0xAD ||
                           (code >= 0x2000 && code <= 0x200F) || (code >= 0x2028 && code <= 0x202F) || code == 0xFEFF ||
                           !is_unicode_scalar(code);
    if (invisible) {
        std::array<char, 16> text{};
        std::snprintf(text.data(), text.size(), "U+%04X", static_cast<unsigned>(code));
        return text.data();
    }
    std::string text;
    append_utf8(text, code);
    return text;
}

std::string without_controls(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const DecodedCharacter character = decode_utf8(text, i);
        const std::size_t length = std::max<std::size_t>(character.length, 1);
        const bool ends_line =
            character.code == '\n' || (character.code == '\r' && text.substr(i + 1).starts_with('\n'));
        const bool is_control = character.length > 0 && !ends_line && character.code != '\t' &&
                                (character.code < 0x20 || (character.code >= 0x7F && character.code < 0xA0));
        result += is_control ? printable_character(character.code) : std::string(text.substr(i, length));
        i += length;
    }
    return result;
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
    return std::string(text.substr(0, end)) + "…";
}

namespace {

/// The begin and the end, so that a path keeps the name of its file.
std::string both_ends(std::string_view part) {
    constexpr std::size_t first = 150;
    constexpr std::size_t last = 50;
    if (part.size() <= first + last) return std::string(part);
    const auto at_character = [&](std::size_t at) {
        while (at < part.size() && (static_cast<unsigned char>(part[at]) & 0xC0U) == 0x80U) ++at;
        return at;
    };
    return std::string(part.substr(0, at_character(first))) + "…" +
           std::string(part.substr(at_character(part.size() - last)));
}

}  // namespace

std::string message_text(std::string_view message) {
    const std::string text = without_controls(message);
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const bool is_quoted = text[i] == '"';
        std::size_t end = is_quoted ? text.find('"', i + 1) : text.find_first_of(" \n\"", i);
        end = std::min(end, text.size());
        if (is_quoted || end == i) end = std::min(end + 1, text.size());
        result += both_ends(std::string_view(text).substr(i, end - i));
        i = end;
    }
    return result;
}

}  // namespace ropelab
