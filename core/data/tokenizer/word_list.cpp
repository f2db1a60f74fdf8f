#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/expression.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

enum class CharacterClass : std::uint8_t { letter, mark, number, space, other };

struct ClassedCharacter {
    CharacterClass kind = CharacterClass::other;
    std::size_t length = 0;
};

CharacterClass class_of(char32_t code) {
    const auto c = static_cast<UChar32>(code);
    if (u_charType(c) == U_UNASSIGNED) {
        if (is_new_character(code, "N")) return CharacterClass::number;
        return is_new_character(code, "L") ? CharacterClass::letter : CharacterClass::other;
    }
    if (u_isUWhiteSpace(c)) return CharacterClass::space;
    const auto mask = U_GET_GC_MASK(c);
    if ((mask & U_GC_L_MASK) != 0) return CharacterClass::letter;
    if ((mask & U_GC_N_MASK) != 0) return CharacterClass::number;
    return (mask & U_GC_M_MASK) != 0 ? CharacterClass::mark : CharacterClass::other;
}

ClassedCharacter classed(std::string_view text, std::size_t offset) {
    static const auto ascii = [] {
        std::array<CharacterClass, 128> table{};
        for (std::size_t code = 0; code < table.size(); ++code) table[code] = class_of(static_cast<char32_t>(code));
        return table;
    }();
    const auto byte = static_cast<unsigned char>(text[offset]);
    if (byte < ascii.size()) return {ascii[byte], 1};
    const DecodedCharacter character = decode_utf8(text, offset);
    if (character.length == 0) return {CharacterClass::other, 1};
    return {class_of(character.code), character.length};
}

// GPT-2's expression has no group for marks.
CharacterClass gpt2_group(CharacterClass kind) {
    return kind == CharacterClass::mark ? CharacterClass::other : kind;
}

std::size_t end_of_run(std::string_view text, std::size_t offset, CharacterClass group) {
    while (offset < text.size()) {
        const ClassedCharacter next = classed(text, offset);
        if (gpt2_group(next.kind) != group) break;
        offset += next.length;
    }
    return offset;
}

// English contraction; 0 if there is none.
std::size_t contraction_at(std::string_view text, std::size_t offset) {
    static constexpr std::array<std::string_view, 7> contractions = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    const auto found = std::find_if(contractions.begin(), contractions.end(),
                                    [&](std::string_view each) { return text.substr(offset).starts_with(each); });
    return found == contractions.end() ? 0 : found->size();
}

// Before another character, the last of several spaces is left to it, because \s+(?!\S) precedes \s+.
std::size_t end_of_spaces(std::string_view text, std::size_t offset) {
    std::size_t last = offset;
    std::size_t end = offset;
    while (end < text.size()) {
        const ClassedCharacter next = classed(text, end);
        if (next.kind != CharacterClass::space) break;
        last = end;
        end += next.length;
    }
    return end < text.size() && last > offset ? last : end;
}

}  // namespace

std::vector<std::string_view> gpt2_pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = begin + contraction_at(text, begin);
        if (end == begin) {
            const std::size_t run = text[begin] == ' ' && begin + 1 < text.size() ? begin + 1 : begin;
            const CharacterClass group = gpt2_group(classed(text, run).kind);
            end = group == CharacterClass::space ? end_of_spaces(text, begin) : end_of_run(text, run, group);
        }
        pieces.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return pieces;
}

std::vector<std::string_view> single_digit_pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = begin;
        ClassedCharacter next;
        while (end < text.size() && (next = classed(text, end)).kind != CharacterClass::number) end += next.length;
        std::ranges::copy(gpt2_pieces(text.substr(begin, end - begin)), std::back_inserter(pieces));
        if (end < text.size()) pieces.push_back(text.substr(end, next.length));
        begin = std::min(end + next.length, text.size());
    }
    return pieces;
}

std::string gpt2_expression() {
    return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
}

std::string o200k_expression() {
    const std::string begin = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])";
    const std::string end = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)";
    return begin + R"(*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)" + end + begin + R"(+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)" + end +
           R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
}

std::string gpt4_expression(int most_digits) {
    const std::string digits = most_digits > 1 ? "{1," + std::to_string(most_digits) + "}" : "";
    return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})" + digits +
           R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
}

namespace {

// In any case; a long s, which is a small s in another form, is one too.
std::size_t contraction_in_any_case(std::string_view text, std::size_t offset) {
    constexpr std::string_view long_s = "'\u017F";
    if (text.substr(offset).starts_with(long_s)) return long_s.size();
    std::string small(text.substr(offset, 3));
    std::ranges::transform(small, small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
    return contraction_at(small, 0);
}

bool ends_line(char c) {
    return c == '\r' || c == '\n';
}

// The end of the alternative that matches first.
std::size_t end_of_gpt4_piece(std::string_view text, std::size_t begin, int most_digits) {
    if (const std::size_t length = contraction_in_any_case(text, begin); length > 0) return begin + length;
    const ClassedCharacter first = classed(text, begin);
    const CharacterClass group = gpt2_group(first.kind);
    if (group == CharacterClass::letter) return end_of_run(text, begin, group);
    const std::size_t next = begin + first.length;
    const bool joins = group != CharacterClass::number && !ends_line(text[begin]);
    if (joins && next < text.size() && classed(text, next).kind == CharacterClass::letter)
        return end_of_run(text, next, CharacterClass::letter);
    if (group == CharacterClass::number) {
        std::size_t end = next;
        for (int digits = 1; digits < most_digits && end < text.size(); ++digits) {
            const ClassedCharacter digit = classed(text, end);
            if (digit.kind != CharacterClass::number) break;
            end += digit.length;
        }
        return end;
    }
    const std::size_t others = text[begin] == ' ' ? begin + 1 : begin;
    std::size_t end = end_of_run(text, others, CharacterClass::other);
    if (end > others) {
        while (end < text.size() && ends_line(text[end])) ++end;
        return end;
    }
    const std::size_t spaces = end_of_run(text, begin, CharacterClass::space);
    const std::size_t line = text.substr(begin, spaces - begin).find_last_of("\r\n");
    return line == std::string_view::npos ? end_of_spaces(text, begin) : begin + line + 1;
}

}  // namespace

std::vector<std::string_view> gpt4_pieces(std::string_view text, int most_digits) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = end_of_gpt4_piece(text, begin, most_digits);
        pieces.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return pieces;
}

std::vector<std::string_view> word_pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = begin;
        while (end < text.size()) {
            const ClassedCharacter next = classed(text, end);
            if (next.kind == CharacterClass::space || next.kind == CharacterClass::other) break;
            end += next.length;
        }
        if (end == begin) end += classed(text, begin).length;
        pieces.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return pieces;
}

namespace {

constexpr std::size_t byte_values = 256;

// The 256 bytes, then words in descending order of frequency; other words are spelled in bytes.
class WordList final : public Subwords {
 public:
    explicit WordList(const std::vector<std::string>& words) {
        for (std::size_t byte = 0; byte < byte_values; ++byte) tokens_.emplace_back(1, static_cast<char>(byte));
        tokens_.insert(tokens_.end(), words.begin(), words.end());
        for (std::size_t token = byte_values; token < tokens_.size(); ++token) {
            ids_.emplace(tokens_[token], static_cast<std::int32_t>(token));
        }
    }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> result;
        for (const std::string_view piece : word_pieces(text)) {
            if (const auto known = ids_.find(piece); known != ids_.end()) {
                result.push_back(known->second);
            } else {
                for (const char byte : piece) result.push_back(static_cast<unsigned char>(byte));
            }
        }
        return result;
    }

    std::string to_text() const override {
        return std::string(words_prefix) +
               nlohmann::json(std::vector<std::string>(tokens_.begin() + byte_values, tokens_.end())).dump();
    }

 private:
    std::unordered_map<std::string_view, std::int32_t> ids_;  // of the words; the keys view tokens_
};

}  // namespace

std::shared_ptr<const Subwords> train_words(std::int64_t size, std::string_view training) {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (const std::string_view piece : word_pieces(training)) {
        if (piece.size() > 1) ++counts[piece];  // each byte already is a token
    }
    std::vector<std::pair<std::string_view, std::int64_t>> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    const auto most = static_cast<std::size_t>(size) - byte_values;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) words.emplace_back(sorted[i].first);
    return std::make_shared<WordList>(words);
}

std::shared_ptr<const Subwords> words_from_text(std::string_view text) {
    const auto json = parse_bounded(text.substr(words_prefix.size()), nullptr, false);
    const bool valid = json.is_array() && std::all_of(json.begin(), json.end(), [](const auto& word) {
                           return word.is_string() && word.template get_ref<const std::string&>().size() > 1;
                       });
    if (!valid) throw BadInput("The stored vocabulary of words is not a JSON list of words, as it must be.");
    return std::make_shared<WordList>(json.get<std::vector<std::string>>());
}

}  // namespace ropelab
