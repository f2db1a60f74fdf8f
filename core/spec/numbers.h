#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/error.h"

namespace ropelab {

/// A number in the C locale whatever the desktop's, with an optional k (thousand) or M (million). Throws BadInput.
double parse_number(std::string_view text);
/// The shortest text that reads back as the same number.
std::string number_text(double value);
/// A number for labels and axes: 500, "1k", "10k", "1M", "1.5k".
std::string short_number(double value);
/// A share in per cent, without the unit, to 12 digits after the point: 0.07 as "7".
std::string percent_text(double share);
/// How long something takes: "0.4 s", "55 s", "3 min 20 s", from ten minutes on without seconds: "27 min", "2 h 5 min".
/// "–" for what is negative or not finite.
std::string duration_text(double seconds);
/// "40 kB", "180 MB", "1.2 GB": powers of 1,000.
std::string bytes_text(std::int64_t bytes);

/// The known word nearest to `word` by edit distance, for "did you mean".
std::string nearest(std::string_view word, std::span<const std::string_view> known);

/// The one of `items` that has this `name`; `kind` says in a word what they are. Throws BadInput, naming the nearest,
/// where none has it.
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
