#pragma once

#include <cstddef>

namespace ropelab {

// What several formulas ask of their input; each throws BadInput.

/// Above 1 and finite.
void check_theta(double theta);
/// A head must have two channels for each pair.
void check_holds_pairs(int head_dim, std::size_t pairs);

}  // namespace ropelab
