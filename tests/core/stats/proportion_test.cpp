#include "core/stats/proportion.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace ropelab {
namespace {

// Reference values: quantiles of the incomplete beta function, computed in Python by its continued fraction and
// bisection; the closed forms are 0.025^(1/10) and 1 − 0.025^(1/12).
TEST(Proportion, ClopperPearsonIntervalIsExact) {
    const auto all = clopper_pearson(10, 10);
    EXPECT_NEAR(all.low, 0.6915028921812392, 1e-12);
    EXPECT_EQ(all.high, 1);
    const auto none = clopper_pearson(0, 12);
    EXPECT_EQ(none.low, 0);
    EXPECT_NEAR(none.high, 0.2646484693970509, 1e-12);
    const auto some = clopper_pearson(4, 10);
    EXPECT_NEAR(some.low, 0.12155225811982728, 1e-12);
    EXPECT_NEAR(some.high, 0.7376219233930545, 1e-12);
    EXPECT_EQ(clopper_pearson(0, 0).high, 1);
    EXPECT_THROW(clopper_pearson(5, 4), BadInput);
    EXPECT_THROW(clopper_pearson(1, 4, 0), BadInput);
}

// Reference values: sums of binomial probabilities in Python.
TEST(Proportion, BinomialTailsAreExact) {
    EXPECT_NEAR(binomial_at_least(10, 10, 0.7), 0.0282475249, 1e-10);
    EXPECT_NEAR(binomial_at_most(4, 10, 0.7), 0.0473489874, 1e-10);
    EXPECT_NEAR(binomial_at_most(0, 12, 0.3), 0.013841287201, 1e-10);
    EXPECT_NEAR(binomial_at_least(7, 10, 0.3), 0.0105920784, 1e-10);
    EXPECT_EQ(binomial_at_least(0, 10, 0.3), 1);
    EXPECT_EQ(binomial_at_most(10, 10, 0.3), 1);
}

// A tail is below alpha exactly if the one-sided bound excludes the probability; a two-sided interval at 2·alpha has
// the same bounds.
TEST(Proportion, TailsAndBoundsAgree) {
    for (std::int64_t events = 0; events <= 12; ++events) {
        const auto interval = clopper_pearson(events, 12, 0.1);
        EXPECT_EQ(binomial_at_least(events, 12, 0.3) < 0.05, interval.low > 0.3) << events;
        EXPECT_EQ(binomial_at_most(events, 12, 0.3) < 0.05, interval.high < 0.3) << events;
    }
}

// Reference values: Clopper–Pearson bounds by SciPy 1.17.1 and bisection over their level; equal counts of none or all
// of 12 have the closed form 2·0.7^12.
TEST(Proportion, DifferenceBelowAMarginHasAnExactP) {
    EXPECT_NEAR(p_of_difference_below(0, 12, 0, 12, 0.3), 2 * std::pow(0.7, 12), 1e-12);
    EXPECT_NEAR(p_of_difference_below(12, 12, 12, 12, 0.3), 2 * std::pow(0.7, 12), 1e-12);
    EXPECT_NEAR(p_of_difference_below(1, 12, 0, 12, 0.3), 0.17005009990, 1e-9);
    EXPECT_NEAR(p_of_difference_below(6, 12, 6, 12, 0.3), 0.42547076544, 1e-9);
    EXPECT_NEAR(p_of_difference_below(1, 8, 8, 8, 0.3), 0.00179288255, 1e-9);
    EXPECT_NEAR(p_of_difference_below(60, 200, 40, 200, 0.3), 0.00089433938, 1e-9);
    EXPECT_EQ(p_of_difference_below(8, 8, 1, 8, 0.3), 1);
    EXPECT_EQ(p_of_difference_below(40, 400, 10, 400, 0.3), 1e-12);
}

// The ends are 0.0125^(1/5) − (1 − 0.0125^(1/5)) and 1.
TEST(Proportion, DifferenceOfProportionsHasAnExactInterval) {
    const IntervalEstimate all = proportion_difference(5, 5, 0, 5);
    EXPECT_EQ(all.value, 1);
    EXPECT_NEAR(all.low, -0.16744679260, 1e-10);
    EXPECT_EQ(all.high, 1);
    const IntervalEstimate fewer = proportion_difference(1, 8, 8, 8);
    EXPECT_EQ(fewer.value, -0.875);
    EXPECT_NEAR(fewer.low, -0.99842888772, 1e-10);
    EXPECT_NEAR(fewer.high, -0.00279746415, 1e-10);
}

}  // namespace
}  // namespace ropelab
