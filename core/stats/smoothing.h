#pragma once

#include <span>
#include <vector>

namespace ropelab {

/// How a curve is smoothed with a weight w (formula 36).
enum class Smoothing {
    /// Line fitted to the values before and after each place, which does not lag behind a curve that falls. The value d
    /// places away has the weight w^(2|d|), so that noise is reduced as by `average` with w.
    line,
    /// TensorBoard's debiased exponential moving average, which lags by w/(1 − w) places: a ← w·a + (1 − w)·y, result
    /// a / (1 − wⁿ), where n is the number of finite values so far.
    average
};

/// One number per value. A value that is not finite is returned unchanged (a gap in the curve) and has no weight. With
/// a weight of 0, the result equals the values. Throws BadInput unless 0 ≤ weight < 1.
std::vector<double> smooth(std::span<const double> values, double weight, Smoothing kind = Smoothing::line);

}  // namespace ropelab
