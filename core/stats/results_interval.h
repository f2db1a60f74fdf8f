#pragma once

#include <cstddef>
#include <optional>

#include "core/stats/results_table.h"

namespace ropelab {

/// Returns the difference of the means of a measure, group − reference, with the confidence interval that belongs to
/// the test (formula 37): pooled variance for Student, separate variances for Welch, or differences of equal seeds for
/// the paired test. Returns nullopt if a group has no finite value; for the paired test, if the groups have no seed in
/// common.
std::optional<DifferenceInterval> difference_interval(const ResultGroup& group, const ResultGroup& reference,
                                                      std::size_t measure, TestKind test);

/// Difference of a measure for one seed.
struct SeedDifference {
    std::int64_t seed = 0;
    double difference = 0;  // value in the group − value in the reference
    double reference = 0;   // value in the reference
};
/// Returns the difference of a measure for each seed that both groups have with a finite value, in the order of the
/// group.
std::vector<SeedDifference> seed_differences(const ResultGroup& group, const ResultGroup& reference,
                                             std::size_t measure);

}  // namespace ropelab
