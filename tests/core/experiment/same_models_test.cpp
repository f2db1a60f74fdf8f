#include "core/experiment/same_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/experiment/experiment.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<RunSpec> runs_of(const std::vector<const char*>& assignments) {
    Experiment experiment;
    for (const char* each : assignments) experiment.set_assignment(each);
    return experiment.expand();
}

// What is left where the exclusions are taken over.
std::vector<RunSpec> without_repeats(const std::vector<const char*>& assignments) {
    Experiment experiment;
    for (const char* each : assignments) experiment.set_assignment(each);
    experiment.set_exclusions(same_models(experiment.expand()).exclusions);
    return experiment.expand();
}

TEST(SameModels, WhereNothingTurnsThetaDoesNotMatter) {
    const std::vector<const char*> sweep = {"fraction=0,0.5", "theta=500,10k,50k", "seed=1,2"};
    const std::vector<RunSpec> runs = runs_of(sweep);
    const SameModels same = same_models(runs);
    EXPECT_EQ(same.runs.size(), 4U);
    for (std::size_t i = 0; i < same.runs.size(); ++i) {
        EXPECT_TRUE(same_model(runs[same.runs[i]], runs[same.as_first[i]]));
        EXPECT_EQ(runs[same.runs[i]].seed, runs[same.as_first[i]].seed);
    }
    EXPECT_THAT(same.exclusions,
                ElementsAre(std::map<std::string, std::string>{{"fraction", "0"}, {"theta", "10000"}},
                            std::map<std::string, std::string>{{"fraction", "0"}, {"theta", "50000"}}));
    EXPECT_EQ(words_of(same, runs).find("4 of 12 runs train the very model of another, as \""), 0U);
    EXPECT_THAT(words_of(same, runs),
                HasSubstr("; leave them out with exclude fraction=0,theta=10000 and fraction=0,theta=50000."));
    EXPECT_EQ(without_repeats(sweep).size(), 8U);
    EXPECT_TRUE(same_models(without_repeats(sweep)).runs.empty());
}

TEST(SameModels, FractionsThatRoundToAsManyChannels) {
    const SameModels same = same_models(runs_of({"fraction=0.25,24 %,0.5"}));  // 32 channels a head: 8, 8, 16
    EXPECT_THAT(same.runs, ElementsAre(1U));
    EXPECT_THAT(same.as_first, ElementsAre(0U));
    EXPECT_EQ(without_repeats({"fraction=0.25,24 %,0.5"}).size(), 2U);
}

TEST(SameModels, PositionsThatTurnNothingAreNone) {
    EXPECT_EQ(same_models(runs_of({"position=none,rope", "fraction=0"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"position=learned,learned+rope", "fraction=0"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"position=none", "theta=500,10k"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"rotated_layers=0of2", "theta=500,10k"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"pairs=12", "fraction=0.5,1"})).runs.size(), 0U) << "pair 12 turns at 100 % alone";
    EXPECT_EQ(same_models(runs_of({"pairs=0", "theta=500,10k"})).runs.size(), 1U) << "the first pair turns by 1";
    EXPECT_EQ(same_models(runs_of({"fraction=2 ch", "theta=500,10k"})).runs.size(), 1U) << "as does the only one";
    EXPECT_EQ(same_models(runs_of({"partial=slice,truncate"})).runs.size(), 1U) << "a whole head has one spectrum";
}

TEST(SameModels, WhatStandsForADefault) {
    EXPECT_EQ(same_models(runs_of({"key_value_heads=0,2"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"mlp_width=0,256"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"theta_end=500,1000"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"data=a.txt", "data_seed=1,2"})).runs.size(), 1U);
}

TEST(SameModels, EqualRunsAreSaidToBe) {
    const std::vector<RunSpec> runs = runs_of({"seed=1,1,2"});
    const SameModels same = same_models(runs);
    EXPECT_THAT(same.runs, ElementsAre(1U));
    EXPECT_THAT(same.exclusions, IsEmpty());
    EXPECT_THAT(words_of(same, runs), HasSubstr("1 of 3 runs trains the very model of another"));
    EXPECT_THAT(words_of(same, runs), HasSubstr("; give each value once."));
}

TEST(SameModels, OfManyExclusionsASentenceNamesAFewAndCountsTheRest) {
    std::string thetas = "theta=500";
    for (int theta = 501; theta <= 560; ++theta) thetas += "," + std::to_string(theta);
    const std::vector<const char*> sweep = {"fraction=0,0.5", thetas.c_str(), "seed=1,2,3,4,5,6,7,8,9,10"};
    const std::vector<RunSpec> runs = runs_of(sweep);
    ASSERT_EQ(runs.size(), 1220U);
    const SameModels same = same_models(runs);
    EXPECT_EQ(same.runs.size(), 600U);
    EXPECT_EQ(same.exclusions.size(), 60U);
    EXPECT_THAT(words_of(same, runs), HasSubstr("fraction=0,theta=504 and 56 more."));
    EXPECT_EQ(without_repeats(sweep).size(), 620U);
}

TEST(SameModels, OtherModelsAreLeftAlone) {
    for (const char* sweep :
         {"theta=500,10k", "fraction=0,0.25,1", "seed=1,2", "data_seed=1,2", "position=none,rope", "dropout=0,0.1",
          "precision=float32,bfloat16", "operations=fused,eager", "evaluate_every=50,100", "theta_training=fixed,one",
          "pairs=all,0-7", "rotated_layers=all,1of2", "iterations=100,200"}) {
        const std::vector<RunSpec> runs = runs_of({sweep});
        EXPECT_THAT(same_models(runs).runs, IsEmpty()) << sweep;
        EXPECT_EQ(words_of(same_models(runs), runs), "") << sweep;
    }
    EXPECT_TRUE(same_models(runs_of({"theta_training=one", "fraction=2 ch", "theta=500,10k"})).runs.empty());
    EXPECT_TRUE(same_models(runs_of({"partial=slice,truncate", "fraction=0.5"})).runs.empty());
}

}  // namespace
}  // namespace ropelab
