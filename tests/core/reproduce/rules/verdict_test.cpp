#include "core/reproduce/rules/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/reproduce/report.h"
#include "core/reproduce/rules/measuring.h"
#include "core/results/results_cells.h"
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
    ASSERT_TRUE(lower.effect);
    EXPECT_EQ(lower.effect->range_low, -1);  // the margin of 1 %
    EXPECT_EQ(lower.effect->range_high, 1);
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

// The p beside a verdict is that of the test on which it rests, and names the test if that is not one of a difference.
TEST(Judge, TheShownPBelongsToTheVerdict) {
    const SheetRow claimed = judged(difference(-1), much_lower);
    EXPECT_EQ(verdict_p_text(claimed), p_text(claimed.p_holm));
    const SheetRow refuted = judged(difference(-1), alike);
    ASSERT_TRUE(refuted.is_by_refutation);
    EXPECT_EQ(verdict_p_text(refuted), p_text(refuted.p_refutation) + " (equivalence)");
    EXPECT_THAT(refuted.words, HasSubstr(p_words(*refuted.p_refutation)));
    const SheetRow equivalent = judged(equivalence(), alike);
    EXPECT_EQ(verdict_p_text(equivalent), p_text(equivalent.p_holm) + " (equivalence)");
    const SheetRow different = judged(equivalence(), much_lower);
    EXPECT_EQ(verdict_p_text(different), p_text(different.p_refutation) + " (difference)");
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
    // The speed of failed runs is not measured; the survivors alone do not decide the row.
    runs.front().state = RunState::failed;
    runs.front().measurements.clear();
    const auto survivors = evaluate(plan_of({row, mate}), runs);
    EXPECT_EQ(survivors[0].verdict, SheetVerdict::undecided);
    EXPECT_EQ(survivors[1].verdict, SheetVerdict::reproduced);
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

// Returns the row by an equivalence rule of this version with θ = 1,000 as its control.
SheetRow with_control(const std::vector<double>& values, const std::vector<double>& control, int version) {
    PlannedRow row = row_500(equivalence());
    row.rule->version = version;
    row.control = GroupKeys{{"theta", "1000"}};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, values);
    add_runs(runs, 10000, baseline);
    add_runs(runs, 1000, control);
    return evaluate(plan_of({row}), runs).front();
}

const std::vector<double> much_higher = {2.10, 2.125, 2.09, 2.11, 2.10};

// Equivalence of two fractions shows nothing if positions do not help at all.
TEST(Judge, ControlMustBeWorseThanTheModelsWithPositions) {
    const SheetRow insensitive = with_control(alike, somewhere, rules_version);
    EXPECT_EQ(insensitive.verdict, SheetVerdict::not_testable);
    EXPECT_THAT(insensitive.words, HasSubstr("The mean of the control (a group that must be worse if the test works) "
                                             "differs from that of the models with position encoding by"));
    const SheetRow sensitive = with_control(alike, much_higher, rules_version);
    EXPECT_EQ(sensitive.verdict, SheetVerdict::reproduced);
    EXPECT_NEAR(*sensitive.control_percent, 100 * 0.1 / 2.005, 1e-9);
    // Bonferroni's correction over the group and the baseline; by SciPy, the baseline alone has p = 4.577e-7.
    EXPECT_NEAR(*sensitive.control_p, 2 * 4.5771575e-7, 1e-11);
    // A control that is better than both groups shows that positions do harm.
    EXPECT_EQ(with_control(alike, much_lower, rules_version).verdict, SheetVerdict::not_testable);
    // A significant difference of 1.04 % is not significantly more than the margin of 1 %.
    const SheetRow slightly = with_control(alike, {2.026, 2.036, 2.016, 2.031, 2.020}, rules_version);
    EXPECT_EQ(slightly.verdict, SheetVerdict::not_testable);
}

// A difference that is significant and not shown to be smaller than the margin needs no control, in either direction;
// equal losses need one.
TEST(Judge, SignificantDifferenceNeedsNoControl) {
    const auto verdict_with = [](int direction, const std::vector<double>& values, const std::vector<double>& control,
                                 int version = rules_version) {
        PlannedRow row = row_500(difference(direction));
        row.rule->version = version;
        row.control = GroupKeys{{"theta", "1000"}};
        std::vector<SheetRun> runs;
        add_runs(runs, 500, values);
        add_runs(runs, 10000, baseline);
        add_runs(runs, 1000, control);
        return evaluate(plan_of({row}), runs).front().verdict;
    };
    const std::vector<double> as_low = {1.901, 1.924, 1.881, 1.914, 1.901};
    EXPECT_EQ(verdict_with(-1, much_lower, as_low), SheetVerdict::reproduced);
    EXPECT_EQ(verdict_with(+1, much_lower, as_low), SheetVerdict::not_reproduced);
    EXPECT_EQ(verdict_with(-1, much_lower, as_low, 2), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(+1, much_lower, as_low, 2), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(-1, much_lower, as_low, 3), SheetVerdict::reproduced);
    EXPECT_EQ(verdict_with(-1, alike, as_low), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(-1, alike, much_higher), SheetVerdict::not_reproduced);
    // Half a percent lower is significant, but smaller than the margin.
    const std::vector<double> half_a_percent_lower = {1.99, 2.0101, 1.9799, 2.0002, 1.9948};
    EXPECT_EQ(verdict_with(-1, half_a_percent_lower, as_low), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(-1, somewhere, as_low), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(-1, somewhere, much_higher), SheetVerdict::undecided);
}

// The group is compared with the mean of two baselines, seed by seed.
TEST(Judge, BaselineCanBeAMeanOfGroups) {
    PlannedRow row = row_500(difference(-1));
    row.baseline_others = {GroupKeys{{"theta", "1000"}}};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.0, 1.1, 1.2});
    add_runs(runs, 10000, {2.0, 2.2, 2.4});
    add_runs(runs, 1000, {1.0, 1.4, 1.2});
    const SheetRow mean = evaluate(plan_of({row}), runs).front();
    ASSERT_EQ(mean.baseline_values.size(), 3U);
    EXPECT_DOUBLE_EQ(mean.baseline_values[0], 1.5);
    EXPECT_DOUBLE_EQ(mean.baseline_values[1], 1.8);
    EXPECT_NEAR(*mean.difference, 1.1 - 1.7, 1e-12);
    EXPECT_THAT(rule_words(row), HasSubstr("Baseline: the mean, seed by seed, of theta = 10000; theta = 1000."));
    // A seed that one of the groups lacks has no mean, and a run that has not ended leaves the row open.
    runs.pop_back();
    EXPECT_NEAR(*evaluate(plan_of({row}), runs).front().difference, 1.05 - 1.65, 1e-12);
    runs.back().state = RunState::running;
    EXPECT_EQ(evaluate(plan_of({row}), runs).front().verdict, SheetVerdict::unfinished);
    runs.back().state = RunState::failed;
    EXPECT_EQ(evaluate(plan_of({row}), runs).front().baseline_failed, 1);
    runs.back().state = RunState::finished;
    row.measure = generated_per_second;
    for (SheetRun& run : runs) run.measurements[generated_per_second] = 400;
    runs.back().measurements.clear();
    EXPECT_EQ(evaluate(plan_of({row}), runs).front().waiting, 1) << "a run of the second group is not measured";
}

// A row has no verdict before its control and the control's reference have run and are measured.
TEST(Judge, VerdictsRequireTheControl) {
    PlannedRow row = row_500(difference(+1));
    row.control = GroupKeys{{"theta", "1000"}};
    row.control_reference = GroupKeys{{"theta", "5000"}};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_higher);
    add_runs(runs, 10000, baseline);
    add_runs(runs, 1000, much_higher);
    add_runs(runs, 5000, baseline);
    EXPECT_EQ(evaluate(plan_of({row}), runs).front().verdict, SheetVerdict::reproduced);
    const auto waiting_after = [&](std::size_t run, const PlannedRow& of) {
        std::vector<SheetRun> some = runs;
        some[run].state = RunState::running;
        const SheetRow result = evaluate(plan_of({of}), some).front();
        EXPECT_EQ(result.verdict, SheetVerdict::unfinished);
        return result.waiting;
    };
    EXPECT_EQ(waiting_after(10, row), 1);  // control
    EXPECT_EQ(waiting_after(15, row), 1);  // reference
    row.control_reference.reset();
    EXPECT_EQ(waiting_after(10, row), 1);
    // A control that is the group or the baseline is counted once.
    row.control = row.group;
    EXPECT_EQ(waiting_after(0, row), 1);
    row.control = row.baseline;
    EXPECT_EQ(waiting_after(5, row), 1);
}

// The control names what its equality shows.
TEST(Judge, ControlsNameTheQuestionOfTheirClaim) {
    PlannedRow row = row_500(difference(-1));
    row.control = GroupKeys{{"theta", "1000"}};
    row.control_reference = row.baseline;
    row.control_shows = "the feed-forward network matters little to these models";
    std::vector<SheetRun> runs;
    add_runs(runs, 500, alike);
    add_runs(runs, 10000, baseline);
    add_runs(runs, 1000, somewhere);
    const SheetRow insensitive = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(insensitive.verdict, SheetVerdict::not_testable);
    EXPECT_THAT(insensitive.words, HasSubstr("differs from that of its reference group by"));
    EXPECT_THAT(insensitive.words, HasSubstr("more than the margin: the feed-forward network matters little to these "
                                             "models, so equal results would be no evidence."));
    EXPECT_THAT(rule_words(row), HasSubstr("otherwise the feed-forward network matters little to these models, and"));
}

// By version 1 of the rules the control must only differ.
TEST(Judge, StoredControlMustDiffer) {
    EXPECT_EQ(with_control(alike, somewhere, 1).verdict, SheetVerdict::not_testable);
    EXPECT_THAT(
        with_control(alike, somewhere, 1).words,
        HasSubstr(
            "The mean of the control (a group that must be worse if the test works) differs from the baseline's by"));
    // A significant difference of 0.7 % is smaller than the margin.
    EXPECT_EQ(with_control(alike, {2.014, 2.034, 2.005, 2.0245, 2.0185}, 1).verdict, SheetVerdict::not_testable);
    const SheetRow sensitive = with_control(alike, much_lower, 1);
    EXPECT_EQ(sensitive.verdict, SheetVerdict::reproduced);
    EXPECT_NEAR(*sensitive.control_percent, -5.04, 0.01);
}

// The row of NoPE is its own control: no difference is not testable, and NoPE with a lower loss refutes the claim.
TEST(Judge, GroupThatIsItsOwnControl) {
    const auto verdict_with = [](const std::vector<double>& values, int version = rules_version) {
        PlannedRow row = row_500(difference(+1));
        row.rule->version = version;
        row.control = row.group;
        std::vector<SheetRun> runs;
        add_runs(runs, 500, values);
        add_runs(runs, 10000, baseline);
        return evaluate(plan_of({row}), runs).front().verdict;
    };
    EXPECT_EQ(verdict_with(much_higher), SheetVerdict::reproduced);
    EXPECT_EQ(verdict_with(alike), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(much_lower), SheetVerdict::not_reproduced);
    EXPECT_EQ(verdict_with(alike, 2), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(much_lower, 2), SheetVerdict::not_reproduced);
}

// A row whose groups both lack positions names another group that has them. Equal losses refute a claim only if that
// group shows that positions help; a significant difference needs no control.
TEST(Judge, ControlReferenceShowsThatPositionsHelp) {
    const auto verdict_with = [](const std::vector<double>& group, const std::vector<double>& reference) {
        PlannedRow row = row_500(difference(+1));
        row.control = row.baseline;
        row.control_reference = GroupKeys{{"theta", "1000"}};
        std::vector<SheetRun> runs;
        add_runs(runs, 500, group);
        add_runs(runs, 10000, baseline);
        add_runs(runs, 1000, reference);
        return evaluate(plan_of({row}), runs).front().verdict;
    };
    EXPECT_EQ(verdict_with(alike, much_lower), SheetVerdict::not_reproduced);
    EXPECT_EQ(verdict_with(alike, alike), SheetVerdict::not_testable);
    EXPECT_EQ(verdict_with(much_higher, much_lower), SheetVerdict::reproduced);
    EXPECT_EQ(verdict_with(much_higher, alike), SheetVerdict::reproduced);
}

// Two survivors of three do not decide a row of losses, and by the rules of version 1 they do.
TEST(Judge, SurvivorsDoNotDecide) {
    const auto decided = [](double failing, int version) {
        PlannedRow row = row_500(difference(-1));
        row.rule->version = version;
        std::vector<SheetRun> runs;
        add_runs(runs, 500, much_lower);
        add_runs(runs, 10000, baseline);
        for (SheetRun& run : runs) {
            if (run.spec.theta == failing && run.spec.seed <= 2) run.state = RunState::failed;
        }
        return evaluate(plan_of({row}), runs).front();
    };
    const SheetRow group = decided(500, rules_version);
    EXPECT_EQ(group.verdict, SheetVerdict::undecided);
    EXPECT_THAT(group.words, HasSubstr("2 of 5 runs of the group failed or diverged"));
    EXPECT_FALSE(group.seeds_to_decide);
    const SheetRow other = decided(10000, rules_version);
    EXPECT_EQ(other.verdict, SheetVerdict::undecided);
    EXPECT_EQ(other.baseline_failed, 2);
    EXPECT_THAT(other.words, HasSubstr("2 of 5 runs of the baseline failed or diverged"));
    EXPECT_EQ(decided(500, 1).verdict, SheetVerdict::reproduced);
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    for (SheetRun& run : runs) {
        if (run.spec.seed == 5) run.state = RunState::failed;
    }
    const SheetRow both = evaluate(plan_of({row_500(difference(-1))}), runs).front();
    EXPECT_EQ(both.verdict, SheetVerdict::undecided);
    EXPECT_THAT(both.words,
                HasSubstr("1 of 5 runs of the group and 1 of 5 of the baseline failed or diverged, so the means"));
}

// A run that was trained again after a failure has not failed.
TEST(Judge, RepeatedRunHasNotFailed) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    runs.insert(runs.begin(), sheet_run(500, 1, 9));
    runs.front().state = RunState::failed;
    const SheetRow row = evaluate(plan_of({row_500(difference(-1))}), runs).front();
    EXPECT_EQ(row.failed, 0);
    EXPECT_EQ(row.verdict, SheetVerdict::reproduced);
}

// The p of the observed side is 0.0325 and that of both sides 0.0649 (t distribution with 4 degrees of freedom,
// computed in Python).
TEST(Judge, RefutationOfAnEquivalenceTestsBothSides) {
    const std::vector<double> above = {2.03, 2.065, 2.008, 2.06, 2.035};
    const auto refuted = [&](int version) {
        VerdictRule rule = equivalence();
        rule.version = version;
        return judged(rule, above);
    };
    EXPECT_NEAR(*refuted(1).p_refutation, 0.0324456, 1e-6);
    EXPECT_EQ(refuted(1).verdict, SheetVerdict::not_reproduced);
    EXPECT_NEAR(*refuted(rules_version).p_refutation, 0.0648913, 1e-6);
    EXPECT_EQ(refuted(rules_version).verdict, SheetVerdict::undecided);
}

// Labs with rules of version 1 keep the words that they had, in which intervals are missing.
TEST(Judge, StoredRulesOfTheFirstVersionStateNoInterval) {
    VerdictRule rule = difference(-1);
    EXPECT_THAT(judged(rule, much_lower).words, HasSubstr("by -5.04 % (95 % interval "));
    rule.version = 1;
    EXPECT_EQ(judged(rule, much_lower).words,
              "After 1,000 steps the group's mean differs from the baseline's by -5.04 %, p < 0.001 after Holm's "
              "correction.");
}

// The seeds 4 and 5 of the group are missing. The means over all runs differ by +2.65 %, and the pairs by
// −0.96 % (computed in Python).
TEST(Judge, SignAndSizeComeFromThePairs) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {2.38, 2.411, 2.3595});
    add_runs(runs, 10000, {2.40, 2.44, 2.38, 2.20, 2.19});
    const SheetRow row = evaluate(plan_of({row_500(difference(-1))}), runs).front();
    EXPECT_GT(row.ours.mean, row.baseline.mean);
    EXPECT_NEAR(*row.difference, -0.0231666667, 1e-9);
    EXPECT_NEAR(row.reference, 7.22 / 3, 1e-12);
    EXPECT_NEAR(*row.difference_percent, -0.962603878, 1e-6);
    ASSERT_TRUE(row.effect && row.effect->low);
    EXPECT_NEAR(*row.effect->low, -1.484685, 1e-5);
    EXPECT_NEAR(*row.effect->high, -0.440522, 1e-5);
    EXPECT_NEAR((*row.difference_low + *row.difference_high) / 2, *row.difference, 1e-12);
    EXPECT_LT(*row.difference_high, 0);
    EXPECT_THAT(row.words,
                HasSubstr("After 1,000 steps the group's mean differs from the baseline's by -0.96 % (95 % interval "));
}

/// Rows and runs of an event rule: more spikes at theta 500 than at the baseline, by 30 percentage points or more.
PlannedRow row_of_spikes(int version = rules_version) {
    VerdictRule rule;
    rule.kind = VerdictRule::Kind::events;
    rule.direction = +1;
    rule.margin = 0.3;
    rule.version = version;
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
    EXPECT_THAT(spikes.words,
                HasSubstr("5 of 5 runs of the group have the event (a loss spike), against 0 of 5 of the baseline, a "
                          "difference of 100.0 percentage points (95 % interval -16.7 to 100.0)"));
    ASSERT_TRUE(spikes.effect);
    EXPECT_EQ(spikes.effect->scale, RowEffect::Scale::proportion_difference);
    EXPECT_EQ(spikes.effect->range_low, -0.3);
    EXPECT_EQ(spikes.effect->range_high, 0.3);
    row.rule->version = 2;
    const SheetRow stored = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(stored.verdict, SheetVerdict::reproduced);
    EXPECT_THAT(
        stored.words,
        HasSubstr(
            "5 of 5 runs of the group have the event (a loss spike) (95 % interval 47.8 to 100.0 %), against 0 of 5"));
    row.rule->version = rules_version;
    // Nothing can be removed if the baseline has no event.
    row.rule->direction = -1;
    const SheetRow nothing = evaluate(plan_of({row}), runs).front();
    EXPECT_EQ(nothing.verdict, SheetVerdict::not_testable);
    EXPECT_THAT(nothing.words, HasSubstr("cannot show that the group prevents spikes"));
}

SheetRow evaluated_events(int events, int others, int n, int unknown = 0, PlannedRow row = row_of_spikes()) {
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
    // Equal proportions of one half refute the claim when both bounds are narrow.
    const SheetRow equal = evaluated_events(2, 2, 4);
    ASSERT_TRUE(equal.seeds_to_decide);
    EXPECT_GE(*equal.seeds_to_decide, 40);
    EXPECT_LE(*equal.seeds_to_decide, 80);
    // By version 2 equal proportions refute nothing.
    const SheetRow stored = evaluated_events(2, 2, 4, 0, row_of_spikes(2));
    EXPECT_FALSE(stored.seeds_to_decide);
    EXPECT_THAT(stored.words, HasSubstr("No number of seeds up to 10000 would decide"));
}

TEST(Judge, RunThatFailedForAnotherReasonIsNoEvent) {
    const SheetRow row = evaluated_events(0, 0, 4, 5);
    EXPECT_EQ(row.verdict, SheetVerdict::undecided);
    EXPECT_EQ(row.failed, 5);
    EXPECT_THAT(row.words,
                HasSubstr("0 of 4 runs of the group have the event (a loss spike), against 0 of 4 of the baseline"));
    EXPECT_THAT(evaluated_events(0, 0, 0, 5).words, HasSubstr("two finite values"));
}

// Fisher's exact test of 2 against 0 of 2 runs has p = 1/6.
TEST(Judge, EventsAreTestedFromTwoRunsPerGroup) {
    EXPECT_NEAR(*evaluated_events(2, 0, 2).p_rule, 1.0 / 6, 1e-12);
    EXPECT_FALSE(evaluated_events(1, 0, 1).p_rule);
    PlannedRow row = row_of_spikes();
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1});
    add_runs(runs, 10000, {1, 1, 1});
    for (SheetRun& run : runs) run.measurements[spiked] = run.spec.theta == 500 ? 1 : 0;
    EXPECT_FALSE(evaluate(plan_of({row}), runs).front().p_rule) << "one run of the group";
    row.group.swap(*row.baseline);
    EXPECT_FALSE(evaluate(plan_of({row}), runs).front().p_rule) << "one run of the baseline";
}

PlannedRow row_of_fewer_spikes() {
    PlannedRow row = row_of_spikes();
    row.rule->direction = -1;
    return row;
}

// "With every seed": one run without the event is a counterexample, however many have it. By version 3 the row was
// undecided until the probability was significantly below the bound.
TEST(Judge, ACounterexampleRefutesAClaimAboutEverySeed) {
    PlannedRow row = row_500(proportion_rule(+1, 0.7, "spikes"));
    row.measure = spiked;
    EXPECT_EQ(evaluated_events(12, 0, 12, 0, row).verdict, SheetVerdict::reproduced);
    const SheetRow one_without = evaluated_events(11, 0, 12, 0, row);
    EXPECT_EQ(one_without.verdict, SheetVerdict::not_reproduced);
    EXPECT_EQ(one_without.p_refutation, 0);
    EXPECT_THAT(one_without.words, HasSubstr("11 of 12 runs of the group have the event"));
    EXPECT_THAT(one_without.words,
                HasSubstr("a run without the event is a counterexample to a claim about every run."));
    EXPECT_THAT(rule_words(*row.rule), HasSubstr("not reproduced if a run of the group lacks the event"));
    // A run that failed for another reason is no counterexample.
    EXPECT_EQ(evaluated_events(12, 0, 12, 1, row).verdict, SheetVerdict::reproduced);
    row.rule->version = 3;
    EXPECT_EQ(evaluated_events(11, 0, 12, 0, row).verdict, SheetVerdict::undecided);
    EXPECT_EQ(evaluated_events(2, 0, 12, 0, row).verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(rule_words(*row.rule), HasSubstr("not reproduced if the probability is significantly below 70 %"));
}

// Equal numbers of events refute "more often" when the exact bounds exclude a difference of 30 percentage points. P
// values by SciPy 1.17.1: 2·0.7^12 = 0.0277 for none or all of 12, 0.43 for 6 of 12, 0.0009 for 60 against 40 of 200.
TEST(Judge, EqualEventsRefuteAClaimOfMore) {
    for (const int events : {0, 12}) {
        const SheetRow equal = evaluated_events(events, events, 12);
        EXPECT_EQ(equal.verdict, SheetVerdict::not_reproduced) << events;
        EXPECT_NEAR(*equal.p_refutation, 0.0276825744, 1e-9);
        EXPECT_THAT(equal.words, HasSubstr("the probability of the event is not higher than the baseline's by 30 "
                                           "percentage points or more"));
        EXPECT_EQ(evaluated_events(events, events, 12, 0, row_of_spikes(2)).verdict, SheetVerdict::undecided);
    }
    EXPECT_EQ(evaluated_events(6, 6, 12).verdict, SheetVerdict::undecided);
    EXPECT_EQ(evaluated_events(12, 2, 12).verdict, SheetVerdict::reproduced);
    const SheetRow against = evaluated_events(1, 8, 8);
    EXPECT_EQ(against.verdict, SheetVerdict::not_reproduced);
    EXPECT_NEAR(*against.p_refutation, 0.0017928825, 1e-9);
    // 60 of 200 are significantly more than 40 of 200 (p = 0.014), but by less than the margin.
    const SheetRow little = evaluated_events(60, 40, 200);
    EXPECT_LT(*little.p_holm, 0.05);
    EXPECT_NEAR(*little.p_refutation, 0.0008943394, 1e-9);
    EXPECT_EQ(little.verdict, SheetVerdict::not_reproduced);
}

// Fisher's exact test of 8 against 1 of 8 runs has p = 8/11440 = 0.0007.
TEST(Judge, StoredEventRulesAreRefutedInTheOppositeDirectionOnly) {
    EXPECT_EQ(evaluated_events(8, 1, 8).verdict, SheetVerdict::reproduced);
    const SheetRow fewer = evaluated_events(1, 8, 8, 0, row_of_spikes(2));
    EXPECT_EQ(fewer.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(fewer.words, HasSubstr("against the direction of the claim"));
    EXPECT_NEAR(*fewer.p_refutation, 8.0 / 11440, 1e-12);
    EXPECT_EQ(evaluated_events(1, 8, 8, 0, row_of_fewer_spikes()).verdict, SheetVerdict::reproduced);
    const SheetRow more = evaluated_events(8, 1, 8, 0, row_of_fewer_spikes());
    EXPECT_EQ(more.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(more.words, HasSubstr("is not lower than the baseline's by 30 percentage points or more"));
}

// Each row alone has the p 5/210 = 0.024 of the refutation. Over three rows Holm's correction makes it 0.071.
TEST(Judge, RefutationsAreCorrectedOverTheFamily) {
    std::vector<PlannedRow> rows;
    std::vector<SheetRun> runs;
    for (const double theta : {500.0, 1000.0, 2000.0}) {
        rows.push_back(row_of_spikes(2));
        rows.back().group = {{"theta", std::to_string(static_cast<int>(theta))}};
        add_runs(runs, theta, {1, 1, 1, 1, 1});
        for (SheetRun& run : runs) run.measurements[spiked] = 0;
    }
    add_runs(runs, 10000, {1, 1, 1, 1, 1});
    for (std::size_t i = runs.size() - 5; i < runs.size(); ++i) {
        runs[i].measurements[spiked] = i + 1 < runs.size() ? 1 : 0;
    }
    const SheetRow alone = evaluate(plan_of({rows[0]}), runs).front();
    EXPECT_NEAR(*alone.p_refutation, 5.0 / 210, 1e-12);
    EXPECT_EQ(alone.verdict, SheetVerdict::not_reproduced);
    for (const SheetRow& row : evaluate(plan_of(rows), runs)) {
        EXPECT_NEAR(*row.p_refutation, 3 * 5.0 / 210, 1e-12);
        EXPECT_EQ(row.verdict, SheetVerdict::undecided);
    }
}

SheetRow speed_row(const std::vector<double>& group, const std::vector<double>& others) {
    PlannedRow row = row_500(size_rule(half_low, half_high, "speed"));
    row.measure = generated_per_second;
    std::vector<SheetRun> runs;
    add_runs(runs, 500, group);
    add_runs(runs, 10000, others);
    for (SheetRun& run : runs) run.measurements[generated_per_second] = run.summary->best_validation_loss;
    return evaluate(plan_of({row}), runs).front();
}

// Numbers: see the tests of the ratio.
TEST(Judge, HalfTheSpeedIsASizeAndNotADirection) {
    const std::vector<double> full = {441, 438, 444, 440, 443};
    const SheetRow half = speed_row({244, 243, 246, 245, 242}, full);
    EXPECT_EQ(half.verdict, SheetVerdict::reproduced);
    ASSERT_TRUE(half.effect);
    EXPECT_EQ(half.effect->scale, RowEffect::Scale::ratio);
    EXPECT_NEAR(half.effect->value, 0.553037, 1e-6);
    EXPECT_NEAR(*half.effect->low, 0.548069, 1e-6);
    EXPECT_NEAR(*half.effect->high, 0.558039, 1e-6);
    EXPECT_EQ(half.effect->range_low, 0.4);
    EXPECT_EQ(half.effect->range_high, 0.6);
    EXPECT_THAT(half.words, HasSubstr("is 0.553 (95 % interval 0.548 to 0.558), p < 0.001"));
    // Significantly slower, by 6 %: not half the speed.
    const SheetRow slower = speed_row({420, 402, 431, 418, 409}, full);
    EXPECT_LT(*slower.p_paired, 0.05);
    EXPECT_EQ(slower.verdict, SheetVerdict::not_reproduced);
    EXPECT_THAT(slower.words, HasSubstr("outside the range 0.4 to 0.6"));
    const SheetRow edge = speed_row({262, 275, 281, 244, 290}, full);
    EXPECT_EQ(edge.verdict, SheetVerdict::undecided);
    EXPECT_TRUE(edge.seeds_to_decide);
}

TEST(Judge, ThePapersEffectIsOnTheScaleOfTheRow) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, much_lower);
    add_runs(runs, 10000, baseline);
    PlannedRow row = row_500(difference(-1));
    row.paper = Sample{3, 1.5, 0.01};
    row.paper_baseline = Sample{3, 2, 0.01};
    EXPECT_DOUBLE_EQ(evaluate(plan_of({row}), runs).front().effect->paper.value(), -25);
    row.rule = size_rule(half_low, half_high, "speed");
    EXPECT_DOUBLE_EQ(evaluate(plan_of({row}), runs).front().effect->paper.value(), 0.75);
}

SheetRow proportion_row(int direction, double bound, int events, int others, int n, int version = rules_version) {
    PlannedRow row = row_of_spikes();
    row.rule = proportion_rule(direction, bound, "spikes");
    row.rule->version = version;
    return evaluated_events(events, others, n, 0, row);
}

// "With every seed": binomial tails in Python; 4 of 10 would pass a test of more events than the baseline's none.
TEST(Judge, EverySeedIsAProportion) {
    const SheetRow every = proportion_row(+1, 0.7, 10, 0, 10);
    EXPECT_EQ(every.verdict, SheetVerdict::reproduced);
    EXPECT_NEAR(*every.p_rule, 0.0282475249, 1e-9);
    ASSERT_TRUE(every.effect);
    EXPECT_NEAR(*every.effect->low, 0.6915028922, 1e-9);
    EXPECT_EQ(every.effect->range_low, 0.7);
    EXPECT_EQ(every.effect->range_high, 1);
    const SheetRow few = proportion_row(+1, 0.7, 4, 0, 10, 3);
    EXPECT_EQ(few.verdict, SheetVerdict::not_reproduced);
    EXPECT_NEAR(*few.p_refutation, 0.0473489874, 1e-9);
    EXPECT_THAT(few.words, HasSubstr("a probability below 70 %"));
    // Every run of the baseline has the event, too.
    EXPECT_EQ(proportion_row(+1, 0.7, 10, 10, 10).verdict, SheetVerdict::undecided);
    EXPECT_EQ(proportion_row(+1, 0.7, 5, 0, 5).verdict, SheetVerdict::undecided) << "0.7^5 = 0.17";
}

// "Removes", "prevents": 5 of 10 runs with spikes are fewer than 10 of 10 (p = 0.016), but they are not removed.
TEST(Judge, RemovedMeansASmallProportion) {
    const SheetRow removed = proportion_row(-1, 0.3, 0, 12, 12);
    EXPECT_EQ(removed.verdict, SheetVerdict::reproduced);
    EXPECT_NEAR(*removed.p_rule, 0.0138412872, 1e-9);
    ASSERT_TRUE(removed.effect);
    EXPECT_EQ(removed.effect->range_low, 0);
    EXPECT_EQ(removed.effect->range_high, 0.3);
    EXPECT_EQ(proportion_row(-1, 0.3, 5, 10, 10).verdict, SheetVerdict::undecided);
    const SheetRow many = proportion_row(-1, 0.3, 7, 10, 10);
    EXPECT_EQ(many.verdict, SheetVerdict::not_reproduced);
    EXPECT_NEAR(*many.p_refutation, 0.0105920784, 1e-9);
    EXPECT_THAT(many.words, HasSubstr("a probability above 30 %."));
    // One event of the baseline leaves hardly anything to remove.
    EXPECT_EQ(proportion_row(-1, 0.3, 0, 1, 12).verdict, SheetVerdict::undecided);
    EXPECT_EQ(proportion_row(-1, 0.3, 0, 0, 12).verdict, SheetVerdict::not_testable);
}

}  // namespace
}  // namespace ropelab
