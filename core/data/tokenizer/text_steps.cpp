#include "core/data/tokenizer/text_steps.h"

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/data/tokenizer/expression.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

using nlohmann::json;
using TextFinder = std::function<std::vector<TextRange>(std::string_view)>;

// Each byte that is not UTF-8 counts as a character of code −1.
template <typename Visit>
void each_character(std::string_view text, const Visit& visit) {
    for (std::size_t at = 0; at < text.size();) {
        const DecodedCharacter found = decode_utf8(text, at);
        const std::size_t length = std::max<std::size_t>(found.length, 1);
        visit(found.length == 0 ? -1 : static_cast<UChar32>(found.code), text.substr(at, length), at);
        at += length;
    }
}

// Tables of Unicode 8 and 9 in the library.
bool is_older(UChar32 code, int version) {
    UVersionInfo age;
    u_charAge(code, age);
    return age[0] <= version;
}

bool is_punctuation_character(UChar32 code) {
    constexpr UChar32 later_symbol = 0x166D;
    constexpr UChar32 later_mark = 0x111C9;
    if (code < 0) return false;
    if (code < 0x80)
        return u_ispunct(code) || std::string_view("$+<=>^`|~").find(static_cast<char>(code)) != std::string_view::npos;
    return code == later_symbol || code == later_mark ||
           ((U_GET_GC_MASK(code) & U_GC_P_MASK) != 0 && is_older(code, 8));
}

bool is_accent_character(UChar32 code) {
    return code == 0x1CF2 || code == 0x1CF3 ||
           (code >= 0 && code != 0x111C9 && (U_GET_GC_MASK(code) & U_GC_M_MASK) != 0 && is_older(code, 9));
}

TextFinder characters_that(bool (*is_one)(UChar32)) {
    return [is_one](std::string_view text) {
        std::vector<TextRange> result;
        each_character(text, [&](UChar32 code, std::string_view bytes, std::size_t at) {
            if (is_one(code)) result.push_back({at, at + bytes.size()});
        });
        return result;
    };
}

bool is_number_character(UChar32 code) {
    return code >= 0 &&
           ((U_GET_GC_MASK(code) & U_GC_N_MASK) != 0 || is_new_character(static_cast<char32_t>(code), "N"));
}

bool is_space_character(UChar32 code) {
    return code >= 0 && u_isUWhiteSpace(code);
}

TextFinder occurrences_of(std::string wanted) {
    return [wanted = std::move(wanted)](std::string_view text) {
        std::vector<TextRange> result;
        for (std::size_t at = text.find(wanted); at != std::string_view::npos && !wanted.empty();
             at = text.find(wanted, at + wanted.size()))
            result.push_back({at, at + wanted.size()});
        return result;
    };
}

TextFinder matches_of(const std::string& pattern, Expression::Dialect dialect, const std::string& name) {
    return
        [expression = Expression(pattern, dialect, name)](std::string_view text) { return expression.matches(text); };
}

TextFinder pieces_of(std::vector<std::string_view> (*split)(std::string_view)) {
    return [split](std::string_view text) {
        std::vector<TextRange> result;
        std::size_t at = 0;
        for (const std::string_view piece : split(text)) {
            result.push_back({at, at + piece.size()});
            at += piece.size();
        }
        return result;
    };
}

TextFinder finder_of(const json& pattern, Expression::Dialect dialect, const std::string& name) {
    if (pattern.contains("String")) return occurrences_of(pattern.at("String").get<std::string>());
    const auto expression = pattern.at("Regex").get<std::string>();
    // The same matches in less time.
    if (expression == gpt4_expression(3)) return pieces_of([](std::string_view text) { return gpt4_pieces(text, 3); });
    if (expression == gpt4_expression(1)) return pieces_of([](std::string_view text) { return gpt4_pieces(text, 1); });
    return matches_of(expression, dialect, name);
}

struct TextPart {
    TextRange range;
    bool is_match;
};

std::vector<TextPart> text_parts(std::string_view text, const std::vector<TextRange>& matches, bool is_inverse) {
    std::vector<TextPart> result;
    std::size_t end = 0;
    for (const TextRange& match : matches) {
        if (match.begin > end) result.push_back({{end, match.begin}, is_inverse});
        result.push_back({match, !is_inverse});
        end = match.end;
    }
    if (end < text.size()) result.push_back({{end, text.size()}, is_inverse});
    return result;
}

// Joins parts whose matches the behavior does not separate.
std::vector<TextPart> joined_parts(const std::vector<TextPart>& parts, const std::string& behavior) {
    std::vector<TextPart> result;
    const bool is_backward = behavior == "MergedWithNext";
    bool was_match = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const TextPart& part = parts[is_backward ? parts.size() - 1 - i : i];
        const bool joins = behavior == "Contiguous" ? part.is_match == was_match : part.is_match && !was_match;
        if (joins && !result.empty()) {
            TextRange& last = result.back().range;
            (is_backward ? last.begin : last.end) = is_backward ? part.range.begin : part.range.end;
        } else {
            result.push_back(part);
        }
        was_match = part.is_match;
    }
    if (is_backward) std::ranges::reverse(result);
    return result;
}

std::vector<TextPiece> split_at(const TextPiece& piece, const TextFinder& find, const std::string& behavior,
                                bool is_inverse = false) {
    std::vector<TextPart> parts = text_parts(piece.text, find(piece.text), is_inverse);
    if (behavior == "Removed") {
        std::erase_if(parts, [](const TextPart& part) { return part.is_match; });
    } else if (behavior != "Isolated") {
        parts = joined_parts(parts, behavior);
    }
    std::vector<TextPiece> result;
    for (const TextPart& part : parts) {
        if (part.range.begin == part.range.end) continue;
        result.push_back({piece.text.substr(part.range.begin, part.range.end - part.range.begin),
                          piece.begins && part.range.begin == 0});
    }
    return result;
}

std::string with_replacements(std::string_view text, const std::vector<TextRange>& ranges, const std::string& with) {
    std::string result;
    std::size_t end = 0;
    for (const TextRange& range : ranges) {
        result.append(text.substr(end, range.begin - end)).append(with);
        end = range.end;
    }
    return result.append(text.substr(end));
}

// Bytes that are not UTF-8 stay.
std::string in_form(std::string_view text, const icu::Normalizer2& form) {
    std::string result;
    while (!text.empty()) {
        const std::string_view valid = text.substr(0, first_invalid_utf8(text).value_or(text.size()));
        UErrorCode error = U_ZERO_ERROR;
        form.normalize(icu::UnicodeString::fromUTF8({valid.data(), static_cast<std::int32_t>(valid.size())}), error)
            .toUTF8String(result);
        text.remove_prefix(valid.size());
        if (text.empty()) break;
        result += text.front();
        text.remove_prefix(1);
    }
    return result;
}

std::function<std::string(std::string_view)> normal_form(const std::string& type) {
    UErrorCode error = U_ZERO_ERROR;
    const bool is_compatible = type.starts_with("NFK");
    const icu::Normalizer2* form = icu::Normalizer2::getInstance(
        nullptr, is_compatible ? "nfkc" : "nfc", type.ends_with("D") ? UNORM2_DECOMPOSE : UNORM2_COMPOSE, error);
    if (U_FAILURE(error)) throw std::runtime_error("ICU has no normalization forms.");
    static const icu::UnicodeSet known = [] {
        UErrorCode failed = U_ZERO_ERROR;
        return icu::UnicodeSet(u"[:age=9.0:]", failed);
    }();
    const auto filtered = std::make_shared<icu::FilteredNormalizer2>(*form, known);
    return [filtered](std::string_view text) { return in_form(text, *filtered); };
}

// Also of capitals that ICU does not know before version 76.
UChar32 small_letter_of_new(UChar32 code) {
    constexpr UChar32 garay = 0x10D50;
    constexpr UChar32 garay_end = 0x10D66;
    switch (code) {
        case 0x1C89:
        case 0xA7CC:
        case 0xA7DA:
            return code + 1;
        case 0xA7CB:
            return 0x264;
        case 0xA7DC:
            return 0x19B;
        default:
            return code >= garay && code < garay_end ? code + 0x20 : code;
    }
}

std::string small_letters(std::string_view text) {
    std::string result;
    each_character(text, [&](UChar32 code, std::string_view bytes, std::size_t) {
        if (code < 0) {
            result += bytes;
        } else {
            icu::UnicodeString(small_letter_of_new(code)).toLower(icu::Locale::getRoot()).toUTF8String(result);
        }
    });
    return result;
}

std::string without_ranges(std::string_view text, const TextFinder& find) {
    return with_replacements(text, find(text), "");
}

std::string without_outer_spaces(std::string_view text, bool left, bool right) {
    std::size_t begin = text.size();
    std::size_t end = 0;
    each_character(text, [&](UChar32 code, std::string_view bytes, std::size_t at) {
        if (is_space_character(code)) return;
        begin = std::min(begin, at);
        end = at + bytes.size();
    });
    if (!left) begin = 0;
    if (!right) end = text.size();
    return begin < end ? std::string(text.substr(begin, end - begin)) : "";
}

}  // namespace

TextSteps::TextSteps(const json& normalizer, const json& pre_tokenizer, const std::string& name) {
    if (!normalizer.is_null()) add_normalizer(normalizer, name);
    if (!pre_tokenizer.is_null()) add_split(pre_tokenizer, name);
}

void TextSteps::add_normalizer(const json& part, const std::string& name) {
    const auto type = part.at("type").get<std::string>();
    if (type == "Sequence") {
        for (const json& each : part.at("normalizers")) add_normalizer(each, name);
    } else if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
        normalizers_.push_back(normal_form(type));
    } else if (type == "Lowercase") {
        normalizers_.emplace_back(small_letters);
    } else if (type == "StripAccents") {
        normalizers_.emplace_back(
            [](std::string_view text) { return without_ranges(text, characters_that(is_accent_character)); });
    } else if (type == "Strip") {
        normalizers_.emplace_back([left = part.value("strip_left", true), right = part.value("strip_right", true)](
                                      std::string_view text) { return without_outer_spaces(text, left, right); });
    } else if (type == "Prepend") {
        normalizers_.emplace_back([before = part.at("prepend").get<std::string>()](std::string_view text) {
            return text.empty() ? "" : before + std::string(text);
        });
    } else if (type == "Replace") {
        normalizers_.emplace_back([find = finder_of(part.at("pattern"), Expression::Dialect::oniguruma, name),
                                   with = part.at("content").get<std::string>()](std::string_view text) {
            return with_replacements(text, find(text), with);
        });
    } else {
        throw BadInput(name + " has a normalizer of the kind \"" + shortened(type) + "\", which is not supported.");
    }
}

void TextSteps::add_split(const json& part, const std::string& name) {
    const auto type = part.at("type").get<std::string>();
    if (has_byte_level_)
        throw BadInput(name + " has a pre-tokenizer of the kind \"" + shortened(type) +
                       "\" after ByteLevel, which is not supported; ByteLevel must be the last one.");
    const auto add = [&](TextFinder find, const std::string& behavior, bool is_inverse = false) {
        splits_.emplace_back([find = std::move(find), behavior, is_inverse](const TextPiece& piece) {
            return split_at(piece, find, behavior, is_inverse);
        });
    };
    const auto add_prefix = [&](std::string prefix, bool only_at_begin) {
        splits_.emplace_back([prefix = std::move(prefix), only_at_begin](const TextPiece& piece) {
            const bool has_prefix = piece.text.starts_with(prefix) || (only_at_begin && !piece.begins);
            return std::vector<TextPiece>{{has_prefix ? piece.text : prefix + piece.text, piece.begins}};
        });
    };
    if (type == "Sequence") {
        for (const json& each : part.at("pretokenizers")) add_split(each, name);
    } else if (type == "ByteLevel") {
        if (part.value("add_prefix_space", true)) add_prefix(" ", false);
        if (part.value("use_regex", true)) add(pieces_of(gpt2_pieces), "Isolated");
        has_byte_level_ = true;
    } else if (type == "Split") {
        const auto behavior = part.at("behavior").get<std::string>();
        const bool is_inverse = part.value("invert", false);
        const json dialect = part.value("dialect", json());  // own key: of a file of tiktoken
        add(finder_of(part.at("pattern"),
                      dialect == "rust" ? Expression::Dialect::rust : Expression::Dialect::oniguruma, name),
            behavior, is_inverse);
    } else if (type == "Digits") {
        add(characters_that(is_number_character), part.value("individual_digits", false) ? "Isolated" : "Contiguous");
    } else if (type == "Punctuation") {
        add(characters_that(is_punctuation_character), part.value("behavior", "Isolated"));
    } else if (type == "WhitespaceSplit") {
        add(characters_that(is_space_character), "Removed");
    } else if (type == "Whitespace") {
        add(matches_of(R"(\w+|[^\w\s]+)", Expression::Dialect::rust, name), "Removed", true);
    } else if (type == "Metaspace") {
        const auto mark = part.value("replacement", std::string("\u2581"));
        const auto scheme = part.value("prepend_scheme", part.value("add_prefix_space", true) ? "always" : "never");
        splits_.emplace_back([mark, find = occurrences_of(" ")](const TextPiece& piece) {
            return std::vector<TextPiece>{{with_replacements(piece.text, find(piece.text), mark), piece.begins}};
        });
        if (scheme != "never") add_prefix(mark, scheme == "first");
        if (part.value("split", true)) add(occurrences_of(mark), "MergedWithNext");
    } else {
        throw BadInput(name + " has a pre-tokenizer of the kind \"" + shortened(type) + "\", which is not supported.");
    }
}

std::string TextSteps::normalized(std::string_view text) const {
    std::string result(text);
    for (const auto& normalize : normalizers_) result = normalize(result);
    return result;
}

std::vector<std::string> TextSteps::pieces(std::string_view text, bool begins) const {
    std::vector<TextPiece> pieces;
    if (!text.empty()) pieces.push_back({std::string(text), begins});
    for (const Split& split : splits_) {
        std::vector<TextPiece> next;
        for (const TextPiece& piece : pieces) {
            for (TextPiece& part : split(piece)) next.push_back(std::move(part));
        }
        pieces = std::move(next);
    }
    std::vector<std::string> result;
    for (TextPiece& piece : pieces) result.push_back(std::move(piece.text));
    return result;
}

}  // namespace ropelab
