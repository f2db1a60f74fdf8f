#include "core/base/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ropelab {

namespace {

std::string with_one_decimal(double value) {
    std::array<char, 32> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 1).ptr;
    return {buffer.data(), end};
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(trimmed(text.substr(begin, end - begin)));
        begin = end + 1;
    }
    return parts;
}

std::string counted(std::int64_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

double parse_number(std::string_view text) {
    const std::string_view whole = trimmed(text);
    std::string_view digits = whole;
    double unit = 1;
    if (!digits.empty() && (digits.back() == 'k' || digits.back() == 'K')) unit = 1e3;
    if (!digits.empty() && digits.back() == 'M') unit = 1e6;
    if (unit != 1) digits = trimmed(digits.substr(0, digits.size() - 1));
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) {
        throw BadInput("\"" + std::string(whole) + "\" is not a number; write a number like 10000, 1e4, 10k or 0.25.");
    }
    if (!std::isfinite(value * unit)) {
        throw BadInput("\"" + std::string(whole) + "\" is not a finite number; write a number like 10000 or 1e4.");
    }
    return value * unit;
}

std::string number_text(double value) {
    std::array<char, 32> buffer{};
    // Whole numbers below 1e15 are written without an exponent: 1000000, not 1e+06.
    const bool whole = std::abs(value) < 1e15 && value == std::trunc(value);
    const auto [end, error] =
        whole ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<std::int64_t>(value))
              : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end};
}

namespace {

// value / 10^places from the digits of `value`: 41381.7 becomes "41.3817", a division would give 41.381699999999995.
std::string shifted_text(double value, std::size_t places) {
    std::array<char, 400> buffer{};
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
    std::string text(buffer.data(), end);
    const std::size_t point = std::min(text.find('.'), text.size());
    if (point < text.size()) text.erase(point, 1);
    text.insert(point - places, ".");
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

}  // namespace

std::string short_number(double value) {
    const double size = std::abs(value);
    if (size >= 1e6 && size < 1e9) return shifted_text(value, 6) + "M";
    if (size >= 1e3 && size < 1e6) return shifted_text(value, 3) + "k";
    return number_text(value);
}

std::string percent_text(double fraction) {
    return number_text(std::round(fraction * 1e14) / 1e12);  // 0.07 * 100 is 7.000000000000001
}

std::string duration_text(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return "–";
    if (seconds < 1) return with_one_decimal(seconds) + " s";
    const std::int64_t whole = std::llround(seconds);
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    const std::int64_t minutes = (whole + 30) / 60;
    if (minutes < 60) return std::to_string(minutes) + " min";
    return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string bytes_text(std::int64_t bytes) {
    const auto size = static_cast<double>(bytes);
    // The unit is that of the rounded size: 1 MB instead of 1000 kB.
    if (size >= 999.5e6) return with_one_decimal(size / 1e9) + " GB";
    if (size > 999e3) return std::to_string(std::llround(size / 1e6)) + " MB";
    return std::to_string(std::llround(std::ceil(size / 1e3))) + " kB";
}

std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
        text.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return text;
}

std::size_t choice_of(const std::string& word, const std::string& what, const std::vector<std::string>& words) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    throw BadInput("\"" + word + "\" is not " + what + "; it must be " + enumerated(words, " or ") + ".");
}

}  // namespace ropelab
