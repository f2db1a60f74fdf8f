#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ropelab {

/// Which of `count` layers or pairs are selected. The text is "all", a list of numbers and ranges counted from 0 and
/// joined by plus signs ("0-2+5"), or a pattern such as "3of4" (the first three of every four). Throws BadInput for any
/// other text and for numbers that are not below `count`; the message names the setting `key`.
std::vector<bool> selection(std::string_view text, std::int64_t count, std::string_view key);

}  // namespace ropelab
