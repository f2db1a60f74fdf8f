#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ropelab {

/// Returns p values after Holm's step-down correction for multiple comparisons (formula 37), in the same order. A
/// corrected value is at most 1 and never below the raw one. Missing values stay missing and do not count as
/// comparisons.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

}  // namespace ropelab
