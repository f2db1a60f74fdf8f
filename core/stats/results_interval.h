#pragma once

#include <cstddef>
#include <optional>

#include "core/stats/results_table.h"

namespace ropelab {

/// A difference of means with its 95 % confidence interval; NaN ends where there is no spread or too few values.
struct DifferenceInterval {
    double difference = 0;  // group − reference, in the measure's unit
    double low = Description::unknown;
    double high = Description::unknown;
    int values = 0;  // seeds of the group, or pairs
};

/// group − reference of a measure, with the interval that the test inverts (F37): pooled variance for Student, each
/// group's own with Welch and Satterthwaite's degrees of freedom, or the differences of equal seeds. nullopt where a
/// side has no finite value (`paired`: where no seed is in both).
std::optional<DifferenceInterval> difference_interval(const ResultGroup& group, const ResultGroup& reference,
                                                      std::size_t measure, TestKind test);

/// group − reference of each seed that both have with a finite value, in the group's order.
struct SeedDifference {
    std::int64_t seed = 0;
    double difference = 0;
};
std::vector<SeedDifference> seed_differences(const ResultGroup& group, const ResultGroup& reference,
                                             std::size_t measure);

}  // namespace ropelab
