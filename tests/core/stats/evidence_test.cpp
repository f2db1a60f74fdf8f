// Compares with scipy 1.17.1. t mixtures: the density nct.pdf(t, n − 1, √n·δ), integrated over the prior of δ with
// quad, divided by t.pdf(t, n − 1); the two-sided ones agree with the double integral over δ and ln σ of the densities
// of the values themselves (dblquad). Rates: quad over the prior.
#include "core/stats/evidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/error.h"

namespace ropelab {
namespace {

TEST(Evidence, TMixturesEqualTheNumericalIntegrals) {
    struct Case {
        std::vector<double> values;
        double g, two_sided, above;
    };
    const std::vector<Case> cases = {
        {{0.3, -0.1, 0.5}, 4, -0.4372706429, 0.1342896010},
        {{0.3, -0.1, 0.5}, 0.5, 0.0346107345, 0.5298068557},
        {{-0.0061, -0.0095, -0.0027, -0.0074}, 4, 2.0136476462, -2.3326874532},
        {{0.8, 1.9, 1.1, 0.2, 1.4, 0.9}, 4, 2.7721151217, 3.4631075236},
        {{0.8, 1.9, 1.1, 0.2, 1.4, 0.9}, 0.5, 2.0550449229, 2.7361064840},
        {{0.1, -0.3, 0.2, 0.05, -0.15, 0.02, 0.3, -0.2}, 4, -1.7475971954, -1.7199621700},
    };
    for (const Case& each : cases) {
        const Sample sample = sample_of(each.values);
        EXPECT_NEAR(log_t_mixture(sample, each.g), each.two_sided, 1e-8);
        EXPECT_NEAR(log_t_mixture_above(sample, each.g), each.above, 1e-8);
    }
}

TEST(Evidence, CriticalValuesAndIntervalInvertTheProcess) {
    EXPECT_NEAR(t_mixture_critical(5, 0.05, false), 5.357364, 1e-6);
    EXPECT_NEAR(t_mixture_critical(10, 0.05, false), 3.970960, 1e-6);
    EXPECT_NEAR(t_mixture_critical(42, 0.05, false), 3.539247, 1e-6);
    EXPECT_NEAR(t_mixture_critical(5, 0.05, true), 4.312483, 1e-6);
    EXPECT_NEAR(t_mixture_critical(10, 0.05, true), 3.518924, 1e-6);
    EXPECT_NEAR(t_mixture_critical(42, 0.05, true), 3.282940, 1e-6);
    EXPECT_TRUE(std::isinf(t_mixture_critical(3, 0.05, false))) << "three pairs reach at most an e-value of 13";
    const std::vector<double> values = {0.8, 1.9, 1.1, 0.2, 1.4, 0.9};
    const Interval interval = t_mixture_interval(sample_of(values), 0.05);
    for (const double end : {interval.low, interval.high}) {
        std::vector<double> shifted = values;
        for (double& value : shifted) value -= end;
        EXPECT_NEAR(log_t_mixture(sample_of(shifted)), std::log(20), 1e-9);
    }
    EXPECT_TRUE(std::isnan(t_mixture_interval(sample_of(std::vector{1.0, 2.0, 4.0}), 0.05).low));
}

TEST(Evidence, EqualOrFewValuesAreNone) {
    EXPECT_EQ(log_t_mixture(sample_of(std::vector{1.0})), 0);
    EXPECT_EQ(log_t_mixture(sample_of(std::vector{1.0, 1.0, 1.0})), 0);
    EXPECT_EQ(log_t_mixture_above(sample_of(std::vector<double>{})), 0);
}

TEST(Evidence, RatesEqualTheNumericalIntegrals) {
    EXPECT_NEAR(log_rate_above(5, 5, 0.5), 2.3513752572, 1e-9);
    EXPECT_NEAR(log_rate_above(8, 10, 0.5), 1.3867992841, 1e-9);
    EXPECT_NEAR(log_rate_above(2, 12, 0.5), -2.2328155224, 1e-9);
    EXPECT_NEAR(log_rate_above(9, 9, 0.8), 1.2015569781, 1e-9);
    EXPECT_NEAR(log_rate_below(0, 9, 0.2), 1.2015569781, 1e-9);
    EXPECT_NEAR(log_balance_below(6, 2, 0, 0), 2.8740658385, 1e-9);
    EXPECT_NEAR(log_balance_below(3, 4, 3, 0.2), -0.1750028967, 1e-9);
    EXPECT_NEAR(log_balance_below(0, 10, 0, 0.25), 1.8063275200, 1e-9);
    EXPECT_THROW(log_rate_above(1, 2, 0), BadInput);
    EXPECT_THROW(log_rate_above(3, 2, 0.5), BadInput);
}

}  // namespace
}  // namespace ropelab
