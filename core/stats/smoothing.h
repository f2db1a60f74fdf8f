#pragma once

#include <span>
#include <vector>

namespace ropelab {

/// TensorBoard's debiased moving average (F36): a ← w·a + (1 − w)·y, out = a / (1 − wⁿ), where n counts the finite
/// values so far. One output a value; a value that is not finite comes out as it went in (a gap in the curve) and does
/// not touch the average. `weight` 0 changes nothing. Throws BadInput unless 0 ≤ weight < 1.
std::vector<double> smooth(std::span<const double> values, double weight);

}  // namespace ropelab
