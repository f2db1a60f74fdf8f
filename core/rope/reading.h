#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

/// Positions m' from `first` to `first` + `count` − 1 that cannot be told from m by the angles of the `pairs` fastest
/// rotated pairs (fewer if there are fewer), each read with an error of at most `accuracy` degrees: the angle ω_i·m' of
/// each of them differs from ω_i·m by at most `accuracy`, whole periods aside. In ascending order. Throws BadInput if
/// the accuracy is not 0 to 180.
std::vector<std::int64_t> possible_positions(const Frequencies& frequencies, std::int64_t m, std::int64_t first,
                                             std::int64_t count, double accuracy, std::size_t pairs);

}  // namespace ropelab
