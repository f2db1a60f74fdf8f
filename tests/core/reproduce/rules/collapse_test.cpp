#include "core/reproduce/rules/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/reproduce/rules/measuring.h"
#include "tests/core/reproduce/sheet_runs.h"

namespace ropelab {
namespace {

using Outcome = ScoredPrediction::Outcome;
using testing::HasSubstr;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> near = {0.80, 0.70, 0.75};
const std::vector<double> low_far = {0.10, 0.20, 0.12};

// Rule of version 2, which has no control and does not correct the intervals. Means and intervals computed by hand with
// t(0.975, 2) = 4.302653: drop 0.70, 0.50, 0.63; excess −0.30, −0.15, −0.255.
TEST(Collapse, EarlierRuleDecidesByTheIntervalOfThePairedGains) {
    RetrievalRule rule{16, 113};
    rule.version = 2;
    const auto tested = [&](const std::vector<double>& by_near, const std::vector<double>& by_far) {
        return collapse_test(rule, {by_near, by_far, {}});
    };
    const CollapseTest low = tested(near, low_far);
    EXPECT_EQ(low.finding, Collapse::collapses);
    EXPECT_EQ(low.seeds, 3);
    EXPECT_NEAR(low.drop.mean, 0.61, 1e-12);
    EXPECT_NEAR(low.drop.confidence_low, 0.61 - 0.2521, 1e-4);
    EXPECT_NEAR(low.excess.mean, -0.235, 1e-12);
    EXPECT_NEAR(low.excess.confidence_high, -0.235 + 0.1912, 1e-4);
    // A flat gain shows no distance effect.
    const CollapseTest flat = tested(near, {0.78, 0.71, 0.74});
    EXPECT_EQ(flat.finding, Collapse::retrieves);
    EXPECT_LT(flat.drop.confidence_low, 0);
    EXPECT_GT(flat.drop.confidence_high, 0);
    EXPECT_EQ(tested(near, {0.30, 0.45, 0.40}).finding, Collapse::undecided);
    // One seed has no interval, and pairs without a value are left out.
    EXPECT_EQ(tested({0.8}, {0.1}).finding, Collapse::undecided);
    const CollapseTest two = tested(near, {0.10, none, 0.12});
    EXPECT_EQ(two.seeds, 2);
    EXPECT_NEAR(two.near, 0.775, 1e-12);
    EXPECT_NEAR(two.far, 0.11, 1e-12);
    EXPECT_NEAR(tested({0.8, none}, {0.1, 0.3}).far, 0.1, 1e-12);
    EXPECT_EQ(tested({0.05, 0.04}, {0.05, 0.04}).finding, Collapse::not_learned);
    EXPECT_EQ(tested({}, {}).finding, Collapse::not_learned);
}

// Returns the rule of today for a number of groups with a control lag.
RetrievalRule rule_for(int groups) {
    RetrievalRule rule{16, 113};
    for (int i = 0; i < groups; ++i) rule.probes.push_back({{}, "group", 19, 7.95, 105, -0.95, 113, 1.97});
    return rule;
}

// Intervals by SciPy 1.17.1: far − half of the control gain is −0.215 [−0.309, −0.121] in the first case, and
// 0.07 [0.004, 0.136] in the second, where the gain at the control lag is as low as at the far lag.
TEST(Collapse, DeclineWithDistanceIsNoCollapse) {
    const auto finding = [&](const std::vector<double>& control) {
        return collapse_test(rule_for(1), {near, low_far, control}).finding;
    };
    EXPECT_EQ(finding({0.70, 0.75, 0.68}), Collapse::collapses);
    EXPECT_EQ(finding(low_far), Collapse::declines);
    EXPECT_EQ(finding({0.05, 0.04, 0.06}), Collapse::declines) << "no retrieval at the control lag either";
    EXPECT_EQ(finding({0.70, 0.20, 0.30}), Collapse::undecided);
    EXPECT_EQ(finding({0.70, none, 0.68}), Collapse::undecided) << "two seeds are left";
    const CollapseTest test = collapse_test(rule_for(1), {near, low_far, {0.70, 0.75, 0.68}});
    EXPECT_NEAR(test.control, 0.71, 1e-12);
    EXPECT_NEAR(test.over_control.confidence_low, -0.3087741422, 1e-9);
    EXPECT_NEAR(test.over_control.confidence_high, -0.1212258578, 1e-9);
    // A group that keeps its gain needs no control.
    EXPECT_EQ(collapse_test(rule_for(1), {near, {0.78, 0.71, 0.74}, {0.05, 0.04, 0.06}}).finding, Collapse::retrieves);
}

// The excess −0.235 has the interval [−0.426, −0.044] for one group and [−0.511, +0.041] for two (SciPy 1.17.1).
TEST(Collapse, IntervalsAreCorrectedOverTheGroups) {
    const LagGains gains = {near, low_far, {0.70, 0.75, 0.68}};
    const CollapseTest alone = collapse_test(rule_for(1), gains);
    EXPECT_NEAR(alone.excess.confidence_high, -0.0437859301, 1e-9);
    EXPECT_EQ(alone.finding, Collapse::collapses);
    const CollapseTest of_two = collapse_test(rule_for(2), gains);
    EXPECT_NEAR(of_two.excess.confidence_low, -0.5107716447, 1e-9);
    EXPECT_NEAR(of_two.excess.confidence_high, 0.0407716447, 1e-9);
    EXPECT_EQ(of_two.finding, Collapse::undecided);
    EXPECT_DOUBLE_EQ(group_confidence(rule_for(6)), 1 - 0.05 / 6);
    EXPECT_EQ(confidence_text(rule_for(6)), "99.17 %");
    RetrievalRule stored = rule_for(2);
    stored.version = 2;
    EXPECT_EQ(confidence_text(stored), "95 %");
    // Groups without a control lag are not tested and do not count.
    RetrievalRule one = rule_for(2);
    one.probes[0].control_lag = 0;
    EXPECT_EQ(tested_groups(one), 1U);
}

// Prediction that θ = 500 collapses at lag 105 and the other bases do not.
class CollapsePrediction : public testing::Test {
 protected:
    CollapsePrediction() {
        prediction_.measure = retrieval_gains;
        prediction_.low = {{{"theta", "10000"}}, {{"theta", "20000"}}};
        prediction_.high = {{{"theta", "500"}}};
        prediction_.chance = 1.0 / 3;
        prediction_.retrieval = RetrievalRule{16, 113};
        prediction_.retrieval->probes = {{{{"theta", "10000"}}, "θ = 10000", 20, 10.57, 86, 3.35, 89, 5.76},
                                         {{{"theta", "20000"}}, "θ = 20000", 20, 11.0, 86, 4.0, 89, 6.0},
                                         {{{"theta", "500"}}, "θ = 500", 19, 7.95, 105, -0.95, 113, 1.97}};
    }
    // Adds three runs whose gains differ a little by seed. The gain at the control lag is that at the near lag.
    void add(double theta, double gain, double far) { add(theta, gain, far, gain); }
    void add(double theta, double gain, double far, double control) {
        for (std::int64_t seed = 1; seed <= 3; ++seed) {
            SheetRun run = sheet_run(theta, seed, 1);
            const double noise = 0.01 * static_cast<double>(seed - 2);
            run.measurements = {{retrieval_gain(theta == 500 ? 19 : 20), gain + noise},
                                {retrieval_gain(theta == 500 ? 105 : 86), far - noise},
                                {retrieval_gain(theta == 500 ? 113 : 89), control + noise}};
            runs_.push_back(std::move(run));
        }
    }
    ScoredPrediction scored() {
        SheetPlan plan = plan_of({});
        plan.predictions = {prediction_};
        return score(plan, runs_).front();
    }

    Prediction prediction_;
    std::vector<SheetRun> runs_;
};

TEST_F(CollapsePrediction, ScoresEachGroupAgainstItself) {
    add(500, 0.4, 0.02);
    add(10000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::unmeasured);  // θ = 20,000 has no run yet
    EXPECT_THAT(scored().words, HasSubstr("Not all runs that the prediction concerns have a value"));
    add(20000, 0.3, 0.29);  // a low gain, but flat: compared with the best group it would fail
    EXPECT_EQ(scored().outcome, Outcome::right);
    EXPECT_DOUBLE_EQ(scored().chance, 1.0 / 3);
    EXPECT_THAT(scored().words, HasSubstr("θ = 500: gain 0.400 at distance 18, 0.020 at distance 104, 0.400 at the "
                                          "control distance 112"));
    EXPECT_THAT(scored().words, HasSubstr("Gains in accuracy on repeated tokens with 98.33 % intervals (95 % together, "
                                          "by Bonferroni's correction over 3 groups)"));
    EXPECT_THAT(scored().words, HasSubstr("n = 3: collapses"));
    EXPECT_THAT(scored().words, HasSubstr("retrieves, no distance effect"));
    const auto without = [&](std::int64_t lag) {
        SheetRun run = runs_[1];
        run.measurements.erase(retrieval_gain(lag));
        std::swap(run, runs_[1]);
        const std::string words = scored().words;
        std::swap(run, runs_[1]);
        return words;
    };
    for (const std::int64_t lag : {19, 105, 113}) EXPECT_THAT(without(lag), HasSubstr(": 1 run to measure.")) << lag;
    // A later run of the same seed replaces the unmeasured one.
    runs_.push_back(runs_[1]);
    runs_[1].measurements.clear();
    EXPECT_EQ(scored().outcome, Outcome::right);
    runs_.back().measurements.clear();
    EXPECT_THAT(scored().words, HasSubstr(": 1 run to measure."));
    // Version 3 has today's retrieval rule.
    prediction_.retrieval->version = 3;
    EXPECT_FALSE(has_earlier_rule(prediction_));
}

TEST_F(CollapsePrediction, IsWrongIfTheBoundIsNegativeAndRetrievalStays) {
    add(500, 0.8, 0.75);
    add(10000, 0.8, 0.7);
    add(20000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::wrong);
    runs_.clear();
    add(500, 0.8, 0.02);
    add(10000, 0.8, 0.02);
    add(20000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::wrong);
}

// The gain of θ = 500 falls with distance and is as low at the control lag, where B is higher.
TEST_F(CollapsePrediction, IsNotScoredIfDistanceExplainsTheDrop) {
    add(500, 0.8, 0.02, 0.02);
    add(10000, 0.8, 0.7);
    add(20000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::unmeasured);
    EXPECT_THAT(scored().words,
                HasSubstr("declines with distance even where the context bound B is higher, which is no collapse"));
    EXPECT_THAT(scored().words, HasSubstr("the effects of distance and of B are not separated"));
    // The rule that a lab of version 2 stored counts it as a collapse.
    prediction_.retrieval->version = 2;
    for (GroupProbe& probe : prediction_.retrieval->probes) probe.control_lag = 0;
    EXPECT_TRUE(has_earlier_rule(prediction_));
    EXPECT_EQ(scored().outcome, Outcome::right);
    EXPECT_THAT(scored().words, HasSubstr("Gains in accuracy on repeated tokens with 95 % intervals: "));
    EXPECT_THAT(scored().words, HasSubstr("a decline with distance alone counts as a collapse"));
    // A group that retrieves against the prediction refutes it, whatever the others do.
    prediction_.retrieval->version = rules_version;
    prediction_.retrieval->probes[0].control_lag = prediction_.retrieval->probes[1].control_lag = 89;
    prediction_.retrieval->probes[2].control_lag = 113;
    runs_.clear();
    add(500, 0.8, 0.75);
    add(10000, 0.8, 0.02, 0.02);
    add(20000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::wrong);
}

TEST_F(CollapsePrediction, LeavesOutGroupsWithoutAControlLag) {
    prediction_.retrieval->probes[0].control_lag = 0;
    EXPECT_EQ(retrieval_groups(prediction_).all, 2U);
    EXPECT_THAT(null_model_words(prediction_), HasSubstr("any 1 of the 2 groups"));
    EXPECT_THAT(null_model_words(prediction_),
                HasSubstr("Groups without a control distance, which separates the effects of "
                          "distance and of the context bound B, are not counted."));
    add(500, 0.8, 0.02);
    add(10000, 0.8, 0.02);  // would refute the prediction
    add(20000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::right);
    EXPECT_DOUBLE_EQ(scored().chance, 1.0 / 2);
    EXPECT_THAT(
        scored().words,
        HasSubstr(
            "not scored, because no measured distance separates the effects of distance and of the context bound B"));
    for (GroupProbe& probe : prediction_.retrieval->probes) probe.control_lag = 0;
    EXPECT_EQ(scored().outcome, Outcome::unmeasured);
    EXPECT_THAT(
        scored().words,
        HasSubstr("In no group does a measured distance separate the effects of distance and of the context bound B."));
}

TEST_F(CollapsePrediction, LeavesOutGroupsWithoutRetrieval) {
    add(500, 0.8, 0.02);
    add(10000, 0.8, 0.7);
    add(20000, 0.05, 0.04);
    EXPECT_EQ(scored().outcome, Outcome::right);
    EXPECT_DOUBLE_EQ(scored().chance, 1.0 / 2);  // one of the two groups that are left
    EXPECT_THAT(scored().words, HasSubstr("has not learned retrieval and is not scored"));
    // Without the group that is predicted to collapse the chance is 1, which scores nothing.
    runs_.clear();
    add(500, 0.05, 0.02);
    add(10000, 0.8, 0.7);
    add(20000, 0.8, 0.7);
    EXPECT_EQ(scored().outcome, Outcome::unmeasured);
    EXPECT_DOUBLE_EQ(scored().chance, 1);
    EXPECT_THAT(
        scored().words,
        HasSubstr(
            "agree with the prediction, but the prediction would be right by chance with probability 1 (null model)"));
    runs_.clear();
    for (const double theta : {500.0, 10000.0, 20000.0}) add(theta, 0.05, 0.04);
    EXPECT_THAT(scored().words, HasSubstr("No group has learned retrieval"));
}

TEST_F(CollapsePrediction, DivergedGroupsAreLeftOut) {
    add(500, 0.8, 0.02);
    add(10000, 0.8, 0.7);
    add(20000, 0.8, 0.7);
    for (std::size_t i = 6; i < 9; ++i) runs_[i].state = RunState::failed;
    EXPECT_EQ(scored().outcome, Outcome::right);
    EXPECT_DOUBLE_EQ(scored().chance, 1.0 / 2);
    EXPECT_THAT(scored().words, HasSubstr("θ = 20000: no run has a measured gain"));
}

}  // namespace
}  // namespace ropelab
