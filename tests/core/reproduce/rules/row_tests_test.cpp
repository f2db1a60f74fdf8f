// Reference values: SciPy 1.17.1 (t, noncentral t, binomial and hypergeometric distributions).
#include "core/reproduce/rules/verdict.h"

#include <gtest/gtest.h>

#include "tests/core/reproduce/sheet_runs.h"

namespace ropelab {
namespace {

// A group and a baseline of unequal sizes; seed by seed, the baseline has three more runs.
const std::vector<double> group_losses = {1.90, 1.925, 1.88};
const std::vector<double> other_losses = {2.00, 2.02, 1.99, 2.01, 2.005, 2.06};

SheetRow compared(const VerdictRule& rule, const std::vector<double>& values, const std::vector<double>& others) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, values);
    add_runs(runs, 10000, others);
    return evaluate(plan_of({row_500(rule)}), runs).front();
}

VerdictRule rule_with(VerdictRule::Kind kind, TestKind test, double margin) {
    VerdictRule rule = rule_of(kind, -1, margin, "test");
    rule.test = test;
    return rule;
}

void expect_interval(const MeanDifference& difference, double low, double high) {
    EXPECT_NEAR(difference.low.value(), low, 1e-9);
    EXPECT_NEAR(difference.high.value(), high, 1e-9);
}

TEST(RowTests, PairedIntervalsHaveTheConfidence) {
    const std::vector<double> others(other_losses.begin(), other_losses.begin() + 3);
    const auto usual = paired_difference(group_losses, others, 0.05);
    EXPECT_NEAR(usual->value, -0.1016666667, 1e-9);
    EXPECT_NEAR(usual->reference, 6.01 / 3, 1e-12);
    expect_interval(*usual, -0.1206395818, -0.0826937515);
    expect_interval(*paired_difference(group_losses, others, 0.01), -0.1454311115, -0.0579022218);
    EXPECT_FALSE(paired_difference(std::span(group_losses).first(1), std::span(others).first(1), 0.05)->low);
    EXPECT_FALSE(paired_difference({}, {}, 0.05));
}

TEST(RowTests, GroupIntervalsHaveTheConfidence) {
    const Sample a = sample_of(group_losses), b = sample_of(other_losses);
    const auto usual = group_difference(a, b, 0.05);
    EXPECT_NEAR(usual->value, -0.1125, 1e-12);
    EXPECT_NEAR(usual->reference, 12.085 / 6, 1e-12);
    expect_interval(*usual, -0.1563556702, -0.0686443298);
    expect_interval(*group_difference(a, b, 0.01), -0.1831543735, -0.0418456265);
    EXPECT_FALSE(group_difference(a, {}, 0.05));
    EXPECT_FALSE(group_difference({}, b, 0.05));
}

// The deviation of unpaired groups is the pooled one, whatever their sizes.
TEST(RowTests, DeviationsArePooledOrOfThePairs) {
    SheetRow groups =
        compared(rule_with(VerdictRule::Kind::difference, TestKind::welch, 0.01), group_losses, other_losses);
    const RowTests pooled = test_row(groups);
    EXPECT_NEAR(pooled.deviation, 0.0240163635, 1e-9);
    EXPECT_NEAR(pooled.shift, -0.1125, 1e-12);
    EXPECT_NEAR(pooled.margin, 0.12085 / 6, 1e-12);
    EXPECT_EQ(pooled.claim, groups.p_welch);
    SheetRow pairs =
        compared(rule_with(VerdictRule::Kind::difference, TestKind::paired, 0.01), group_losses, other_losses);
    const RowTests paired = test_row(pairs);
    EXPECT_NEAR(paired.deviation, 0.0076376262, 1e-9);
    EXPECT_NEAR(paired.shift, -0.1016666667, 1e-9);
    EXPECT_NEAR(paired.margin, 0.0601 / 3, 1e-12);
    EXPECT_EQ(paired.claim, pairs.p_paired);
}

// The range of a size is tested as a difference from its middle: group − 0.5·baseline.
TEST(RowTests, SizesHaveTheDeviationFromTheMiddleOfTheirRange) {
    VerdictRule rule = size_rule(half_low, half_high, "test");
    rule.test = TestKind::welch;
    SheetRow groups = compared(rule, {244, 243, 246, 245}, {441, 438, 444, 440, 443});
    const RowTests separate = test_row(groups);
    EXPECT_NEAR(separate.deviation, 1.2433154601, 1e-9);
    EXPECT_NEAR(separate.shift, 23.9, 1e-9);
    EXPECT_NEAR(separate.margin, 44.12, 1e-9);
    rule.test = TestKind::paired;
    SheetRow pairs = compared(rule, {244, 243, 246, 245}, {441, 438, 444, 440, 443});
    const RowTests paired = test_row(pairs);
    EXPECT_NEAR(paired.deviation, 0.6291528696, 1e-9);
    EXPECT_NEAR(paired.shift, 24.125, 1e-9);
    EXPECT_NEAR(paired.margin, 44.075, 1e-9);
}

TEST(RowTests, ExceedingAMarginIsOneSided) {
    const std::vector<double> higher = {2.10, 2.125, 2.09, 2.11, 2.10};
    const std::span<const double> others = std::span(other_losses).first(5);
    EXPECT_NEAR(p_of_more(higher, others, 0.01)->p, 4.5771575e-7, 1e-12);
    EXPECT_NEAR(p_of_more(higher, others, 0.05)->p, 0.5589859031, 1e-9);
    EXPECT_NEAR(p_of_more(higher, others, 0.05)->percent, 4.9875311721, 1e-9);
    const Sample a = sample_of(higher), b = sample_of(other_losses);
    EXPECT_NEAR(p_of_more(a, b, 0.01)->p, 0.0001584545, 1e-9);
    EXPECT_NEAR(p_of_more(a, b, 0.05)->p, 0.7892179522, 1e-9);
    EXPECT_NEAR(p_of_more(a, b, 0.05)->percent, 4.5097227966, 1e-9);
    EXPECT_FALSE(p_of_more(a, b, 0)) << "no margin";
    EXPECT_FALSE(p_of_more(higher, std::vector<double>(5, 0.0), 0.05)) << "no mean";
}

std::optional<std::int64_t> seeds_of(SheetRow row, int comparisons) {
    const RowTests tests = test_row(row);
    return seeds_to_decide(row, tests, comparisons);
}

// The smaller number of the two outcomes counts, at the level α divided by the number of comparisons.
TEST(RowTests, SeedsToDecideMeans) {
    using Kind = VerdictRule::Kind;
    const std::vector<double> values = {1.95, 2.06, 2.03};
    const auto groups = [&](Kind kind, double margin) {
        return compared(rule_with(kind, TestKind::welch, margin), values, other_losses);
    };
    EXPECT_EQ(seeds_of(groups(Kind::difference, 0.01), 1), 59);
    EXPECT_EQ(seeds_of(groups(Kind::difference, 0.01), 3), 80);
    EXPECT_EQ(seeds_of(groups(Kind::equivalence, 0.002), 1), 1708);
    const std::vector<double> others(other_losses.begin(), other_losses.begin() + 3);
    const auto pairs = [&](Kind kind, double margin, int version = rules_version) {
        VerdictRule rule = rule_with(kind, TestKind::paired, margin);
        rule.version = version;
        return compared(rule, values, others);
    };
    EXPECT_EQ(seeds_of(pairs(Kind::difference, 0.01), 1), 168);
    EXPECT_EQ(seeds_of(pairs(Kind::difference, 0.01), 3), 239);
    EXPECT_EQ(seeds_of(pairs(Kind::difference, 0.002), 1), 214);
    EXPECT_EQ(seeds_of(pairs(Kind::equivalence, 0.002), 1), 592);
    EXPECT_EQ(seeds_of(pairs(Kind::equivalence, 0.002, 1), 1), 467);
}

// Every run has the event: 0.7^9 is the first power below 0.05, and 0.7^12 the first below 0.05/3.
TEST(RowTests, SeedsToDecideProportions) {
    SheetRow row;
    row.plan = row_500(proportion_rule(+1, 0.7, "test"));
    row.values = {1, 1, 1, 1, 1};
    row.baseline_values = {0, 0, 0, 0, 0, 0};
    row.ours = sample_of(row.values);
    row.baseline = sample_of(row.baseline_values);
    EXPECT_EQ(seeds_of(row, 1), 9);
    EXPECT_EQ(seeds_of(row, 3), 12);
    row.baseline_values = {1, 1, 1, 1, 1, 1};
    row.baseline = sample_of(row.baseline_values);
    EXPECT_FALSE(seeds_of(row, 1)) << "no number of seeds shows a difference from the baseline";
}

}  // namespace
}  // namespace ropelab
