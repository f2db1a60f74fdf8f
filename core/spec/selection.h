#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ropelab {

/// Which of `count` things (layers, pairs of a head) a text chooses: "all", numbers and ranges from 0 joined by plus
/// signs ("0-2+5"), or "3of4", the first three of every four. Throws BadInput, naming `key`, for anything else and for
/// a number that is not below `count`.
std::vector<bool> selection(std::string_view text, std::int64_t count, std::string_view key);

}  // namespace ropelab
