#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ropelab {

constexpr std::size_t counters_at_once = 32;
/// Of the counters (first, step) … (first + counters_at_once − 1, step): the four numbers of each (philox), 0 if they
/// are below `threshold`, else `kept_factor`.
using DropoutFactors = void (*)(std::array<std::uint32_t, 2> key, std::uint64_t first, std::uint64_t step,
                                std::uint32_t threshold, float kept_factor, float* out);
/// Those that this processor supports, fastest first. All compute the same numbers.
std::vector<DropoutFactors> dropout_factors();

}  // namespace ropelab
