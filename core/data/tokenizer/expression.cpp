#include "core/data/tokenizer/expression.h"

#include <unicode/regex.h>
#include <unicode/uniset.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "core/base/error.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

struct NewCharacters {
    std::string_view category;
    const char* ranges;
};
constexpr std::array<NewCharacters, 8> new_characters = {
    {{"Lu", R"(\x{1C89}\x{A7CB}-\x{A7CC}\x{A7DA}\x{A7DC}\x{10D50}-\x{10D65})"},
     {"Ll", R"(\x{1C8A}\x{A7CD}\x{A7DB}\x{10D70}-\x{10D85})"},
     {"Lm", R"(\x{10D4E}\x{10D6F}\x{16D40}-\x{16D42}\x{16D6B}-\x{16D6C})"},
     {"Lo", R"(\x{105C0}-\x{105F3}\x{10D4A}-\x{10D4D}\x{10D4F}\x{10EC2}-\x{10EC4}\x{11380}-\x{11389}\x{1138B}\x{1138E})"
            R"(\x{11390}-\x{113B5}\x{113B7}\x{113D1}\x{113D3}\x{11BC0}-\x{11BE0}\x{13460}-\x{143FA}\x{16100}-\x{1611D})"
            R"(\x{16D43}-\x{16D6A}\x{18CFF}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2EBF0}-\x{2EE5D})"},
     {"M",
      R"(\x{897}\x{10D69}-\x{10D6D}\x{10EFC}\x{113B8}-\x{113C0}\x{113C2}\x{113C5}\x{113C7}-\x{113CA}\x{113CC}-\x{113D0})"
      R"(\x{113D2}\x{113E1}-\x{113E2}\x{11F5A}\x{1611E}-\x{1612F}\x{1E5EE}-\x{1E5EF})"},
     {"Nd", R"(\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{16130}-\x{16139}\x{16D70}-\x{16D79})"
            R"(\x{1CCF0}-\x{1CCF9}\x{1E5F1}-\x{1E5FA})"},
     {"P",
      R"(\x{1B4E}-\x{1B4F}\x{1B7F}\x{10D6E}\x{113D4}-\x{113D5}\x{113D7}-\x{113D8}\x{11BE1}\x{16D6D}-\x{16D6F}\x{1E5FF})"},
     {"S", R"(\x{2427}-\x{2429}\x{2FFC}-\x{2FFF}\x{31E4}-\x{31E5}\x{31EF}\x{10D8E}-\x{10D8F}\x{1CC00}-\x{1CCEF})"
           R"(\x{1CD00}-\x{1CEB3}\x{1F8B2}-\x{1F8BB}\x{1F8C0}-\x{1F8C1}\x{1FA89}\x{1FA8F}\x{1FABE}\x{1FAC6}\x{1FADC})"
           R"(\x{1FADF}\x{1FAE9}\x{1FBCB}-\x{1FBEF})"}}};

std::string new_ranges(std::string_view category) {
    std::string result;
    for (const NewCharacters& each : new_characters) {
        if (each.category.starts_with(category) || category.starts_with(each.category)) result += each.ranges;
    }
    return result;
}

// \p{…}, or \w, \d, \s, as a set of ICU.
std::string set_of(const std::string& property, bool is_negated) {
    return std::string(is_negated ? "[^" : "[") + "\\p{" + property + "}" +
           (property.size() <= 2 ? new_ranges(property) : "") + "]";
}

// Rewrites an expression for ICU, character by character.
class Rewriter {
 public:
    Rewriter(const std::string& pattern, Expression::Dialect dialect) : from_(pattern), dialect_(dialect) {}

    /// Throws std::out_of_range for an expression that ends too early, BadInput for an unknown escape.
    std::string rewritten() {
        int sets = 0;  // that are open
        while (at_ < from_.size()) {
            const char c = from_[at_];
            if (c == '\\') {
                begin_atom(sets);
                to_ += escape();
            } else if (sets > 0) {
                sets += c == '[' ? 1 : c == ']' ? -1 : 0;
                to_ += c;
                ++at_;
                if (c == '[' && from_.at(at_) == '^') to_ += from_[at_++];
                if (c == '[' && from_.at(at_) == ']')
                    to_ += "\\" + std::string(1, from_[at_++]);  // a first ] is itself
            } else if (c == '{') {
                interval();
            } else {
                if (c != ')' && c != '+' && c != '*' && c != '?') begin_atom(0);
                if (c == '[') ++sets;
                if (c == '(') groups_.push_back(to_.size());
                if (c == ')' && !groups_.empty()) {
                    atom_ = groups_.back();
                    groups_.pop_back();
                }
                const bool is_rust = dialect_ == Expression::Dialect::rust;
                to_ += is_rust && c == '$' ? "\\z" : is_rust && c == '^' ? "\\A" : std::string(1, c);
                ++at_;
                if (c == '[' && from_.at(at_) == '^') to_ += from_[at_++];
                if (c == '[' && from_.at(at_) == ']') to_ += "\\" + std::string(1, from_[at_++]);
            }
        }
        return to_;
    }

 private:
    void begin_atom(int sets) {
        if (sets == 0) atom_ = to_.size();
    }

    void interval() {
        const std::size_t end = from_.find('}', at_);
        std::string text = from_.substr(at_, end == std::string::npos ? end : end + 1 - at_);
        at_ += text.size();
        if (text.starts_with("{,")) text.insert(1, "0");
        to_ += text;
        if (dialect_ != Expression::Dialect::oniguruma || at_ >= from_.size() || from_[at_] != '+') return;
        to_ = to_.substr(0, atom_) + "(?:" + to_.substr(atom_) + ")";
    }

    std::string escape() {
        const char c = from_.at(at_ + 1);
        at_ += 2;
        const bool is_capital = std::isupper(static_cast<unsigned char>(c)) != 0;
        switch (std::tolower(static_cast<unsigned char>(c))) {
            case 'p': {
                if (from_.at(at_) != '{') return set_of(std::string(1, from_[at_++]), is_capital);
                const std::size_t end = from_.find('}', at_);
                const bool is_inverse = from_.at(at_ + 1) == '^';
                const std::size_t begin = at_ + 1 + (is_inverse ? 1 : 0);
                if (end == std::string::npos) throw std::out_of_range("a property without an end");
                at_ = end + 1;
                return set_of(from_.substr(begin, end - begin), is_capital != is_inverse);
            }
            case 's':
                return set_of("White_Space", is_capital);
            case 'd':
                return set_of("Nd", is_capital);
            case 'w': {  // Oniguruma counts these superscripts and fractions of Latin-1, but no other ones
                const std::string others =
                    dialect_ == Expression::Dialect::rust ? "\\u200C\\u200D" : "\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE";
                return std::string(is_capital ? "[^" : "[") + "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}" + others +
                       new_ranges("L") + new_ranges("M") + new_ranges("Nd") + "]";
            }
            default:
                break;
        }
        if (c == 'v') return "\\x0B";
        constexpr std::string_view same = "rntfaexubBAzZG";
        if (std::isalpha(static_cast<unsigned char>(c)) && same.find(c) == std::string_view::npos)
            throw BadInput("it has \\" + std::string(1, c));
        return from_.substr(at_ - 2, 2);
    }

    const std::string& from_;
    Expression::Dialect dialect_;
    std::size_t at_ = 0;
    std::string to_;
    std::size_t atom_ = 0;  // begin of the last one in to_
    std::vector<std::size_t> groups_;
};

}  // namespace

bool is_new_character(char32_t code, std::string_view category) {
    static const auto sets = [] {
        std::map<std::string_view, icu::UnicodeSet> result;
        for (const char* each : {"L", "N"}) {
            UErrorCode error = U_ZERO_ERROR;
            result.emplace(each, icu::UnicodeSet(icu::UnicodeString::fromUTF8("[" + new_ranges(each) + "]"), error));
            result.at(each).freeze();
        }
        return result;
    }();
    return sets.at(category).contains(static_cast<UChar32>(code)) != 0;
}

Expression::Expression(const std::string& pattern, Dialect dialect, const std::string& name) : name_(name) {
    const std::string begin = name + " has a regular expression that is not supported (";
    try {
        const std::string text = Rewriter(pattern, dialect).rewritten();
        UErrorCode error = U_ZERO_ERROR;
        UParseError place{};
        const std::uint32_t flags =
            dialect == Dialect::oniguruma ? UREGEX_MULTILINE | UREGEX_UNIX_LINES : UREGEX_UNIX_LINES;
        std::shared_ptr<const icu::RegexPattern> compiled(
            icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(text), flags, place, error));
        if (U_FAILURE(error)) throw BadInput(u_errorName(error));
        pattern_ = std::move(compiled);
    } catch (const std::out_of_range&) {
        throw BadInput(begin + "it ends too early): " + shortened(pattern, 100));
    } catch (const BadInput& why) {
        throw BadInput(begin + why.what() + "): " + shortened(pattern, 100));
    }
}

std::vector<TextRange> Expression::matches(std::string_view text) const {
    icu::UnicodeString units;
    for (std::size_t at = 0; at < text.size();) {
        const DecodedCharacter character = decode_utf8(text, at);
        units.append(character.length == 0 ? UChar32{0xFFFD} : static_cast<UChar32>(character.code));
        at += std::max<std::size_t>(character.length, 1);
    }
    UErrorCode error = U_ZERO_ERROR;
    const std::unique_ptr<icu::RegexMatcher> matcher(
        static_cast<const icu::RegexPattern*>(pattern_.get())->matcher(units, error));
    // Of 10,000 places to which the search can return each; texts of real tokenizers need a small part of it.
    const std::int32_t most_steps = 2'000 + units.length() / 50;
    if (matcher) matcher->setTimeLimit(most_steps, error);

    std::vector<TextRange> result;
    TextRange at;  // of the text, and the same place in `units`
    std::int32_t unit = 0;
    const auto byte_of = [&](std::int32_t wanted) {
        while (unit < wanted) {
            const DecodedCharacter character = decode_utf8(text, at.begin);
            at.begin += std::max<std::size_t>(character.length, 1);
            unit += character.code > 0xFFFF ? 2 : 1;
        }
        return at.begin;
    };
    while (matcher && matcher->find(error)) {
        const std::size_t begin = byte_of(matcher->start(error));
        const std::size_t end = byte_of(matcher->end(error));
        if (begin == end && !result.empty() && result.back().end == begin) continue;
        result.push_back({begin, end});
    }
    if (U_FAILURE(error))
        throw BadInput("The regular expression of " + name_ + " cannot be computed for this text (" +
                       u_errorName(error) + ").");
    return result;
}

}  // namespace ropelab
