#pragma once

#include <cstddef>

namespace ropelab {

// Checks of arguments that several formulas share.

/// Throws BadInput unless theta is finite and above 1.
void check_theta(double theta);
/// Throws BadInput unless a head of `head_dim` channels has two channels for each of `pairs` pairs.
void check_pair_count(int head_dim, std::size_t pairs);

}  // namespace ropelab
