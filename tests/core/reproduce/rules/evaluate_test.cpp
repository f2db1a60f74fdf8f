#include "core/reproduce/rules/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/verdict.h"
#include "tests/core/reproduce/sheet_runs.h"

namespace ropelab {
namespace {

using testing::ElementsAre;

TEST(Evaluate, FindsAGroupByItsKeys) {
    RunSpec spec;
    spec.width = 128;
    spec.heads = 2;
    spec.fraction = 2.0 / 64;
    spec.theta = 20000;
    EXPECT_TRUE(belongs(spec, {}));
    EXPECT_TRUE(belongs(spec, {{"fraction", "2 ch"}, {"theta", "20k"}, {"position", "rope"}}));
    EXPECT_FALSE(belongs(spec, {{"fraction", "10 %"}}));
    EXPECT_FALSE(belongs(spec, {{"theta", "20000"}, {"position", "learned"}}));
    EXPECT_THROW(belongs(spec, {{"tetha", "1"}}), BadInput);
}

TEST(Evaluate, PairsRunsBySeed) {
    std::vector<SheetRun> runs = {sheet_run(500, 3, 1.3), sheet_run(500, 1, 1.1),    sheet_run(10000, 2, 2.2),
                                  sheet_run(500, 2, 1.2), sheet_run(10000, 3, 2.31), sheet_run(10000, 1, 2.1)};
    const SheetRow row = evaluate(plan_of({row_500({})}), runs).front();
    EXPECT_THAT(row.seeds, ElementsAre(1, 2, 3));
    EXPECT_THAT(row.values, ElementsAre(1.1, 1.2, 1.3));
    EXPECT_THAT(row.paired_baseline_values, ElementsAre(2.1, 2.2, 2.31));
    EXPECT_NEAR(*row.difference_percent, 100 * (1.2 / row.baseline.mean - 1), 1e-9);
    EXPECT_LT(*row.p_paired, *row.p_student);
}

TEST(Evaluate, RowWithoutRunsLeavesTheNextRowsAlone) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2});
    PlannedRow published = row_500({});  // only a number of the paper
    published.group.clear();
    const auto rows = evaluate(plan_of({published, row_500({})}), runs);
    EXPECT_TRUE(rows[0].values.empty());
    EXPECT_THAT(rows[1].values, ElementsAre(1.1, 1.2));
}

// With two pairs, Student's t has one degree of freedom: t(0.975) = 12.706, and the differences -1 and -1.2 have the
// standard error 0.1.
TEST(Evaluate, TwoPairsHaveAnInterval) {
    const auto difference = paired_difference(std::vector{1.1, 1.2}, std::vector{2.1, 2.4}, 0.05);
    ASSERT_TRUE(difference && difference->low && difference->high);
    EXPECT_NEAR(*difference->low, -1.1 - 1.2706, 1e-4);
    EXPECT_NEAR(*difference->high, -1.1 + 1.2706, 1e-4);
}

TEST(Evaluate, DivergedRunIsNotAveraged) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2, 9});
    add_runs(runs, 10000, {2.1, 2.2, 2.3});
    runs[2].state = RunState::failed;
    const SheetRow row = evaluate(plan_of({row_500({})}), runs).front();
    EXPECT_EQ(row.failed, 1);
    ASSERT_EQ(row.values.size(), 3U);
    EXPECT_TRUE(std::isnan(row.values[2]));
    EXPECT_EQ(row.ours.n, 2);
    EXPECT_DOUBLE_EQ(row.ours.mean, 1.15);
}

TEST(Evaluate, LastRunOfASeedCounts) {
    std::vector<SheetRun> runs = {sheet_run(500, 1, 1.5), sheet_run(500, 1, 1.25)};
    EXPECT_THAT(evaluate(plan_of({row_500({})}), runs).front().values, ElementsAre(1.25));
}

TEST(Evaluate, RecomputesThePapersNumbers) {
    PlannedRow row = row_500({});
    row.paper = Sample{3, 1.4662, 0.0014};
    row.paper_baseline = Sample{3, 1.4739, 0.0030};
    const SheetRow made = evaluate(plan_of({row}), std::vector<SheetRun>{}).front();
    EXPECT_NEAR(*made.paper_difference_percent, -0.5224, 1e-4);
    EXPECT_NEAR(*made.paper_p_student, 0.0158, 1e-4);
    EXPECT_NEAR(*made.paper_p_welch, 0.0306, 1e-4);
    EXPECT_EQ(made.ours.n, 0);
}

// Runs that learned nothing have equal losses, which the rule alone would call an equivalence.
TEST(Evaluate, SmokeRunsHaveNoVerdict) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2, 1.31});
    add_runs(runs, 10000, {2.1, 2.2, 2.3});
    SheetPlan plan = plan_of({row_500({})});
    EXPECT_EQ(evaluate(plan, runs).front().verdict, SheetVerdict::reproduced);
    plan.scale = SheetScale::smoke;
    const SheetRow row = evaluate(plan, runs).front();
    EXPECT_EQ(row.verdict, SheetVerdict::not_testable);
    EXPECT_EQ(row.by_rule, SheetVerdict::reproduced);
    EXPECT_THAT(row.words, testing::StartsWith("After 1,000 steps the group's mean differs"));
    EXPECT_TRUE(row.p_holm);
}

TEST(Evaluate, SmokeRunsSayWhatTheRuleAloneLeavesUndecided) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {2.1, 2.4, 2.2});
    add_runs(runs, 10000, {2.2, 2.1, 2.3});
    SheetPlan plan = plan_of({row_500({})});
    ASSERT_EQ(evaluate(plan, runs).front().verdict, SheetVerdict::undecided);
    plan.scale = SheetScale::smoke;
    EXPECT_EQ(evaluate(plan, runs).front().verdict, SheetVerdict::not_testable);
    EXPECT_EQ(evaluate(plan, runs).front().by_rule, SheetVerdict::undecided);
    plan.rows.front().rule.reset();
    EXPECT_EQ(evaluate(plan, runs).front().by_rule, std::nullopt) << "a row without a rule has no verdict to withhold";
}

TEST(Evaluate, RowsThatOthersAreComparedWithAreBaselines) {
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2, 1.31});
    add_runs(runs, 10000, {2.1, 2.2, 2.3});
    const auto rows =
        evaluate(plan_of({row_500({}), shown_row({{"theta", 10000}}, "best_validation_loss", {{"theta", "10000"}}),
                          shown_row({{"theta", 10000}}, "final_validation_loss", {{"theta", "10000"}})}),
                 runs);
    EXPECT_EQ(to_string(rows[1].verdict), "baseline");
    EXPECT_EQ(to_string(rows[2].verdict), "shown") << "no row compares this measure";
}

TEST(Evaluate, ScoresPredictionsByMeans) {
    SheetPlan plan = plan_of({});
    Prediction prediction;
    prediction.measure = "best_validation_loss";
    prediction.low = {{{"theta", "500"}}};
    prediction.high = {{{"theta", "10000"}}, {{"theta", "1000"}}};
    Prediction silent;
    silent.unmeasured = "Nothing measures it.";
    plan.predictions = {prediction, silent};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1.1, 1.2});
    add_runs(runs, 10000, {2.1, 2.2});
    EXPECT_EQ(score(plan, runs)[0].outcome, ScoredPrediction::Outcome::unmeasured);  // θ = 1000 has no finished run yet
    add_runs(runs, 1000, {1.3, 1.2});
    EXPECT_EQ(score(plan, runs)[0].outcome, ScoredPrediction::Outcome::right);
    runs.back() = sheet_run(1000, 2, 0.9);
    EXPECT_EQ(score(plan, runs)[0].outcome, ScoredPrediction::Outcome::wrong);
    EXPECT_EQ(score(plan, runs)[1].outcome, ScoredPrediction::Outcome::unmeasured);
    EXPECT_EQ(score(plan, runs)[1].words, silent.unmeasured);
    plan.scale = SheetScale::smoke;
    EXPECT_EQ(score(plan, runs)[0].outcome, ScoredPrediction::Outcome::unmeasured);
}

// Differences within the noise of the seeds decide nothing.
TEST(Evaluate, TestsTheOrderOfAPrediction) {
    using Outcome = ScoredPrediction::Outcome;
    SheetPlan plan = plan_of({});
    Prediction prediction;
    prediction.measure = "best_validation_loss";
    prediction.low = {{{"theta", "500"}}};
    prediction.high = {{{"theta", "10000"}}};
    prediction.order_rule = 2;
    plan.predictions = {prediction};
    const auto scored = [&](const std::vector<double>& low, const std::vector<double>& high) {
        std::vector<SheetRun> runs;
        add_runs(runs, 500, low);
        add_runs(runs, 10000, high);
        return score(plan, runs).front();
    };
    // 0.083 ± 0.029 against 0.060 ± 0.023: t is about 1.
    const ScoredPrediction noise = scored({0.054, 0.083, 0.112}, {0.037, 0.060, 0.083});
    EXPECT_EQ(noise.outcome, Outcome::undecided);
    EXPECT_EQ(to_string(noise.outcome), "undecided");
    EXPECT_THAT(noise.words, testing::HasSubstr("theta = 500: 0.0830 ± 0.0290 nats (n = 3), predicted low; theta = "
                                                "10000: 0.0600 ± 0.0230 nats (n = 3). Welch's t test of the closest "
                                                "groups, theta = 500 and theta = 10000: t = 1.08, p = 0.3"));
    ASSERT_EQ(noise.groups.size(), 2U);
    EXPECT_EQ(noise.unit, "nats");
    EXPECT_NEAR(noise.test->t, 1.076, 0.001);
    EXPECT_EQ(scored({1.0, 1.1, 1.2}, {2.0, 2.1, 2.2}).outcome, Outcome::right);
    EXPECT_EQ(scored({2.0, 2.1, 2.2}, {1.0, 1.1, 1.2}).outcome, Outcome::wrong);
    const ScoredPrediction single = scored({1.0}, {2.0});
    EXPECT_EQ(single.outcome, Outcome::undecided);
    EXPECT_THAT(single.words, testing::HasSubstr("at least two seeds"));

    plan.predictions.front().order_rule = 1;  // as stored by earlier versions
    const ScoredPrediction earlier = scored({0.054, 0.083, 0.112}, {0.037, 0.060, 0.083});
    EXPECT_EQ(earlier.outcome, Outcome::wrong);
    EXPECT_THAT(earlier.words, testing::HasSubstr("compares the means without a test. The difference may be due to"));
}

// The prediction says that θ = 500 fails in retrieval at lag 64 and θ = 10,000 does not.
TEST(Evaluate, ScoresStoredPredictionsByTheEarlierRule) {
    SheetPlan plan = plan_of({});
    Prediction& prediction = plan.predictions.emplace_back();
    prediction.measure = retrieval_gain(64);
    prediction.low = {{{"theta", "10000"}, {"data", "synthetic"}}};
    prediction.high = {{{"theta", "500"}, {"data", "synthetic"}}};
    prediction.retrieval = RetrievalRule{16, 64};
    const auto scored = [&](double near, double far_500, double far_10k) {
        std::vector<SheetRun> runs;
        add_runs(runs, 500, {1, 1});
        add_runs(runs, 10000, {1, 1});
        for (SheetRun& run : runs) {
            run.measurements[retrieval_gain(16)] = run.spec.theta == 500 ? near / 2 : near;
            run.measurements[retrieval_gain(64)] = run.spec.theta == 500 ? far_500 : far_10k;
        }
        return score(plan, runs).front();
    };
    using Outcome = ScoredPrediction::Outcome;
    const ScoredPrediction right = scored(0.8, 0.1, 0.6);
    EXPECT_EQ(right.outcome, Outcome::right);
    EXPECT_EQ(
        right.words,
        "The highest gain in accuracy on repeated tokens at distance 15 is 0.800. Groups with a gain below 0.400 at "
        "distance 63 fail; the gains at this distance are 0.600 (theta = 10000), 0.100 (theta = 500). The older rule "
        "stored in the lab file scores this prediction; the rule does not compare retrieval within each group.");
    EXPECT_EQ(scored(0.8, 0.1, 0.3).outcome, Outcome::wrong);  // both fail
    EXPECT_EQ(scored(0.8, 0.5, 0.6).outcome, Outcome::wrong);  // neither does
    const ScoredPrediction nothing = scored(0.05, 0, 0.05);
    EXPECT_EQ(nothing.outcome, Outcome::unmeasured);
    EXPECT_THAT(nothing.words, testing::HasSubstr("No group retrieves repeated tokens even at distance 15: "));
    std::vector<SheetRun> unmeasured;
    add_runs(unmeasured, 500, {1, 1});
    EXPECT_THAT(score(plan, unmeasured).front().words, testing::HasSubstr("Not all runs that the prediction concerns"));
    plan.scale = SheetScale::smoke;
    EXPECT_EQ(scored(0.8, 0.1, 0.6).outcome, Outcome::unmeasured);
}

TEST(Evaluate, PredictionRequiresAllMeasurements) {
    using Outcome = ScoredPrediction::Outcome;
    SheetPlan plan = plan_of({});
    Prediction order;
    order.measure = extension_rise;
    order.low = {{{"theta", "500"}}};
    order.high = {{{"theta", "10000"}}};
    Prediction retrieval = order;
    retrieval.measure = retrieval_gain(64);
    retrieval.retrieval = RetrievalRule{16, 64};
    std::swap(retrieval.low, retrieval.high);
    plan.predictions = {order, retrieval};
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1, 1});
    add_runs(runs, 10000, {1, 1});
    const auto measure = [](SheetRun& run, double rise, double far) {
        run.measurements = {{extension_rise, rise}, {retrieval_gain(16), 0.8}, {retrieval_gain(64), far}};
    };
    measure(runs[0], 0.1, 0.1);
    measure(runs[2], 0.2, 0.7);
    measure(runs[3], 0.2, 0.7);
    for (const ScoredPrediction& scored : score(plan, runs)) {
        EXPECT_EQ(scored.outcome, Outcome::unmeasured);
        EXPECT_THAT(scored.words, testing::HasSubstr("Not all runs that the prediction concerns"));
    }
    // Failed runs need no measurement, and a stored NaN counts as measured. An order of survivors is no score.
    runs[1].state = RunState::failed;
    const auto survivors = score(plan, runs);
    EXPECT_EQ(survivors[0].outcome, Outcome::unmeasured);
    EXPECT_THAT(survivors[0].words, testing::StartsWith("1 run of the groups failed or diverged"));
    EXPECT_EQ(survivors[1].outcome, Outcome::right);
    runs[1].state = RunState::finished;
    const double none = std::numeric_limits<double>::quiet_NaN();
    runs[1].measurements = {{extension_rise, none}, {retrieval_gain(16), none}, {retrieval_gain(64), none}};
    for (const ScoredPrediction& scored : score(plan, runs)) EXPECT_EQ(scored.outcome, Outcome::right);
    // If several runs share a seed, the last one counts.
    runs[1].measurements.clear();
    runs.push_back(runs[0]);
    runs.back().spec.seed = 2;
    for (const ScoredPrediction& scored : score(plan, runs)) EXPECT_EQ(scored.outcome, Outcome::right);
}

// Runs that have ended wait for their measurement: finished ones for any, failed ones for spikes only.
TEST(GroupValuesOf, EndedRunsWaitForTheirMeasurement) {
    SheetRun run = sheet_run(500, 1, 2.0);
    const auto unmeasured = [&](const std::string& measure) {
        return values_of(std::vector{run}, {{"theta", "500"}}, measure).unmeasured.size();
    };
    for (const char* measure : {generated_per_second, extension_rise, spiked, spiked_early}) {
        EXPECT_EQ(unmeasured(measure), 1U) << measure;
    }
    EXPECT_EQ(unmeasured("best_validation_loss"), 0U);  // it ends with the training
    run.state = RunState::failed;
    EXPECT_EQ(unmeasured(spiked), 1U);
    EXPECT_EQ(unmeasured(spiked_early), 1U);
    EXPECT_EQ(unmeasured(generated_per_second), 0U);
    EXPECT_EQ(unmeasured(extension_rise), 0U);
    run.measurements[spiked] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(unmeasured(spiked), 0U);
    // A later run of the same seed replaces an unmeasured one.
    SheetRun later = sheet_run(500, 1, 2.0);
    later.measurements[extension_rise] = 0.1;
    run = sheet_run(500, 1, 2.0);
    const GroupValues values = values_of(std::vector{run, later}, {{"theta", "500"}}, extension_rise);
    EXPECT_EQ(values.open(), 0);
    EXPECT_EQ(values.by_seed.at(1), 0.1);
}

}  // namespace
}  // namespace ropelab
