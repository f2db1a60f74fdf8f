#include "core/lecture/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr int curve_positions = 400;  // positions on the x axis at which two curves are compared

// A value on an axis, where equal distances are equal lengths.
double on_axis(double value, bool logarithmic) {
    return logarithmic ? std::log10(value) : value;
}

// Returns the height of a curve on the y axis at a place on the x axis, or nullopt where it has none.
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

// Removes the commas between groups of three digits, as in "47,117".
std::string without_grouping(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto digits_follow = [&] {
            std::size_t end = i + 1;
            while (end < text.size() && is_digit(text[end])) ++end;
            return end - i == 4;
        };
        if (text[i] == ',' && i > 0 && is_digit(text[i - 1]) && digits_follow()) continue;
        result += text[i];
    }
    return result;
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

nlohmann::json parse_answer(std::string_view text) {
    std::string_view rest = trimmed(text);
    if (rest == "none") return nullptr;
    const bool percent = rest.ends_with('%');
    if (percent) rest = trimmed(rest.substr(0, rest.size() - 1));
    // The typographic minus sign of the program's own numbers, U+2212.
    std::string number(rest);
    if (number.starts_with("\xE2\x88\x92")) number.replace(0, 3, "-");
    number = without_grouping(number);
    // A unit after a space, such as "47117 tokens".
    if (const auto space = number.find(' '); space != std::string::npos) {
        const std::string_view unit = trimmed(std::string_view(number).substr(space));
        if (std::none_of(unit.begin(), unit.end(), is_digit)) number.resize(space);
    }
    try {
        return parse_number(number) / (percent ? 100 : 1);
    } catch (const BadInput&) {
        throw BadInput("\"" + std::string(trimmed(text)) +
                       "\" is not a number; type one such as 47117, 0.25, 25 % or 1e6, or none.");
    }
}

bool is_right_number(const nlohmann::json& given, const nlohmann::json& truth, double tolerance) {
    if (given.is_null() || truth.is_null()) return given.is_null() && truth.is_null();
    return std::abs(given.get<double>() - truth.get<double>()) <= tolerance;
}

}  // namespace ropelab
