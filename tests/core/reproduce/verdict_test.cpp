#include "core/reproduce/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/reproduce/measuring.h"
#include "tests/core/reproduce/sheet_runs.h"

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

TEST(Judge, DifferenceIsReproducedRefutedOrUndecided) {
    const SheetRow lower = judged(difference(-1), much_lower);
    EXPECT_EQ(lower.verdict, SheetVerdict::reproduced);
    EXPECT_LT(*lower.p_holm, 0.05);
    EXPECT_NEAR(*lower.difference, -0.101, 1e-9);
    const SheetRow wrong_way = judged(difference(+1), much_lower);
    EXPECT_EQ(wrong_way.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(wrong_way.words, HasSubstr("against the direction of the claim"));
    // Not significant, and significantly smaller than the margin.
    const SheetRow same = judged(difference(-1), alike);
    EXPECT_EQ(same.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(same.words, HasSubstr("equivalent"));
    const SheetRow unclear = judged(difference(-1), somewhere);
    EXPECT_EQ(unclear.verdict, SheetVerdict::undecided);
    ASSERT_TRUE(unclear.seeds_to_decide);
    EXPECT_GT(*unclear.seeds_to_decide, 5);
    EXPECT_THAT(unclear.words, HasSubstr(std::to_string(*unclear.seeds_to_decide) + " seeds"));
}

// A difference smaller than the margin counts as none, even if it is significant.
TEST(Judge, SignificantDifferenceWithinTheMarginIsNotReproduced) {
    const std::vector<double> half_a_percent_lower = {1.99, 2.0101, 1.9799, 2.0002, 1.9948};
    for (const int direction : {-1, +1}) {
        const SheetRow row = judged(difference(direction), half_a_percent_lower);
        EXPECT_LT(*row.p_holm, 0.001);
        EXPECT_LT(*row.p_equivalence, 0.001);
        EXPECT_EQ(row.verdict, SheetVerdict::not_reproduced);
        EXPECT_THAT(row.words, HasSubstr("equivalent within ±1 %. The difference is significant (p < 0.001) but "
                                         "smaller than the margin."));
    }
    // The same difference is larger than the margin of a stricter rule.
    VerdictRule strict = difference(-1);
    strict.margin = 0.001;
    EXPECT_EQ(judged(strict, half_a_percent_lower).verdict, SheetVerdict::reproduced);
}

TEST(Judge, EquivalenceIsReproducedRefutedOrUndecided) {
    EXPECT_EQ(judged(equivalence(), alike).verdict, SheetVerdict::reproduced);
    EXPECT_EQ(judged(equivalence(), much_lower).verdict, SheetVerdict::not_reproduced);
    EXPECT_EQ(judged(equivalence(), somewhere).verdict, SheetVerdict::undecided);
}

// A difference that is not significant does not show equivalence: with these numbers claims of both kinds are
// undecided.
TEST(Judge, MissingSignificanceIsNotEquivalence) {
    const SheetRow row = judged(equivalence(), somewhere);
    EXPECT_GT(*row.p_paired, 0.05);
    EXPECT_GT(*row.p_equivalence, 0.05);
}

TEST(Judge, HolmCorrectsPerFamily) {
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

TEST(Judge, VerdictsRequireThatTheFamilyHasEnded) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    runs.back().state = RunState::running;
    const SheetRow row = evaluate(plan_of({row_500(difference(-1))}), runs).front();
    EXPECT_EQ(row.verdict, SheetVerdict::unfinished);
    EXPECT_EQ(row.waiting, 1);
    EXPECT_FALSE(row.p_holm);
}

// Runs are measured sequentially after all have ended; the correction over a part of them would differ.
TEST(Judge, VerdictsRequireThatTheFamilyIsMeasured) {
    PlannedRow row = row_500(difference(-1));
    row.measure = generated_per_second;
    PlannedRow mate = row;
    mate.group = {{"theta", "1000"}};
    std::vector<SheetRun> runs;
    for (const double theta : {500, 1000, 10000}) add_runs(runs, theta, baseline);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        runs[i].measurements[generated_per_second] =
            (runs[i].spec.theta == 10000 ? 400 : 200) + static_cast<double>(i % 5 + i % 3);
    }
    runs.back().measurements.clear();  // a run of the baseline
    for (const SheetRow& evaluated_row : evaluate(plan_of({row, mate}), runs)) {
        EXPECT_EQ(evaluated_row.verdict, SheetVerdict::unfinished);
        EXPECT_EQ(evaluated_row.waiting, 1);
        EXPECT_THAT(evaluated_row.words, HasSubstr("have ended and are measured"));
    }
    runs.back().measurements[generated_per_second] = 404;
    runs.front().measurements.clear();  // a run of one group; its family stays unfinished
    const auto rows = evaluate(plan_of({row, mate}), runs);
    EXPECT_EQ(rows[0].waiting, 1);
    EXPECT_EQ(rows[1].waiting, 0);
    EXPECT_EQ(rows[1].verdict, SheetVerdict::unfinished);
    runs.front().measurements[generated_per_second] = 203;
    for (const SheetRow& evaluated_row : evaluate(plan_of({row, mate}), runs)) {
        EXPECT_EQ(evaluated_row.verdict, SheetVerdict::reproduced);
    }
    // The speed of failed runs is not measured.
    runs.front().state = RunState::failed;
    runs.front().measurements.clear();
    EXPECT_EQ(evaluate(plan_of({row, mate}), runs)[0].verdict, SheetVerdict::reproduced);
}

TEST(Judge, CopiesAndSingleSeedsHaveNoTest) {
    EXPECT_EQ(judged(difference(-1), baseline).verdict, SheetVerdict::undecided);
    EXPECT_THAT(judged(difference(-1), baseline).words, HasSubstr("copies"));
    EXPECT_THAT(judged(difference(-1), {1.9}).words, HasSubstr("two finite values"));
}

TEST(Judge, OutOfReachRowStatesItsRequirement) {
    PlannedRow row = row_500(difference(-1));
    row.out_of_reach = "It takes tens of billions of tokens.";
    const SheetRow evaluated_row = evaluate(plan_of({row}), std::vector<SheetRun>{}).front();
    EXPECT_EQ(evaluated_row.verdict, SheetVerdict::not_testable);
    EXPECT_EQ(evaluated_row.words, row.out_of_reach);
}

// Equivalence of two fractions shows nothing if even NoPE is equivalent to full RoPE.
TEST(Judge, EqualControlMakesARowUntestable) {
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

/// Rows and runs of an event rule: more spikes at theta 500 than at the baseline.
PlannedRow row_of_spikes() {
    VerdictRule rule;
    rule.kind = VerdictRule::Kind::events;
    rule.direction = +1;
    PlannedRow row = row_500(rule);
    row.measure = spiked;
    return row;
}

TEST(Judge, CountsEventsOfDivergedRuns) {
    PlannedRow row = row_of_spikes();
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    for (SheetRun& run : runs) run.measurements[spiked] = run.spec.theta == 500 ? 1 : 0;
    runs.front().state = RunState::failed;
    const SheetRow spikes = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(spikes.verdict, SheetVerdict::reproduced);
    EXPECT_EQ(spikes.failed, 1);
    EXPECT_THAT(spikes.words, HasSubstr("5 of 5 runs of the group have the event, against 0 of 5"));
    // Nothing can be removed if the baseline has no event.
    row.rule->direction = -1;
    const SheetRow nothing = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(nothing.verdict, SheetVerdict::not_testable);
    EXPECT_THAT(nothing.words, HasSubstr("nothing to remove"));
}

SheetRow evaluated_events(int events, int others, int n, int unknown = 0) {
    const PlannedRow row = row_of_spikes();
    std::vector<SheetRun> runs;
    for (int i = 0; i < n; ++i) {
        runs.push_back(sheet_run(500, i, 1));
        runs.back().measurements[spiked] = i < events ? 1 : 0;
        runs.push_back(sheet_run(10000, i, 1));
        runs.back().measurements[spiked] = i < others ? 1 : 0;
    }
    for (int i = 0; i < unknown; ++i) {
        runs.push_back(sheet_run(500, n + i, 1));
        runs.back().state = RunState::failed;
        runs.back().measurements[spiked] = std::numeric_limits<double>::quiet_NaN();
    }
    return evaluate(plan_of({row}), runs).front();
}

// For the event frequencies 1/3 and 0 the test has a power of 0.81 with 19 runs per group and 0.77 with 18.
TEST(Judge, SeedsToDecideReachTheRulesPower) {
    const SheetRow row = evaluated_events(1, 0, 3);
    EXPECT_EQ(row.verdict, SheetVerdict::undecided);
    EXPECT_EQ(row.seeds_to_decide, 19);
    EXPECT_THAT(row.words, HasSubstr("About 19 seeds per group would decide"));
    const SheetRow equal = evaluated_events(2, 2, 4);
    EXPECT_FALSE(equal.seeds_to_decide);
    EXPECT_THAT(equal.words, HasSubstr("No number of seeds up to 10000 would decide"));
}

TEST(Judge, RunThatFailedForAnotherReasonIsNoEvent) {
    const SheetRow row = evaluated_events(0, 0, 4, 5);
    EXPECT_EQ(row.verdict, SheetVerdict::undecided);
    EXPECT_EQ(row.failed, 5);
    EXPECT_THAT(row.words, HasSubstr("0 of 4 runs of the group have the event, against 0 of 4"));
    EXPECT_THAT(evaluated_events(0, 0, 0, 5).words, HasSubstr("two finite values"));
}

}  // namespace
}  // namespace ropelab
