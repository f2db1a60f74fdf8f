#include "core/results/same_models.h"

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

// Returns the runs that remain with the exclusions.
std::vector<RunSpec> without_repeats(const std::vector<const char*>& assignments) {
    Experiment experiment;
    for (const char* each : assignments) experiment.set_assignment(each);
    experiment.set_exclusions(same_models(experiment.expand()).exclusions);
    return experiment.expand();
}

// Widths that equal the automatic ones, patterns of equal layers, and RoPE in a model of gated DeltaNets only.
TEST(SameModels, SpellingsOfAttentionAreTheSame) {
    const auto same = [](const std::vector<const char*>& a, const std::vector<const char*>& b) {
        return same_model(runs_of(a).front(), runs_of(b).front());
    };
    EXPECT_TRUE(same({"attention=mla"}, {"attention=mla", "latent_width=32", "rotary_channels=16"}));
    EXPECT_FALSE(same({"attention=mla"}, {"attention=mla", "latent_width=16"}));
    EXPECT_TRUE(same({"attention_layers=full"}, {}));
    EXPECT_TRUE(same({"attention_layers=window", "attention_window=8"}, {"attention_window=8"}));
    EXPECT_TRUE(same({"attention_layers=deltanet + full"}, {"attention_layers=1deltanet+1full"}));
    EXPECT_FALSE(same({"attention_layers=deltanet + full"}, {"attention_layers=full + deltanet"}));
    EXPECT_TRUE(same({"attention_layers=deltanet", "theta=500"}, {"attention_layers=deltanet"}));
    EXPECT_TRUE(same({"attention_window=128", "context=128"}, {}));
    EXPECT_FALSE(same({"attention_window=127", "context=128"}, {}));
    EXPECT_TRUE(same({"qk_norm=projection", "heads=1"}, {"qk_norm=true", "heads=1"}));
    EXPECT_FALSE(same({"qk_norm=projection"}, {"qk_norm=true"}));
    EXPECT_FALSE(same({"attention=gated"}, {}));
    EXPECT_FALSE(same({"attention_sinks=true"}, {}));
}

TEST(SameModels, ThetaIsIrrelevantWithoutRotation) {
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
    EXPECT_EQ(words_of(same, runs).find("4 of 12 runs train the same model as another run, for example \""), 0U);
    EXPECT_THAT(words_of(same, runs),
                HasSubstr("; exclude them with fraction=0,theta=10000 and fraction=0,theta=50000."));
    EXPECT_EQ(without_repeats(sweep).size(), 8U);
    EXPECT_TRUE(same_models(without_repeats(sweep)).runs.empty());
}

// gpt2 blocks have LayerNorm; AdamW has no momentum; without decay its kind has no effect.
TEST(SameModels, NormsAndOptimizersWithoutADifference) {
    EXPECT_THAT(same_models(runs_of({"norm=auto,layernorm,rmsnorm"})).runs, ElementsAre(1U));
    EXPECT_THAT(same_models(runs_of({"momentum=0.9,0.95"})).runs, ElementsAre(1U));
    EXPECT_THAT(same_models(runs_of({"momentum=0.9,0.95", "optimizer=sgd"})).runs, IsEmpty());
    EXPECT_THAT(same_models(runs_of({"weight_decay_kind=decoupled,l2", "weight_decay=0"})).runs, ElementsAre(1U));
    EXPECT_THAT(same_models(runs_of({"weight_decay_kind=decoupled,l2"})).runs, IsEmpty());
    EXPECT_THAT(same_models(runs_of({"norm_position=pre,post,sandwich"})).runs, IsEmpty());
}

TEST(SameModels, FractionsWithEqualChannelsAreTheSameModel) {
    const SameModels same = same_models(runs_of({"fraction=0.25,24 %,0.5"}));  // 8, 8 and 16 of 32 channels per head
    EXPECT_THAT(same.runs, ElementsAre(1U));
    EXPECT_THAT(same.as_first, ElementsAre(0U));
    EXPECT_EQ(without_repeats({"fraction=0.25,24 %,0.5"}).size(), 2U);
}

TEST(SameModels, PositionsWithoutRotationEqualNone) {
    EXPECT_EQ(same_models(runs_of({"position=none,rope", "fraction=0"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"position=learned,learned+rope", "fraction=0"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"position=none", "theta=500,10k"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"rotated_layers=0of2", "theta=500,10k"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"pairs=12", "fraction=0.5,1"})).runs.size(), 0U)
        << "pair 12 is only rotated at 100 %";
    EXPECT_EQ(same_models(runs_of({"pairs=0", "theta=500,10k"})).runs.size(), 1U)
        << "the frequency of pair 0 is 1 for every theta";
    EXPECT_EQ(same_models(runs_of({"fraction=2 ch", "theta=500,10k"})).runs.size(), 1U)
        << "the only pair has frequency 1";
    EXPECT_EQ(same_models(runs_of({"partial=slice,truncate"})).runs.size(), 1U)
        << "both are equal for a fully rotated head";
}

TEST(SameModels, OtherEncodingsAreTheirOwnModels) {
    EXPECT_EQ(same_models(runs_of({"position=none,alibi,sinusoidal,shaw,t5,transformer-xl,cope,kerple"})).runs.size(),
              0U);
    EXPECT_EQ(same_models(runs_of({"position=rope,xpos,fope,rope+bias", "fraction=0,0.5"})).runs.size(), 2U)
        << "RoPE and xPos without rotated pairs are NoPE";
    EXPECT_EQ(same_models(runs_of({"position=t5,rope+bias", "fraction=0"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"position=shaw,rope", "relative_clip=4,8"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"position=cope", "distance_buckets=8,16"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"frequencies=auto,1,0.5", "fraction=2 ch"})).runs.size(), 1U)
        << "the frequency of the only pair is 1 for every theta";
}

TEST(SameModels, ValuesThatMeanTheDefaultAreTheSameModel) {
    EXPECT_EQ(same_models(runs_of({"key_value_heads=0,2"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"mlp_width=0,256"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"feed_forward=auto,gelu,swiglu"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"multiple_of=8,64"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"block=gpt2,llama", "norm=rmsnorm", "feed_forward=swiglu"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"block=gpt2,llama"})).runs.size(), 0U);
    EXPECT_EQ(same_models(runs_of({"experts_per_token=1,2", "expert_balance=0,0.01"})).runs.size(), 3U)
        << "there are no experts";
    EXPECT_EQ(same_models(runs_of({"experts=4", "experts_per_token=1,2"})).runs.size(), 0U);
    EXPECT_EQ(same_models(runs_of({"experts=4", "expert_capacity=0,1,2"})).runs.size(), 1U)
        << "twice the even share of two choices is all tokens";
    EXPECT_EQ(same_models(runs_of({"theta_end=500,1000"})).runs.size(), 1U);
    EXPECT_EQ(same_models(runs_of({"data=a.txt", "data_seed=1,2"})).runs.size(), 1U);
}

TEST(SameModels, ReportsEqualRuns) {
    const std::vector<RunSpec> runs = runs_of({"seed=1,1,2"});
    const SameModels same = same_models(runs);
    EXPECT_THAT(same.runs, ElementsAre(1U));
    EXPECT_THAT(same.exclusions, IsEmpty());
    EXPECT_THAT(words_of(same, runs), HasSubstr("1 of 3 runs trains the same model as another run"));
    EXPECT_THAT(words_of(same, runs), HasSubstr("; list each value only once."));
}

TEST(SameModels, MessageNamesFewExclusionsAndCountsTheRest) {
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

// They are measured differently, but they are the same models.
TEST(SameModels, SettingsOfEvaluationDoNotChangeTraining) {
    for (const char* sweep : {"evaluate_every=4,80", "evaluation=whole,sampled", "evaluation_batches=1,20",
                              "sample_length=0,200", "probe_every=0,1"}) {
        const std::vector<RunSpec> runs = runs_of({sweep});
        EXPECT_THAT(same_models(runs).runs, ElementsAre(1U)) << sweep;
    }
    const std::vector<RunSpec> runs = runs_of({"evaluate_every=4,80", "seed=1,2"});
    EXPECT_THAT(words_of(same_models(runs), runs), HasSubstr("2 of 4 runs train the same model as another run"));
    EXPECT_THAT(words_of(same_models(runs), runs), HasSubstr("exclude them with evaluate_every=80."));
}

TEST(SameModels, DifferentModelsAreNotReported) {
    for (const char* sweep :
         {"theta=500,10k", "fraction=0,0.25,1", "seed=1,2", "data_seed=1,2", "position=none,rope", "dropout=0,0.1",
          "precision=float32,bfloat16", "operations=fused,eager", "theta_training=fixed,one", "pairs=all,0-7",
          "rotated_layers=all,1of2", "iterations=100,200"}) {
        const std::vector<RunSpec> runs = runs_of({sweep});
        EXPECT_THAT(same_models(runs).runs, IsEmpty()) << sweep;
        EXPECT_EQ(words_of(same_models(runs), runs), "") << sweep;
    }
    EXPECT_TRUE(same_models(runs_of({"theta_training=one", "fraction=2 ch", "theta=500,10k"})).runs.empty());
    EXPECT_TRUE(same_models(runs_of({"partial=slice,truncate", "fraction=0.5"})).runs.empty());
}

}  // namespace
}  // namespace ropelab
