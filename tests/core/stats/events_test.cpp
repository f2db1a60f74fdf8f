#include "core/stats/proportion.h"

#include <gtest/gtest.h>

namespace ropelab {
namespace {

// Reference values: scipy 1.17.1, fisher_exact([[events, n − events], [others, m − others]],
// alternative="greater").pvalue.
TEST(Events, FisherTestAgreesWithScipy) {
    EXPECT_NEAR(fisher_greater_p(5, 5, 0, 5), 0.003968253968253968, 1e-12);
    EXPECT_NEAR(fisher_greater_p(3, 10, 1, 10), 0.29102167182662536, 1e-12);
    EXPECT_NEAR(fisher_greater_p(8, 10, 2, 12), 0.004780049671690539, 1e-12);
    EXPECT_EQ(fisher_greater_p(0, 10, 3, 10), 1);
    EXPECT_EQ(fisher_greater_p(10, 10, 10, 10), 1);
    EXPECT_EQ(fisher_greater_p(0, 0, 3, 10), 1);
}

// Reference values: sums over all outcomes with exact binomial coefficients in Python.
TEST(Events, PowerAgreesWithASumOverAllOutcomes) {
    EXPECT_NEAR(events_power(1.0 / 3, 0, 18, 0.05), 0.7689276160094883, 1e-9);
    EXPECT_NEAR(events_power(1.0 / 3, 0, 19, 0.05), 0.8120633831526661, 1e-9);
    EXPECT_NEAR(events_power(0.8, 0.2, 12, 0.025), 0.8115276120347049, 1e-9);
    EXPECT_NEAR(events_power(0.6, 0.4, 84, 0.05), 0.7984690391398572, 1e-9);
    EXPECT_EQ(events_power(1, 0, 3, 0.05), 0);  // the smallest possible p, 1/20, is not below the level 0.05
    EXPECT_NEAR(events_power(1, 0, 4, 0.05), 1, 1e-12);
}

TEST(Events, SeedsAreTheSmallestNumberWithThePower) {
    EXPECT_EQ(seeds_to_detect_events(1.0 / 3, 0), 19);
    EXPECT_EQ(seeds_to_detect_events(0, 1.0 / 3), 19);
    EXPECT_EQ(seeds_to_detect_events(0.2, 0.8, {0.025, 0.8}), 12);
    EXPECT_EQ(seeds_to_detect_events(0.6, 0.4), 85);
    EXPECT_EQ(seeds_to_detect_events(0.6, 0.3, {0.01, 0.8}), 60);
    EXPECT_EQ(seeds_to_detect_events(1, 0), 4);
    EXPECT_FALSE(seeds_to_detect_events(0.5, 0.5));
    EXPECT_FALSE(seeds_to_detect_events(0.5, 0.505));
}

}  // namespace
}  // namespace ropelab
