// Compares small cases with scipy 1.17.1: ttest_ind(a, b), ttest_ind(a, b, equal_var=False), ttest_rel(a, b) and
// t.interval(0.95, n - 1, mean, sem).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/stats/t_test.h"

namespace ropelab {
namespace {

using ReferenceValues = std::vector<double>;

struct Expected {
    double t, degrees_of_freedom, p;
};
struct Case {
    const char* name;
    ReferenceValues a, b;
    Expected student, welch, paired;
    double low, high;  // 95 % confidence interval of the mean of a
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"a difference within the noise",
         {1.4712, 1.4728, 1.4744},
         {1.4709, 1.4739, 1.4769},
         {-0.560369378919172, 4, 0.60512683216659},
         {-0.560369378919172, 3.05261234261062, 0.613728209930422},
         {-1.3608970630898, 2, 0.306606387405578},
         1.4688253796612,
         1.4767746203388},
        {"the theta paper's best against its baseline",
         {1.4648, 1.4662, 1.4676},
         {1.4709, 1.4739, 1.4769},
         {-4.02852511454745, 4, 0.0157527845296325},
         {-4.02852511454745, 2.83166748387579, 0.0306140048619853},
         {-8.33549451142503, 2, 0.0140890866920458},
         1.46272220720355,
         1.46967779279645},
        {"five seeds",
         {2.31, 2.29, 2.35, 2.33, 2.30},
         {2.40, 2.36, 2.41, 2.43, 2.38},
         {-4.94241650572171, 8, 0.0011316192763964},
         {-4.94241650572171, 7.89646842286897, 0.00117571377107807},
         {-11.3137084989847, 4, 0.000347891440570536},
         2.2860967710611,
         2.3459032289389},
        {"two seeds",
         {0.5, 1.5},
         {0.7, 2.9},
         {-0.662084710881894, 2, 0.576000847997456},
         {-0.662084710881894, 1.3963055155247, 0.600159783526627},
         {-1.33333333333333, 1, 0.409665529398267},
         -5.35310236808735,
         7.35310236808735},
        {"ten seeds that spread widely, and pairs that do not",
         {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9},
         {1.05, 1.12, 1.26, 1.31, 1.48, 1.52, 1.67, 1.71, 1.88, 1.93},
         {-0.315837977672638, 18, 0.755758307395286},
         {-0.315837977672638, 17.997855435018, 0.755758736618307},
         {-4.80421105156889, 9, 0.000968022634750874},
         1.23341494103318,
         1.66658505896682},
        {"a large offset",
         {1e6 + 1, 1e6 + 2, 1e6 + 4},
         {1e6 + 3, 1e6 + 5, 1e6 + 9},
         {-1.69030850941768, 4, 0.166232751865797},
         {-1.69030850941768, 2.94117647058824, 0.191369718464209},
         {-3.77964473009227, 2, 0.063414188418306},
         999998.5387503,
         1000006.12791637},
        {"tiny numbers",
         {1e-9, 2e-9, 4e-9},
         {5e-9, 7e-9, 8e-9},
         {-3.47439614486152, 4, 0.0254814814814815},
         {-3.47439614486152, 4, 0.0254814814814815},
         {-13, 2, 0.00586515322756568},
         -1.46124970026343e-09,
         6.12791636693009e-09},
        {"four seeds",
         {5.1, 4.9, 5.6, 5.8},
         {6.6, 6.1, 7.2, 6.0},
         {-3.25041803331577, 6, 0.0174571885957723},
         {-3.25041803331577, 5.61291472613786, 0.0192031500305224},
         {-3.51748614178329, 3, 0.0389875586555561},
         4.68118131644995,
         6.01881868355004},
        {"speeds, far apart",
         {250000, 251500, 249000},
         {180000, 181000, 183500},
         {54.0982503382057, 4, 6.98923630055204e-07},
         {54.0982503382057, 3.57492029755579, 2.44046869466748e-06},
         {43.189335272943, 2, 0.000535670701049881},
         247040.861926979,
         253292.471406355},
    };
    return all;
}

void expect_agreement(const std::optional<TTest>& test, const Expected& expected) {
    ASSERT_TRUE(test);
    EXPECT_NEAR(test->t, expected.t, 1e-8 * std::abs(expected.t));
    EXPECT_NEAR(test->degrees_of_freedom, expected.degrees_of_freedom, 1e-8 * expected.degrees_of_freedom);
    EXPECT_NEAR(test->p, expected.p, 1e-7 * expected.p);
}

TEST(TTestReference, AgreesWithScipy) {
    for (const Case& each : cases()) {
        SCOPED_TRACE(each.name);
        expect_agreement(student_t_test(sample_of(each.a), sample_of(each.b)), each.student);
        expect_agreement(welch_t_test(sample_of(each.a), sample_of(each.b)), each.welch);
        expect_agreement(paired_t_test(each.a, each.b), each.paired);
        const Description description = describe(each.a);
        const double size = std::abs(each.low) + std::abs(each.high);
        EXPECT_NEAR(description.confidence_low, each.low, 1e-10 * size);
        EXPECT_NEAR(description.confidence_high, each.high, 1e-10 * size);
    }
}

TEST(TTestReference, AgreesForUnequalNumbersOfSeeds) {
    const ReferenceValues a = {2.31, 2.29, 2.35, 2.33, 2.30};
    const ReferenceValues b = {2.40, 2.36, 2.41};
    expect_agreement(student_t_test(sample_of(a), sample_of(b)), {-4.06945744184256, 6, 0.00657985307928267});
    expect_agreement(welch_t_test(sample_of(a), sample_of(b)),
                     {-3.95923888128564, 3.98982839041543, 0.0167709945530316});
}

TEST(TTestReference, EqualSamplesHavePOneAndNoPairedTest) {
    const ReferenceValues values = {1, 2, 3};
    expect_agreement(student_t_test(sample_of(values), sample_of(values)), {0, 4, 1});
    expect_agreement(welch_t_test(sample_of(values), sample_of(values)), {0, 4, 1});
    EXPECT_FALSE(paired_t_test(values, values));  // all differences are 0; scipy returns nan
}

TEST(TTestReference, PairedDifferencesExcludeValuesThatAreNotFinite) {
    EXPECT_THAT(paired_differences(ReferenceValues{1, INFINITY, 5}, ReferenceValues{0.5, 1, 7}),
                testing::ElementsAre(0.5, -2));
}

// Reference values: statsmodels 0.15.0, multipletests(p, method='holm').
TEST(HolmReference, AgreesWithStatsmodels) {
    const auto five = holm(std::vector<std::optional<double>>{0.01, 0.04, 0.03, 0.005, 0.6});
    const ReferenceValues expected = {0.04, 0.09, 0.09, 0.025, 0.6};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(*five[i], expected[i], 1e-15);
    const auto ties = holm(std::vector<std::optional<double>>{0.020, 0.020, 0.9, 0.001});
    const ReferenceValues tied = {0.06, 0.06, 0.9, 0.004};
    for (std::size_t i = 0; i < tied.size(); ++i) EXPECT_NEAR(*ties[i], tied[i], 1e-15);
}

}  // namespace
}  // namespace ropelab
