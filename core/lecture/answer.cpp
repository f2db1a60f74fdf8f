#include "core/lecture/answer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/utf8.h"
#include "core/lecture/lecture.h"
#include "core/lecture/quantities/quantity.h"

namespace ropelab {

namespace {

constexpr int curve_positions = 400;  // positions on the x axis at which two curves are compared

// Equal distances are equal lengths.
double on_axis(double value, bool logarithmic) {
    return logarithmic ? std::log10(value) : value;
}

// On the y axis at a place on the x axis; nullopt where the curve has none.
std::optional<double> height_at(const AnswerCurve& curve, double place, const AnswerAxes& axes) {
    const auto x = [&](std::size_t i) { return on_axis(curve.x[i], axes.x_logarithmic); };
    const std::size_t count = std::min(curve.x.size(), curve.y.size());
    std::size_t low = 0;
    std::size_t after = count;
    while (low < after) {  // the first point beyond the place
        const std::size_t middle = low + (after - low) / 2;
        if (x(middle) <= place) {
            low = middle + 1;
        } else {
            after = middle;
        }
    }
    if (low == 0) return std::nullopt;
    const double first = on_axis(curve.y[low - 1], axes.y_logarithmic);
    if (x(low - 1) == place) return std::isfinite(first) ? std::optional(first) : std::nullopt;
    if (low == count) return std::nullopt;
    const double second = on_axis(curve.y[low], axes.y_logarithmic);
    if (!std::isfinite(first) || !std::isfinite(second)) return std::nullopt;
    return first + (second - first) * (place - x(low - 1)) / (x(low) - x(low - 1));
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

// Its message says more than that the text is not a number.
struct AmbiguousComma : BadInput {
    using BadInput::BadInput;
};

constexpr char pi_sign = '\x01';  // stands for "pi" and "π" while an answer is parsed

// Typographic signs of the program's own numbers, and pi as a word of its own.
std::string with_plain_signs(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, char>, 7> signs = {{{"\xE2\x88\x92", '-'},
                                                                                {"\xCF\x80", pi_sign},
                                                                                {"\xC2\xB7", '*'},
                                                                                {"\xC3\x97", '*'},
                                                                                {"\xC2\xA0", ' '},
                                                                                {"\xE2\x80\x89", ' '},
                                                                                {"\xE2\x80\xAF", ' '}}};
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const auto sign = std::find_if(signs.begin(), signs.end(),
                                       [&](const auto& each) { return text.substr(i).starts_with(each.first); });
        const bool word = lower(text.substr(i, 2)) == "pi" && (i == 0 || !is_letter(text[i - 1])) &&
                          (i + 2 == text.size() || !is_letter(text[i + 2]));
        result += sign != signs.end() ? sign->second : word ? pi_sign : text[i];
        i += sign != signs.end() ? sign->first.size() : word ? 2 : 1;
    }
    return result;
}

// Without grouping. Throws BadInput if its comma can be either.
std::string with_decimal_point(std::string number) {
    const auto commas = std::count(number.begin(), number.end(), ',');
    if (commas == 0) return number;
    const std::size_t first = number.find(',');
    const std::size_t point = number.find('.');
    const std::size_t begin = number.starts_with('-') ? 1 : 0;
    const std::size_t whole_end = std::min(number.find_first_not_of("0123456789,", begin), number.size());
    bool grouped = first - begin >= 1 && first - begin <= 3 && number[begin] != '0';
    for (std::size_t comma = first; grouped && comma < whole_end; comma += 4) {
        grouped = number[comma] == ',' && comma + 4 <= whole_end &&
                  std::all_of(number.begin() + static_cast<std::ptrdiff_t>(comma) + 1,
                              number.begin() + static_cast<std::ptrdiff_t>(comma) + 4, is_digit);
    }
    std::string joined = number;
    std::erase(joined, ',');
    std::string decimal = number;
    if (commas == 1) decimal[first] = '.';
    if (grouped && commas == 1 && point == std::string::npos) {
        throw AmbiguousComma("\"" + number + "\" can be " + joined + " or " + decimal + "; type one of these two.");
    }
    if (grouped) return joined;
    return commas == 1 && point == std::string::npos ? decimal : number;
}

// "6 283" is 6283; other spaces stay.
std::string without_grouping_spaces(std::string_view number) {
    const std::size_t whole = std::min(number.find_first_of(".,"), number.size());
    const std::size_t first = number.find(' ');
    bool grouped = first >= 1 && first <= 3 && first < whole;
    for (std::size_t i = 0; grouped && i < whole; ++i) {
        const bool gap = i >= first && (i - first) % 4 == 0;
        grouped = gap ? number[i] == ' ' && i + 4 <= whole : is_digit(number[i]);
    }
    std::string result(number);
    if (grouped && (whole - first) % 4 == 0) std::erase(result, ' ');
    return result;
}

// A product or quotient of numbers and pi, such as "2*pi" or "-100/256".
double value_of(std::string_view text) {
    double value = 1;
    for (bool divide = false;;) {
        const std::size_t end = std::min(text.find_first_of("*/"), text.size());
        std::string_view factor = trimmed(text.substr(0, end));
        double next = factor.starts_with('-') ? -1 : 1;
        if (factor.starts_with('-') || factor.starts_with('+')) factor = trimmed(factor.substr(1));
        if (factor.ends_with(pi_sign)) {
            next *= std::numbers::pi;
            factor = trimmed(factor.substr(0, factor.size() - 1));
            if (factor.empty()) factor = "1";
        }
        if (factor.starts_with('-')) throw BadInput("A number has two signs.");
        next *= parse_number(with_decimal_point(without_grouping_spaces(factor)));
        value = divide ? value / next : value * next;
        if (end == text.size()) break;
        divide = text[end] == '/';
        text.remove_prefix(end + 1);
    }
    if (!std::isfinite(value)) throw BadInput("The number is not finite; type a finite number.");
    return value;
}

struct WrittenNumber {
    std::string_view text;
    double value = 0;
    int decimals = 0;
};

// Numbers that stand for themselves: not "x2", "\\lambda_0", "2^8" or "GPT-2".
std::vector<WrittenNumber> numbers_in(std::string_view text) {
    std::vector<WrittenNumber> result;
    const auto digit_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        if (!is_digit(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        std::string digits;
        int decimals = 0;
        while (digit_at(i)) {
            digits += text[i++];
            const bool groups = i < text.size() && text[i] == ',' && digit_at(i + 1) && digit_at(i + 2) &&
                                digit_at(i + 3) && !digit_at(i + 4);
            if (groups) ++i;
        }
        if (i < text.size() && text[i] == '.' && digit_at(i + 1)) {
            digits += text[i++];
            for (; digit_at(i); ++decimals) digits += text[i++];
        }
        const bool thousands = i < text.size() && text[i] == 'k' && (i + 1 == text.size() || !is_letter(text[i + 1]));
        if (thousands) {
            digits += text[i++];
            decimals -= 3;
        }
        const char before = begin == 0 ? ' ' : text[begin - 1];
        const bool in_word = is_letter(before) || before == '_' || before == '^' || before == '{' ||
                             (before == '-' && begin >= 2 && is_letter(text[begin - 2])) ||
                             (i < text.size() && is_letter(text[i]));
        if (in_word || digits.size() > 15) continue;
        const bool minus = before == '-' || text.substr(0, begin).ends_with("\xE2\x88\x92");
        const double value = parse_number(digits);
        result.push_back({text.substr(begin, i - begin), minus ? -value : value, decimals});
    }
    return result;
}

std::vector<std::string> clauses_of(std::string_view choice) {
    std::vector<std::string> clauses;
    while (!choice.empty()) {
        const std::size_t end = std::min({choice.find(", "), choice.find("; "), choice.find(". "), choice.size()});
        std::string_view clause = trimmed(choice.substr(0, end));
        if (clause.ends_with('.')) clause.remove_suffix(1);
        if (clause.starts_with("and ")) clause.remove_prefix(4);
        if (!clause.empty()) clauses.emplace_back(clause);
        choice.remove_prefix(std::min(end + 2, choice.size()));
    }
    return clauses;
}

// Not as a part of longer words or numbers.
bool holds(std::string_view text, std::string_view clause) {
    const auto joins = [](char c) { return is_letter(c) || is_digit(c); };
    for (std::size_t i = text.find(clause); i != std::string_view::npos; i = text.find(clause, i + 1)) {
        const bool before = i > 0 && (joins(text[i - 1]) || text[i - 1] == '.' || text[i - 1] == ',');
        const std::size_t end = i + clause.size();
        if (!before && (end == text.size() || !joins(text[end]))) return true;
    }
    return false;
}

// "3.7 degrees", "6283tokens", "10 k tokens".
std::pair<std::string_view, std::string_view> number_and_unit(std::string_view text) {
    const auto is_end = [](char c) { return is_digit(c) || c == pi_sign; };
    std::size_t end = text.size();
    while (end > 0 && !is_end(text[end - 1])) --end;
    if (end == 0) return {text, ""};
    const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
    const bool thousands = next < text.size() && (text[next] == 'k' || text[next] == 'K' || text[next] == 'M') &&
                           (next + 1 == text.size() || !is_letter(text[next + 1]));
    if (thousands) end = next + 1;
    const std::string_view unit = trimmed(text.substr(end));
    const bool is_part = unit.size() == 1 && unit != "s" && is_letter(unit[0]) && is_letter(text[end]);  // "3x"
    if (is_part || unit.find_first_of("*/+-.,^") == 0) return {text, ""};
    return {trimmed(text.substr(0, end)), unit};
}

struct Unit {
    std::string_view name;  // in lower case
    std::string_view is;    // unit of a quantity
    double factor = 1;
};
constexpr double kibi = 1024;
// Beside the units themselves, as in "3 tokens", and "1 token".
constexpr Unit units[] = {
    {"\xC2\xB0", "degrees"},
    {"deg", "degrees"},
    {"rad", "degrees", 180 / std::numbers::pi},
    {"radians", "degrees", 180 / std::numbers::pi},
    {"radian", "degrees", 180 / std::numbers::pi},
    {"rad", "radians per token"},
    {"radians", "radians per token"},
    {"rad/token", "radians per token"},
    {"rad per token", "radians per token"},
    {"turns", "periods"},
    {"turn", "periods"},
    {"sec", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"tokens per second", "tokens/s"},
    {"b", "bytes"},
    {"kb", "bytes", 1e3},
    {"mb", "bytes", 1e6},
    {"gb", "bytes", 1e9},
    {"tb", "bytes", 1e12},
    {"kib", "bytes", kibi},
    {"mib", "bytes", kibi* kibi},
    {"gib", "bytes", kibi* kibi* kibi},
    {"tib", "bytes", kibi* kibi* kibi* kibi},
};

bool is_word_of(std::string_view word, std::string_view unit) {
    return word == unit || (unit.size() > 2 && unit.ends_with('s') && word == unit.substr(0, unit.size() - 1));
}

// Throws BadInput if the units do not agree. A question without a unit takes that of any quantity.
double unit_factor(std::string_view given, std::string_view asked) {
    const std::string word = lower(given);
    if (word.empty()) return 1;
    const bool has_unit = !asked.empty() && !asked.starts_with("as ");
    const bool is_percent = word == "%" || word == "percent" || word == "per cent";
    if (is_percent && (asked == "%" || !has_unit)) return asked == "%" ? 1 : 0.01;
    if (is_word_of(word, asked)) return 1;
    for (const Unit& unit : units) {
        if (word == unit.name && has_unit && unit.is == asked) return unit.factor;
    }
    const auto& known = quantities();
    const bool is_known =
        std::any_of(std::begin(units), std::end(units), [&](const Unit& unit) { return word == unit.name; }) ||
        std::any_of(known.begin(), known.end(), [&](const auto& each) { return is_word_of(word, each.unit); });
    if (!has_unit && is_known) return 1;
    const std::string wanted = has_unit ? "a number of " + std::string(asked) : std::string("a number without a unit");
    throw BadInput("The answer must be " + wanted + ", but its unit is \"" + shortened(given) +
                   "\"; type the number alone.");
}

}  // namespace

CurveDistance curve_distance(const AnswerCurve& drawn, const AnswerCurve& truth, const AnswerAxes& axes) {
    const double low = on_axis(axes.low, axes.x_logarithmic);
    const double high = on_axis(axes.high, axes.x_logarithmic);
    std::vector<double> heights;  // of the right curve where both have values
    double sum = 0;
    int known = 0;
    for (int i = 0; i < curve_positions; ++i) {
        const double place = low + (high - low) * (i + 0.5) / curve_positions;
        const auto right = height_at(truth, place, axes);
        if (!right) continue;
        ++known;
        const auto given = height_at(drawn, place, axes);
        if (!given) continue;
        heights.push_back(*right);
        sum += std::abs(*given - *right);
    }
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (heights.empty()) return {unknown, unknown, 0};
    const auto count = static_cast<double>(heights.size());
    double mean = 0;
    for (const double height : heights) mean += height / count;
    double null = 0;
    for (const double height : heights) null += std::abs(height - mean) / count;
    return {sum / count, null, count / known};
}

nlohmann::json parse_answer(std::string_view text, std::string_view unit) {
    if (lower(trimmed(text)) == "none") return nullptr;
    const std::string plain = with_plain_signs(trimmed(text));
    const auto [number, given_unit] = number_and_unit(plain);
    const double factor = unit_factor(given_unit, unit);
    try {
        return value_of(number) * factor;
    } catch (const AmbiguousComma&) {
        throw;
    } catch (const BadInput&) {
        throw BadInput("\"" + std::string(trimmed(text)) +
                       "\" is not a number; type a number such as 12, 0.25, 3*pi, 1/3, 40 % or 1e6, or \"none\" if "
                       "there is no such number.");
    }
}

bool is_right_number(const nlohmann::json& given, const nlohmann::json& truth, double tolerance) {
    if (given.is_null() || truth.is_null()) return given.is_null() && truth.is_null();
    return std::abs(given.get<double>() - truth.get<double>()) <= tolerance;
}

std::string misunderstood(const LectureQuestion& question, const std::string& given) {
    constexpr double near = 0.02;
    const nlohmann::json answer = parse_bounded(given, nullptr, false);
    std::string say;
    double least = std::numeric_limits<double>::infinity();
    for (const LectureMistake& mistake : question.wrong) {
        double distance = least;
        if (question.kind == LectureQuestion::Kind::choice) {
            const bool same = answer.is_string() && answer.get<std::string>() ==
                                                        question.choices.at(static_cast<std::size_t>(mistake.answer));
            distance = same ? 0 : distance;
        } else if (answer.is_number()) {
            const double apart = std::abs(answer.get<double>() - mistake.answer);
            if (apart <= std::max(question.tolerance, near * std::abs(mistake.answer))) distance = apart;
        }
        if (distance >= least) continue;
        least = distance;
        say = mistake.say;
    }
    return say;
}

int significant_digits(double number) {
    std::string digits = number_text(std::abs(number));
    digits.resize(std::min(digits.find_first_of("eE"), digits.size()));
    std::erase_if(digits, [](char c) { return !is_digit(c); });
    const std::size_t first = digits.find_first_not_of('0');
    if (first == std::string::npos) return 0;
    return static_cast<int>(digits.find_last_not_of('0') - first) + 1;
}

SecretAnswer secret_of(const LectureQuestion& question, const nlohmann::json& truth) {
    SecretAnswer secret;
    if (question.kind == LectureQuestion::Kind::choice) {
        const bool numbers = std::all_of(question.choices.begin(), question.choices.end(),
                                         [](const std::string& each) { return !each.empty() && is_digit(each[0]); });
        for (const std::string& clause : clauses_of(question.choices.at(static_cast<std::size_t>(question.right)))) {
            const auto with_clause = std::count_if(question.choices.begin(), question.choices.end(),
                                                   [&](const std::string& each) { return holds(each, clause); });
            const bool is_long = std::count(clause.begin(), clause.end(), ' ') >= 3;
            if ((is_long || numbers) && with_clause == 1) secret.clauses.push_back(clause);
        }
        return secret;
    }
    if (!truth.is_number()) return secret;
    const auto value = truth.get<double>();
    secret.numbers = {value};
    secret.tolerance = question.tolerance;
    if (value != std::round(value) || value <= 0) return secret;
    for (const WrittenNumber& number : numbers_in(question.text)) {
        if (number.decimals == 0 && number.value > value) secret.numbers.push_back(number.value - value);
    }
    return secret;
}

std::string given_away(const SecretAnswer& secret, std::string_view text) {
    for (const std::string& clause : secret.clauses) {
        if (holds(text, clause)) return clause;
    }
    static constexpr std::array<std::string_view, 10> words = {"eleven",   "twelve",  "thirteen",  "fourteen",
                                                               "fifteen",  "sixteen", "seventeen", "eighteen",
                                                               "nineteen", "twenty"};
    const std::string lower_text = lower(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool is_answer = std::find(secret.numbers.begin(), secret.numbers.end(), static_cast<double>(11 + i)) !=
                               secret.numbers.end();
        if (is_answer && holds(lower_text, words[i])) return std::string(words[i]);
    }
    for (const WrittenNumber& number : numbers_in(text)) {
        if (significant_digits(number.value) < secret.least_digits) continue;
        for (const double answer : secret.numbers) {
            // A whole number is rather an index than the rounded answer, unless the answer is whole or large.
            if (number.decimals == 0 && answer != std::round(answer) && std::abs(answer) < 100) continue;
            const double scale = std::pow(10, number.decimals);
            const bool rounds_to = std::round(number.value * scale) == std::round(answer * scale);
            if (rounds_to || std::abs(number.value - answer) <= secret.tolerance) return std::string(number.text);
        }
    }
    return {};
}

}  // namespace ropelab
