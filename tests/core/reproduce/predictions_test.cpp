#include "core/reproduce/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/reproduce/building.h"
#include "core/reproduce/evaluate.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Formula 12 at d = 64 and context 256: the bases 500 and 1,000 fail (from distances 154 and 197), 5,000 and above
// support the context. Formula 14: 40 of 64 channels saw a full period at θ = 500.
TEST(Predictions, PredictsForTheThetaPapersBases) {
    SheetPlan plan;
    predict_for_bases(plan, {{"data", "text"}}, theta_paper_bases(), 64, 256, "", "Why not.");
    ASSERT_THAT(plan.predictions, SizeIs(2));
    const Prediction& bound = plan.predictions[0];
    EXPECT_THAT(bound.high, ElementsAre(GroupKeys{{"data", "text"}, {"theta", "500"}},
                                        GroupKeys{{"data", "text"}, {"theta", "1000"}}));
    EXPECT_THAT(bound.low, SizeIs(4));
    EXPECT_THAT(bound.words, HasSubstr("θ = 500 (from distance 154 on), θ = 1000 (from distance 197 on)"));
    EXPECT_EQ(bound.quantity, "retrieval by distance");
    EXPECT_EQ(bound.measure, "retrieval_gain_at_lag_241");
    EXPECT_EQ(bound.retrieval, (RetrievalRule{16, 241}));
    EXPECT_THAT(bound.words, HasSubstr(rule_words(*bound.retrieval)));
    EXPECT_EQ(plan.retrieval_windows, 2);      // the default scale of a plan is smoke
    EXPECT_DOUBLE_EQ(bound.chance, 1.0 / 64);  // six groups, however many fail
    EXPECT_THAT(bound.words, HasSubstr("each of the 6 groups fails with probability 1/2"));
    const Prediction& dimension = plan.predictions[1];
    EXPECT_THAT(dimension.low, ElementsAre(GroupKeys{{"data", "text"}, {"theta", "500"}}));
    EXPECT_THAT(dimension.words, HasSubstr("(24)"));  // 64 − 40
    EXPECT_EQ(dimension.unmeasured, "Why not.");
    EXPECT_DOUBLE_EQ(dimension.chance, 1.0 / 6);
}

// Formula 13: up to a fraction of one half B(m) is never negative.
TEST(Predictions, PredictsForFractions) {
    SheetPlan plan;
    predict_for_fractions(plan, {}, {"0", "2 ch", "10 %", "25 %", "50 %", "1"}, 64, 2048, "extension_rise", "");
    ASSERT_THAT(plan.predictions, SizeIs(2));
    EXPECT_THAT(plan.predictions[0].low, SizeIs(4));  // NoPE is no candidate
    EXPECT_THAT(plan.predictions[0].high, ElementsAre(GroupKeys{{"fraction", "1"}}));
    EXPECT_DOUBLE_EQ(plan.predictions[0].chance, 1.0 / 32);
    EXPECT_EQ(plan.predictions[1].measure, "extension_rise");
    EXPECT_THAT(plan.predictions[1].low, testing::Contains(GroupKeys{{"fraction", "2 ch"}}));
}

TEST(Predictions, PredictionThatNoneFailsHasAChance) {
    SheetPlan plan;
    predict_for_bases(plan, {}, {"100000", "1000000"}, 64, 256, "", "");
    EXPECT_TRUE(plan.predictions[0].high.empty());
    EXPECT_DOUBLE_EQ(plan.predictions[0].chance, 1.0 / 4);
}

// A base that fails beyond the longest lag is not predicted to fail, and contexts too short for two copies give no
// prediction.
TEST(Predictions, PredictsRetrievalUpToTheLongestLag) {
    SheetPlan plan;
    plan.scale = SheetScale::laptop;
    predict_for_bases(plan, {}, {"500", "1000"}, 64, 200, "", "");
    EXPECT_EQ(plan.predictions[0].retrieval, (RetrievalRule{16, 185}));
    EXPECT_THAT(plan.predictions[0].high, ElementsAre(GroupKeys{{"theta", "500"}}));  // 1,000 fails from 197
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
    set_all(experiment, settings);
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
    EXPECT_EQ(learned.predictions[1].measure, "");
    EXPECT_THAT(learned.predictions[1].unmeasured, HasSubstr("a loss beyond the context does not exist"));
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
    const std::string words = rule_words(RetrievalRule{16, 241});
    for (const char* part : {"at lag 241 is below 50 %", "highest gain at lag 16", "If no group gains 10 %"}) {
        EXPECT_THAT(words, HasSubstr(part));
    }
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
