#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropelab::ui {

/// Directions of the largest variance of vectors around their mean, which no other choice of orthogonal directions
/// exceeds (Hotelling 1933).
struct PrincipalComponents {
    std::vector<double> mean;                     // dimension numbers
    std::vector<std::vector<double>> directions;  // of length 1, the largest variance first
    std::vector<double> shares;                   // of the whole variance, one per direction; 0 if nothing varies

    /// Place of a vector along a direction, from the mean.
    double place(std::span<const double> vector, std::size_t direction) const;
};

/// Of `vectors`, row-major with `dimension` numbers each, the first `count` components. The largest number of a
/// direction is positive, so that equal vectors give equal signs. Takes time in proportion to the cube of `dimension`.
/// Throws std::invalid_argument for no vectors, or sizes that do not fit.
PrincipalComponents principal_components(std::span<const double> vectors, std::size_t dimension, std::size_t count);

}  // namespace ropelab::ui
