#include "core/results/results_compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

ResultsTable table_of(const std::vector<double>& baseline, const std::vector<double>& other) {
    std::vector<ResultRun> runs;
    for (std::size_t i = 0; i < baseline.size(); ++i) {
        runs.push_back(result_run({{"theta", 10000}, {"seed", i + 1}}, baseline[i]));
    }
    for (std::size_t i = 0; i < other.size(); ++i) {
        runs.push_back(result_run({{"theta", 500}, {"seed", i + 1}}, other[i]));
    }
    return results_table(runs);
}

std::vector<double> plus(std::vector<double> values, double shift) {
    for (double& value : values) value += shift;
    return values;
}

// If the true difference is an end of the interval, the test has p = 0.05.
TEST(DifferenceInterval, EndsHaveAPValueOfFivePercent) {
    const std::vector<double> baseline = {1.50, 1.52, 1.55, 1.49};
    const std::vector<double> other = {1.44, 1.47, 1.46, 1.45};
    const ResultsTable table = table_of(baseline, other);
    for (const TestKind test : {TestKind::student, TestKind::welch, TestKind::paired}) {
        const auto interval = difference_interval(table.groups[1], table.groups[0], 0, test);
        ASSERT_TRUE(interval);
        EXPECT_NEAR(interval->difference, 1.455 - 1.515, 1e-12);
        EXPECT_EQ(interval->values, 4);
        for (const double end : {interval->low, interval->high}) {
            const std::vector<double> shifted = plus(baseline, end);
            const auto result = test == TestKind::student ? student_t_test(sample_of(other), sample_of(shifted))
                                : test == TestKind::welch ? welch_t_test(sample_of(other), sample_of(shifted))
                                                          : paired_t_test(other, shifted);
            ASSERT_TRUE(result);
            EXPECT_NEAR(result->p, 0.05, 1e-9) << to_string(test);
        }
        EXPECT_LT(interval->low, interval->high);
    }
}

TEST(DifferenceInterval, HasNoEndsWithTooFewOrEqualValues) {
    const ResultsTable one = table_of({1.5}, {1.4});
    const auto single = difference_interval(one.groups[1], one.groups[0], 0, TestKind::welch);
    ASSERT_TRUE(single);
    EXPECT_NEAR(single->difference, -0.1, 1e-12);
    EXPECT_TRUE(std::isnan(single->low));
    const ResultsTable lost = table_of({1.5, 1.6}, {std::nan(""), std::nan("")});
    EXPECT_FALSE(difference_interval(lost.groups[1], lost.groups[0], 0, TestKind::student));
    EXPECT_FALSE(difference_interval(lost.groups[1], lost.groups[0], 0, TestKind::paired));
    const ResultsTable copies = table_of({1.5, 1.5}, {1.4, 1.4});
    EXPECT_TRUE(std::isnan(difference_interval(copies.groups[1], copies.groups[0], 0, TestKind::student)->high));
}

TEST(DifferenceInterval, SeedDifferencesPairEqualSeeds) {
    std::vector<ResultRun> runs = {
        result_run({{"theta", 10000}, {"seed", 3}}, 1.5), result_run({{"theta", 10000}, {"seed", 1}}, 1.7),
        result_run({{"theta", 500}, {"seed", 1}}, 1.6), result_run({{"theta", 500}, {"seed", 2}}, 1.0),
        result_run({{"theta", 500}, {"seed", 3}}, std::nan(""))};
    const ResultsTable table = results_table(runs);
    const auto differences = seed_differences(table.groups[1], table.groups[0], 0);
    ASSERT_EQ(differences.size(), 1u);
    EXPECT_EQ(differences[0].seed, 1);
    EXPECT_NEAR(differences[0].difference, -0.1, 1e-12);
}

}  // namespace
}  // namespace ropelab
