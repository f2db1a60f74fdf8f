#pragma once

#include <cstddef>

namespace ropelab {

/// Throws BadInput unless theta is finite and above 1.
void check_theta(double theta);
/// Two channels of `head_dim` for each pair, else throws BadInput.
void check_pair_count(int head_dim, std::size_t pairs);

}  // namespace ropelab
