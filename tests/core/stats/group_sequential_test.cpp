#include "core/stats/group_sequential.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <vector>

#include "core/base/error.h"

namespace ropelab {
namespace {

double two_sided_p(double z) {
    return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

const std::vector<double> fifths = {0.2, 0.4, 0.6, 0.8, 1};

// Values of the program ld98 (Reboussin, DeMets, Kim & Lan 2000) and of ldBounds for R: five equal looks, two-sided 5
// %.
TEST(GroupSequential, BoundariesAreThoseOfLanAndDeMets) {
    const std::vector<double> obrien = {4.8769, 3.3569, 2.6803, 2.2898, 2.0310};
    const std::vector<double> pocock = {2.4380, 2.4268, 2.4101, 2.3966, 2.3859};
    const auto first = spending_boundaries(fifths, Spending::obrien_fleming, 0.05, false);
    const auto second = spending_boundaries(fifths, Spending::pocock, 0.05, false);
    for (std::size_t i = 0; i < fifths.size(); ++i) {
        EXPECT_NEAR(first[i], obrien[i], 2e-3) << i;
        EXPECT_NEAR(second[i], pocock[i], 2e-3) << i;
    }
    const std::vector<double> once = {1};
    EXPECT_NEAR(spending_boundaries(once, Spending::pocock, 0.05, false)[0], 1.959964, 1e-5);
    EXPECT_NEAR(spending_boundaries(once, Spending::obrien_fleming, 0.05, true)[0], 1.644854, 1e-5);
}

TEST(GroupSequential, SequentialPIsTheSmallestLevelThatStops) {
    const std::vector<std::int64_t> looks = {4, 8, 12, 16, 20};
    for (const Spending spending : {Spending::obrien_fleming, Spending::pocock}) {
        const SequentialP p(looks, spending, false);
        for (const double level : {0.05, 0.01, 0.05 / 15}) {
            const auto boundaries = spending_boundaries(fifths, spending, level, false);
            for (std::size_t look = 1; look < looks.size(); ++look) {
                EXPECT_NEAR(p(look, two_sided_p(boundaries[look])) / level, 1, 2e-3) << level << ", look " << look;
                EXPECT_NEAR(p.nominal(look, level) / two_sided_p(boundaries[look]), 1, 2e-3);
            }
        }
        EXPECT_EQ(p(4, 0.9), 1);
        EXPECT_LT(p(4, 0.001), p(4, 0.01));
    }
}

TEST(GroupSequential, LooksAscendFromTwoSeedsOn) {
    EXPECT_THROW(SequentialP({}, Spending::pocock, false), BadInput);
    EXPECT_THROW(SequentialP({1, 2}, Spending::pocock, false), BadInput);
    EXPECT_THROW(SequentialP({4, 4}, Spending::pocock, false), BadInput);
    EXPECT_EQ(spending("pocock"), Spending::pocock);
    EXPECT_THROW(spending("bayes"), BadInput);
}

}  // namespace
}  // namespace ropelab
