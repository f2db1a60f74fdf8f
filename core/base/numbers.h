#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace ropelab {

std::string_view trimmed(std::string_view text);
/// "a, b". `text_of` makes a text of an item, and may be a member.
template <typename Items, typename TextOf = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ", TextOf text_of = {}) {
    std::string result;
    bool is_first = true;
    for (const auto& item : items) {
        if (!std::exchange(is_first, false)) result += separator;
        result += std::invoke(text_of, item);
    }
    return result;
}
/// "a, b or c" if `last` is " or ".
template <typename Items>
std::string enumerated(const Items& items, std::string_view last) {
    std::string result;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) result += i + 1 < items.size() ? ", " : last;
        result += items[i];
    }
    return result;
}
/// Trimmed parts between separators; one empty part for "".
std::vector<std::string> parts_of(std::string_view text, char separator = ',');
/// "1 run", "3 runs".
std::string counted(std::int64_t count, const std::string& noun);

/// C locale. A suffix k means thousand, M means million. Throws BadInput if the text is not a finite number.
double parse_number(std::string_view text);
/// The shortest text that parse_number turns into the same number again.
std::string number_text(double value);
/// "500", "1.5k", "10k", "1M".
std::string short_number(double value);
/// Without the percent sign, rounded to 12 digits after the decimal point: 0.07 as "7".
std::string percent_text(double fraction);
/// "0.4 s", "3 min 20 s"; from ten minutes on "27 min", "2 h 5 min". "–" if negative, infinite or NaN.
std::string duration_text(double seconds);
/// Powers of 1,000: "40 kB", "180 MB", "1.2 GB".
std::string bytes_text(std::int64_t bytes);
/// 4154399 as "4,154,399".
std::string grouped(std::int64_t number);

/// Place in `words`. `what` says what they are, such as "an output format". Throws BadInput for any other word.
std::size_t choice_of(const std::string& word, const std::string& what, const std::vector<std::string>& words);

/// For "did you mean" in error messages: smallest Levenshtein distance, which is 1 at most for what the word
/// abbreviates, as "ctx" does "context". "" if `known` is empty.
std::string nearest(std::string_view word, std::span<const std::string_view> known);

/// Throws BadInput if there is none; the message names `kind` ("setting", "preset") and the most similar element.
template <typename Items>
const auto& item_named(const Items& items, std::string_view name, std::string_view kind) {
    std::vector<std::string_view> names;
    for (const auto& item : items) {
        if (item.name == name) return item;
        names.push_back(item.name);
    }
    throw BadInput("There is no " + std::string(kind) + " \"" + std::string(name) + "\"; did you mean " +
                   nearest(name, names) + "?");
}

}  // namespace ropelab
