#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ropelab {

/// A number in the C locale whatever the desktop's, with an optional k (thousand) or M (million). Throws BadInput.
double parse_number(std::string_view text);
/// The shortest text that reads back as the same number.
std::string number_text(double value);
/// A number for labels and axes: 500, "1k", "10k", "1M", "1.5k".
std::string short_number(double value);

/// The known word nearest to `word` by edit distance, for "did you mean".
std::string nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace ropelab
