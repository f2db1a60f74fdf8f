#include "core/experiment/sheets/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/experiment/sheets/measuring.h"
#include "tests/core/experiment/sheets/sheet_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

VerdictRule difference(int direction) {
    VerdictRule rule;
    rule.direction = direction;
    return rule;
}
VerdictRule equivalence() {
    VerdictRule rule;
    rule.kind = VerdictRule::Kind::equivalence;
    rule.direction = 0;
    return rule;
}

const std::vector<double> baseline = {2.00, 2.02, 1.99, 2.01, 2.005};
const std::vector<double> much_lower = {1.90, 1.925, 1.88, 1.915, 1.90};
const std::vector<double> alike = {2.001, 2.019, 1.991, 2.009, 2.006};
const std::vector<double> somewhere = {1.95, 2.06, 2.00, 1.98, 2.03};

SheetRow judged(const VerdictRule& rule, const std::vector<double>& values) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, values);
    add_runs(runs, 10000, baseline);
    return evaluate(plan_of({row_500(rule)}), runs).front();
}

TEST(Judge, ADifferenceIsReproducedRefutedOrUndecided) {
    const SheetRow lower = judged(difference(-1), much_lower);
    EXPECT_EQ(lower.verdict, SheetVerdict::reproduced);
    EXPECT_LT(*lower.p_holm, 0.05);
    EXPECT_NEAR(*lower.difference, -0.101, 1e-9);
    const SheetRow wrong_way = judged(difference(+1), much_lower);
    EXPECT_EQ(wrong_way.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(wrong_way.words, HasSubstr("other way round"));
    // Not significant, and shown to be no larger than the margin.
    const SheetRow same = judged(difference(-1), alike);
    EXPECT_EQ(same.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(same.words, HasSubstr("equivalent"));
    const SheetRow unclear = judged(difference(-1), somewhere);
    EXPECT_EQ(unclear.verdict, SheetVerdict::undecided);
    ASSERT_TRUE(unclear.seeds_to_decide);
    EXPECT_GT(*unclear.seeds_to_decide, 5);
    EXPECT_THAT(unclear.words, HasSubstr(std::to_string(*unclear.seeds_to_decide) + " seeds"));
}

TEST(Judge, AnEquivalenceIsReproducedRefutedOrUndecided) {
    EXPECT_EQ(judged(equivalence(), alike).verdict, SheetVerdict::reproduced);
    EXPECT_EQ(judged(equivalence(), much_lower).verdict, SheetVerdict::not_reproduced);
    EXPECT_EQ(judged(equivalence(), somewhere).verdict, SheetVerdict::undecided);
}

// A difference that is not significant is no likeness: with the same numbers a claim of either kind is undecided.
TEST(Judge, NoSignificanceIsNoEquivalence) {
    const SheetRow row = judged(equivalence(), somewhere);
    EXPECT_GT(*row.p_paired, 0.05);
    EXPECT_GT(*row.p_equivalence, 0.05);
}

TEST(Judge, HolmCountsTheFamilyAlone) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.97, 1.98, 1.985, 1.98, 1.99});
    add_runs(runs, 1000, somewhere);
    add_runs(runs, 10000, baseline);
    const auto other =
        compared_row("claim", {}, "best_validation_loss", {{"theta", "1000"}}, {{"theta", "10000"}}, difference(-1));
    PlannedRow of_another_family = other;
    of_another_family.rule->family = "another";
    PlannedRow of_the_same = other;
    of_the_same.rule->family = "test";
    const auto alone = evaluate(plan_of({row_500(difference(-1)), of_another_family}), runs);
    EXPECT_EQ(alone[0].p_holm, alone[0].p_rule);
    const auto together = evaluate(plan_of({row_500(difference(-1)), of_the_same}), runs);
    EXPECT_DOUBLE_EQ(*together[0].p_holm, 2 * *together[0].p_rule);
}

TEST(Judge, NothingIsJudgedBeforeAllOfAFamilyHasEnded) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    runs.back().state = RunState::running;
    const SheetRow row = evaluate(plan_of({row_500(difference(-1))}), runs).front();
    EXPECT_EQ(row.verdict, SheetVerdict::unfinished);
    EXPECT_EQ(row.waiting, 1);
    EXPECT_FALSE(row.p_holm);
}

TEST(Judge, CopiesAndSingleSeedsAreNoMeasurements) {
    EXPECT_EQ(judged(difference(-1), baseline).verdict, SheetVerdict::undecided);
    EXPECT_THAT(judged(difference(-1), baseline).words, HasSubstr("copies"));
    EXPECT_THAT(judged(difference(-1), {1.9}).words, HasSubstr("two finite values"));
}

TEST(Judge, WhatIsOutOfReachSaysWhatItWouldTake) {
    PlannedRow row = row_500(difference(-1));
    row.out_of_reach = "It takes tens of billions of tokens.";
    const SheetRow judged_row = evaluate(plan_of({row}), std::vector<SheetRun>{}).front();
    EXPECT_EQ(judged_row.verdict, SheetVerdict::not_testable);
    EXPECT_EQ(judged_row.words, row.out_of_reach);
}

// Likeness of two fractions says nothing where even no rotation at all is like full rotation.
TEST(Judge, AControlThatDoesNotDifferMakesARowUntestable) {
    PlannedRow row = row_500(equivalence());
    row.control = GroupKeys{{"theta", "1000"}};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, alike);
    add_runs(runs, 10000, baseline);
    add_runs(runs, 1000, somewhere);
    const SheetRow insensitive = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(insensitive.verdict, SheetVerdict::not_testable);
    EXPECT_THAT(insensitive.words, HasSubstr("control"));
    runs.resize(10);
    add_runs(runs, 1000, much_lower);
    const SheetRow sensitive = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(sensitive.verdict, SheetVerdict::reproduced);
    EXPECT_NEAR(*sensitive.control_percent, -5.04, 0.01);
}

// scipy 1.17.1: fisher_exact([[events, n − events], [others, m − others]], alternative="greater").pvalue.
TEST(Judge, FishersTestAgreesWithScipy) {
    EXPECT_NEAR(fisher_more(5, 5, 0, 5), 0.003968253968253968, 1e-12);
    EXPECT_NEAR(fisher_more(3, 10, 1, 10), 0.29102167182662536, 1e-12);
    EXPECT_NEAR(fisher_more(8, 10, 2, 12), 0.004780049671690539, 1e-12);
    EXPECT_EQ(fisher_more(0, 10, 3, 10), 1);
    EXPECT_EQ(fisher_more(10, 10, 10, 10), 1);
    EXPECT_EQ(fisher_more(0, 0, 3, 10), 1);
}

TEST(Judge, EventsAreCountedDivergedRunsToo) {
    VerdictRule rule;
    rule.kind = VerdictRule::Kind::events;
    rule.direction = +1;
    PlannedRow row = row_500(rule);
    row.measure = spiked;
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    for (SheetRun& run : runs) run.measurements[spiked] = run.spec.theta == 500 ? 1 : 0;
    runs.front().state = RunState::failed;
    const SheetRow spikes = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(spikes.verdict, SheetVerdict::reproduced);
    EXPECT_EQ(spikes.failed, 1);
    EXPECT_THAT(spikes.words, HasSubstr("5 of 5 runs against 0 of 5"));
    // Nothing to remove where the baseline has no event.
    row.rule->direction = -1;
    const SheetRow nothing = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(nothing.verdict, SheetVerdict::not_testable);
    EXPECT_THAT(nothing.words, HasSubstr("nothing to remove"));
}

}  // namespace
}  // namespace ropelab
