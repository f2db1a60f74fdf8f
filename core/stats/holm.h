#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ropelab {

/// Holm's step-down correction (F37) of a table of p values: adjusted values in the same order, each at most 1, never
/// below the raw one. Missing values stay missing and do not count as comparisons.
std::vector<std::optional<double>> holm(std::span<const std::optional<double>> p);

}  // namespace ropelab
