#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

struct KendallStratum {
    std::vector<double> x;
    std::vector<double> y;
};

struct KendallTrend {
    std::int64_t score = 0;  // S: concordant minus discordant pairs within strata; negative if y falls
    double p_falling = 1;    // one-sided p against a falling trend: P(S ≤ score)
    double p_rising = 1;     // one-sided p against a rising trend: P(S ≥ score)
    double p = 1;            // two-sided: P(|S| ≥ |score|)
};

/// Exact: within each stratum every order of the y is equally probable, and the strata are independent. Ties are
/// allowed; a tied pair counts 0. With x of only two values it is the exact (stratified) Wilcoxon rank-sum test. Throws
/// BadInput if the lengths of x and y differ, a stratum has more than 8 pairs or a value is not finite. Source: Kendall
/// (1938), Hirsch and Slack (1984) for the sum over strata.
KendallTrend kendall_trend(std::span<const KendallStratum> strata);

}  // namespace ropelab
