#include "core/reproduce/rules/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/building.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// The lags and values of B in these tests were computed by a separate Python script (the sum of formula 12 in double
// precision at each measurable distance). At d = 64 and context 256 the test measures the distances 15 to 240; the
// bases 500 and 1,000 have a negative B there (from distances 154 and 197), 5,000 and above have not. Formula 14: 40 of
// 64 channels saw a full period at θ = 500.
TEST(Predictions, PredictsForTheThetaPapersBases) {
    SheetPlan plan;
    predict_for_bases(plan, {{"data", "text"}}, theta_paper_bases(), 64, 256, "", "Why not.");
    ASSERT_THAT(plan.predictions, SizeIs(2));
    const Prediction& bound = plan.predictions[0];
    EXPECT_THAT(bound.high, ElementsAre(GroupKeys{{"data", "text"}, {"theta", "500"}},
                                        GroupKeys{{"data", "text"}, {"theta", "1000"}}));
    EXPECT_THAT(bound.low, SizeIs(4));
    EXPECT_THAT(bound.words, HasSubstr("θ = 500 (lowest value of the context bound B(Δ): −2.30 of at most 32 at "
                                       "distance 229; B < 0 at 39 of 226 distances, from distance "
                                       "154 on), θ = 1000 (lowest value of the context bound B(Δ): −1.46 of at most 32 "
                                       "at distance 198; B < 0 at 6 of 226 distances, "
                                       "from distance 197 on)"));
    EXPECT_EQ(bound.quantity, "retrieval by distance");
    EXPECT_EQ(bound.measure, retrieval_gains);
    ASSERT_TRUE(bound.retrieval);
    ASSERT_THAT(bound.retrieval->probes, SizeIs(6));
    const GroupProbe& first = bound.retrieval->probes[0];  // the groups of `low` come first
    EXPECT_EQ(first.label, "θ = 5000");
    EXPECT_EQ(first.far_lag, 230);
    EXPECT_NEAR(first.far_bound, 2.957739, 1e-6);
    const GroupProbe& failing = bound.retrieval->probes[4];
    EXPECT_EQ(failing.group, bound.high[0]);
    EXPECT_EQ(failing.near_lag, 16);
    EXPECT_NEAR(failing.near_bound, 14.248852, 1e-6);
    EXPECT_EQ(failing.far_lag, 230);
    EXPECT_NEAR(failing.far_bound, -2.295534, 1e-6);
    // Beyond lag 230 B stays below 1.84, a quarter of the way to its highest value; at lag 223 it is higher.
    EXPECT_EQ(failing.control_lag, 223);
    EXPECT_NEAR(failing.control_bound, 3.72, 0.005);
    EXPECT_EQ(first.control_lag, 236);
    EXPECT_NEAR(first.control_bound, 7.88, 0.005);
    EXPECT_EQ(bound.retrieval->probes[5].control_lag, 202);
    EXPECT_THAT(bound.words, HasSubstr(rule_words(*bound.retrieval)));
    EXPECT_EQ(plan.retrieval_windows, 2);        // the default scale of a plan is smoke
    EXPECT_DOUBLE_EQ(bound.chance, 1.0 / 15.0);  // 2 of 6 groups: 1/C(6, 2)
    EXPECT_THAT(null_model_words(bound), HasSubstr("the 2 that collapse are any 2 of the 6 groups"));
    const Prediction& dimension = plan.predictions[1];
    EXPECT_THAT(dimension.low, ElementsAre(GroupKeys{{"data", "text"}, {"theta", "500"}}));
    EXPECT_THAT(dimension.words, HasSubstr("(24)"));  // 64 − 40
    EXPECT_EQ(dimension.unmeasured, "Why not.");
    EXPECT_DOUBLE_EQ(dimension.chance, 1.0 / 6);
    EXPECT_THAT(null_model_words(dimension), HasSubstr("all orders of the 6 groups are equally likely"));
}

// At d = 32, context 128 and θ = 500, B is negative only at the distances 103 to 106 and 115 to 116, and B(112) =
// +1.97; at d = 64 and θ = 1,000, B(240) = +3.25. The far lags must not be there.
TEST(Predictions, FarLagIsWhereTheBoundIsNegative) {
    SheetPlan plan;
    predict_for_bases(plan, {}, {"500", "10000"}, 32, 128, "", "");
    const Prediction& bound = plan.predictions[0];
    ASSERT_THAT(bound.high, ElementsAre(GroupKeys{{"theta", "500"}}));
    const GroupProbe& probe = bound.retrieval->probes[1];
    EXPECT_EQ(probe.far_lag, 105);  // attends at distance 104
    EXPECT_NEAR(probe.far_bound, -0.945287, 1e-6);
    EXPECT_EQ(probe.near_lag, 19);
    EXPECT_NEAR(probe.near_bound, 7.953800, 1e-5);
    EXPECT_EQ(probe.control_lag, 113);
    EXPECT_NEAR(probe.control_bound, 1.97, 0.005);
    EXPECT_THAT(bound.words, HasSubstr("B < 0 at 4 of 98 distances, from distance 103 on"));

    SheetPlan wide;
    predict_for_bases(wide, {}, {"1000", "10000"}, 64, 256, "", "");
    EXPECT_EQ(wide.predictions[0].retrieval->probes[1].far_lag, 199);
    EXPECT_NEAR(wide.predictions[0].retrieval->probes[1].far_bound, -1.455960, 1e-6);
}

// θ = 1850 is infeasible by little: B = −0.16 of 32 at one distance.
TEST(Predictions, StatesTheDepthOfAnInfeasibleBase) {
    SheetPlan plan;
    predict_for_bases(plan, {}, {"1850", "10000"}, 64, 256, "", "");
    EXPECT_THAT(
        plan.predictions[0].words,
        HasSubstr(
            "θ = 1850 (lowest value of the context bound B(Δ): −0.16 of at most 32 at distance 235; B < 0 at 1 of "
            "226 distances, from distance 235 on)"));
}

// Formula 13: up to a fraction of one half B(Δ) is never negative.
TEST(Predictions, PredictsForFractions) {
    SheetPlan plan;
    predict_for_fractions(plan, {}, {"0", "2 ch", "10 %", "25 %", "50 %", "1"}, 64, 2048, "extension_rise", "");
    ASSERT_THAT(plan.predictions, SizeIs(2));
    EXPECT_THAT(plan.predictions[0].low, SizeIs(4));  // NoPE is no candidate
    EXPECT_THAT(plan.predictions[0].high, ElementsAre(GroupKeys{{"fraction", "1"}}));
    EXPECT_EQ(plan.predictions[0].theory, "context bound (Men et al. 2024), extended to partial RoPE by this program");
    EXPECT_EQ(plan.predictions[1].theory,
              "critical dimension (Liu et al. 2023), extended to partial RoPE by this program");
    EXPECT_DOUBLE_EQ(plan.predictions[0].chance, 1.0 / 5.0);
    EXPECT_EQ(plan.predictions[1].measure, "extension_rise");
    EXPECT_THAT(plan.predictions[1].low, testing::Contains(GroupKeys{{"fraction", "2 ch"}}));
}

TEST(Predictions, PredictionThatNoneFailsHasChanceOne) {
    SheetPlan plan;
    predict_for_bases(plan, {}, {"100000", "1000000"}, 64, 256, "", "");
    EXPECT_TRUE(plan.predictions[0].high.empty());
    EXPECT_DOUBLE_EQ(plan.predictions[0].chance, 1);
    EXPECT_THAT(plan.predictions[0].words, HasSubstr("retrieval collapses in no group"));
    EXPECT_THAT(null_model_words(plan.predictions[0]), HasSubstr("cannot be wrong by this model, so it is not scored"));
}

// A base with a negative B only beyond the longest measurable lag is not predicted to collapse, and contexts too short
// for two copies give no rule.
TEST(Predictions, PredictsRetrievalAtMeasurableLags) {
    SheetPlan plan;
    plan.scale = SheetScale::laptop;
    predict_for_bases(plan, {}, {"500", "1000"}, 64, 200, "", "");
    EXPECT_EQ(plan.predictions[0].retrieval->shortest_lag, 16);
    EXPECT_EQ(plan.predictions[0].retrieval->longest_lag, 185);
    EXPECT_THAT(plan.predictions[0].high, ElementsAre(GroupKeys{{"theta", "500"}}));  // 1,000: from distance 197 on
    EXPECT_EQ(plan.retrieval_windows, 32);
    SheetPlan brief;
    predict_for_bases(brief, {}, {"500", "1000"}, 64, 6, "", "");
    EXPECT_FALSE(brief.predictions[0].retrieval);
    EXPECT_THAT(brief.predictions[0].unmeasured, HasSubstr("too short"));
    EXPECT_EQ(brief.retrieval_windows, 0);
}

std::vector<RunSpec> runs_of(const std::vector<std::pair<std::string, std::vector<std::string>>>& settings) {
    Experiment experiment("sweep");
    experiment.set("context", {"256"});
    for (const auto& [key, values] : settings) experiment.set(key, values);
    return experiment.expand();
}

TEST(Predictions, PredictsForAnySweepOverTheta) {
    const auto runs = runs_of({{"theta", {"500", "1000", "10000"}}, {"heads", {"1"}}, {"seed", {"1", "2"}}});
    const SheetPlan plan = predicted(runs);
    ASSERT_THAT(plan.predictions, SizeIs(2));
    SheetPlan same;
    same.scale = SheetScale::laptop;
    predict_for_bases(same, {}, {"500", "1000", "10000"}, 64, 256, "extension_rise", "");
    EXPECT_EQ(plan.predictions, same.predictions);
    EXPECT_EQ(plan.retrieval_windows, 32);
    EXPECT_THAT(plan.extensions, ElementsAre(1, 2, 4));
    // Models with learned positions have no loss beyond the context.
    const auto learned = predicted(runs_of({{"theta", {"500", "10000"}}, {"position", {"learned+rope"}}}));
    ASSERT_THAT(learned.predictions, SizeIs(2));
    // Learned positions find a token at any distance, so that the context bound is not scored.
    EXPECT_EQ(learned.predictions[0].measure, "");
    EXPECT_FALSE(learned.predictions[0].retrieval);
    EXPECT_EQ(learned.predictions[0].unmeasured, bound_with_learned_positions);
    EXPECT_EQ(learned.retrieval_windows, 0);
    EXPECT_EQ(learned.predictions[1].measure, "");
    EXPECT_THAT(learned.predictions[1].unmeasured, HasSubstr("they have no loss at longer contexts"));
    EXPECT_TRUE(learned.extensions.empty());
}

// Each set of predictions concerns runs that are equal in all other settings.
TEST(Predictions, PredictsForEachSweepOfAGrid) {
    const auto runs = runs_of({{"theta", {"500", "10000"}}, {"fraction", {"0", "50 %", "1"}}, {"heads", {"1"}}});
    const SheetPlan plan = predicted(runs);
    std::vector<std::string> groups;
    for (const Prediction& prediction : plan.predictions) {
        for (const auto& side : {prediction.low, prediction.high}) {
            for (const GroupKeys& group : side) {
                EXPECT_THAT(group, SizeIs(2));
                EXPECT_NE(group.at("fraction"), "0");
                EXPECT_TRUE(std::any_of(runs.begin(), runs.end(), [&](const RunSpec& run) {
                    return belongs(run, group);
                })) << group.at("theta");
            }
        }
    }
    // Two bases at each of two fractions, and two fractions at each base. Formula 14 gives no prediction where all lose
    // alike.
    const auto bounds = std::count_if(plan.predictions.begin(), plan.predictions.end(),
                                      [](const Prediction& prediction) { return prediction.retrieval.has_value(); });
    EXPECT_EQ(bounds, 4);
    EXPECT_THAT(plan.predictions[0].words, testing::StartsWith("For runs with fraction = 0.5: "));
}

TEST(Predictions, NoPredictionOutsideTheTheories) {
    EXPECT_TRUE(predicted({}).predictions.empty());
    EXPECT_TRUE(predicted(runs_of({{"seed", {"1", "2"}}})).predictions.empty());
    EXPECT_TRUE(predicted(runs_of({{"theta", {"500", "10000"}}, {"position", {"learned"}}})).predictions.empty());
    EXPECT_TRUE(predicted(runs_of({{"theta", {"500", "10000"}}, {"theta_training", {"one"}}})).predictions.empty());
    EXPECT_TRUE(predicted(runs_of({{"theta", {"500", "10000"}}, {"rotated_layers", {"1"}}})).predictions.empty());
    // Theta changed together with another setting is no sweep over theta.
    Experiment zipped("zipped");
    zipped.set("theta", {"500", "10000"});
    zipped.set("learning_rate", {"1e-3", "2e-3"});
    zipped.add_zip("theta,learning_rate");
    EXPECT_TRUE(predicted(zipped.expand()).predictions.empty());
}

TEST(Predictions, RuleStatesLagsAndThresholds) {
    RetrievalRule rule{16, 241};
    rule.probes = {{{{"theta", "500"}}, "θ = 500", 19, 7.95, 105, -0.95}};
    for (const char* part :
         {"θ = 500: distance 104 (B = −0.95) against distance 18 (B = 7.95)", "minus 50 % of the gain at the highest B",
          "a mean gain below 10 %", "an induction head attends to the token after an earlier copy"}) {
        EXPECT_THAT(rule_words(rule), HasSubstr(part));
    }
}

TEST(Predictions, ManyGroupsMakeNoLongSentence) {
    RetrievalRule rule{16, 241};
    for (int i = 0; i < 40; ++i)
        rule.probes.push_back({{{"theta", std::to_string(100 + i)}}, "θ = " + std::to_string(100 + i), 19, 8, 105, -1});
    EXPECT_THAT(rule_words(rule), HasSubstr("θ = 107: distance 104 (B = −1.00) against distance 18 (B = 8.00) without "
                                            "a control; those of the other 32 groups are in the lab file and in the "
                                            "JSON output."));
    EXPECT_THAT(rule_words(rule), testing::Not(HasSubstr("θ = 108")));
}

TEST(Predictions, ChanceLevelsAreReadable) {
    EXPECT_EQ(chance_text(1.0 / 3), "33 %");
    EXPECT_EQ(chance_text(1.6e-11), "below 0.01 %");
    EXPECT_EQ(chance_text(1), "100 %, as it cannot be wrong");
    EXPECT_EQ(minus_text(-0.354, 2), "−0.35");
}

// Labs store the rule of earlier versions, which has no lags per group.
TEST(Predictions, EarlierRuleStatesLagsAndThresholds) {
    Prediction prediction;
    prediction.low = {{{"theta", "10000"}}};
    prediction.high = {{{"theta", "500"}}};
    prediction.retrieval = RetrievalRule{16, 241};
    EXPECT_TRUE(has_earlier_rule(prediction));
    EXPECT_THAT(null_model_words(prediction), HasSubstr("each of the 2 groups fails with probability 1/2"));
    const std::string words = rule_words(*prediction.retrieval);
    for (const char* part :
         {"at distance 240 is below 50 %", "highest gain at distance 15", "If no group gains 10 %"}) {
        EXPECT_THAT(words, HasSubstr(part));
    }
}

// At d = 64, context 128 and θ = 100, B is −6.76 at the far lag 112 and not positive beyond it.
TEST(Predictions, ControlLagIsNearerIfNoneIsFarther) {
    SheetPlan plan;
    predict_for_bases(plan, {}, {"100", "10000"}, 64, 128, "", "");
    const GroupProbe& probe = plan.predictions[0].retrieval->probes[1];
    EXPECT_EQ(probe.far_lag, 112);
    EXPECT_EQ(probe.control_lag, 103);
    EXPECT_GT(probe.control_bound, 0);
}

// One pair has B = cos Δ, which is lowest (−0.99996) at the longest of the measured distances 6 to 22, where no lag is
// farther, and +0.41 at the distance 20.
TEST(Predictions, ControlLagIsNearerIfTheFarLagIsTheLongest) {
    SheetPlan plan;
    predict_for_bases(plan, {}, {"100", "10000"}, 2, 29, "", "");
    const GroupProbe& probe = plan.predictions[0].retrieval->probes[0];
    EXPECT_EQ(plan.predictions[0].retrieval->longest_lag, 23);
    EXPECT_EQ(probe.far_lag, 23);
    EXPECT_EQ(probe.near_lag, 20);
    EXPECT_EQ(probe.control_lag, 21);
    EXPECT_NEAR(probe.control_bound, 0.408082, 1e-6);
}

TEST(Predictions, RuleStatesControlsAndTheCorrection) {
    RetrievalRule rule{16, 241};
    rule.probes = {{{{"theta", "500"}}, "θ = 500", 19, 7.95, 105, -0.95, 113, 1.97},
                   {{{"theta", "600"}}, "θ = 600", 19, 7.95, 105, -0.95}};
    for (const char* part :
         {"against distance 18 (B = 7.95) and control distance 112 (B = 1.97); ",
          "against distance 18 (B = 7.95) without a control", "so that a plain decline with distance is no collapse",
          "have 95 % confidence each and 95 % together (Bonferroni's correction over 1 group)",
          "the effects of distance and of B cannot be separated"}) {
        EXPECT_THAT(rule_words(rule), HasSubstr(part));
    }
    rule.version = 2;
    EXPECT_THAT(rule_words(rule), testing::Not(HasSubstr("control")));
}

TEST(Predictions, ChanceIsOneOverTheNumberOfOrders) {
    EXPECT_DOUBLE_EQ(chance_of_set(6, 1), 1.0 / 6);
    EXPECT_DOUBLE_EQ(chance_of_set(7, 2), 1.0 / 21);
    EXPECT_DOUBLE_EQ(chance_of_set(5, 0), 1);
    const Prediction made = prediction_of_order("theory", "words", "seconds", {{}, {}}, {{}, {}, {}, {}, {}});
    EXPECT_DOUBLE_EQ(made.chance, 1.0 / 21);
    EXPECT_EQ(made.quantity, "seconds");
}

}  // namespace
}  // namespace ropelab
