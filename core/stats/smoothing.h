#pragma once

#include <span>
#include <vector>

namespace ropelab {

/// TensorBoard's debiased exponential moving average (formula 36): a ← w·a + (1 − w)·y, result a / (1 − wⁿ), where w is
/// `weight` and n is the number of finite values so far. The result has one number per value. A value that is not
/// finite is returned unchanged (a gap in the curve) and does not change the average. With a weight of 0, the result
/// equals the values. Throws BadInput unless 0 ≤ weight < 1.
std::vector<double> smooth(std::span<const double> values, double weight);

}  // namespace ropelab
