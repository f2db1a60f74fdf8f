#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(Presets, EveryPresetExpands) {
    for (const Preset& entry : presets()) {
        EXPECT_NO_THROW(entry.experiment.expand()) << entry.name;
        EXPECT_EQ(Experiment::from_json(entry.experiment.to_json()).expand(), entry.experiment.expand()) << entry.name;
    }
}

TEST(Presets, LectureMinuteIsTheDefaultAndOneCohortOfSixSettingsWithFiveSeeds) {
    const auto runs = presets().front().experiment.expand();
    EXPECT_EQ(presets().front().name, "lecture-minute");
    EXPECT_EQ(group_into_cohorts(runs).size(), 1U);
    std::set<std::string> labels;
    for (RunSpec run : runs) {
        run.seed = RunSpec{}.seed;
        labels.insert(label_of(run));
    }
    EXPECT_EQ(runs.size(), 5 * labels.size());
    EXPECT_EQ(labels, (std::set<std::string>{"RoPE 0 %", "θ 10k, 2 ch", "θ 10k, 25 %", "θ 10k, 100 %", "θ 100, 100 %",
                                             "θ 1M, 100 %"}));
}

TEST(Presets, ThetaPaperHasThePapersSettings) {  // Huang, Chen, Zheng 2025, section 4
    const auto runs = preset("theta-paper").experiment.expand();
    EXPECT_EQ(runs.size(), 18U);
    const RunSpec& run = runs.front();
    EXPECT_EQ(run.layers, 6);
    EXPECT_EQ(run.heads, 6);
    EXPECT_EQ(run.width, 384);
    EXPECT_EQ(run.context, 256);
    EXPECT_EQ(run.batch, 64);
    EXPECT_EQ(run.iterations, 5000);
    EXPECT_EQ(run.dropout, 0.2);
    EXPECT_EQ(run.learning_rate, 1e-3);
    EXPECT_EQ(run.final_learning_rate, 1e-4);
    EXPECT_EQ(run.evaluation_batches, 200);
    EXPECT_FALSE(run.bias);
    EXPECT_TRUE(run.tied_head);
    EXPECT_EQ(run.position, Position::learned_rope);
}

TEST(Presets, EncodingsMinuteHasNineEncodingsOfOneShape) {
    const auto runs = preset("encodings-minute").experiment.expand();
    EXPECT_EQ(runs.size(), 18U);
    std::set<std::string> labels;
    std::set<Position> positions;
    for (RunSpec run : runs) {
        labels.insert(label_of(run));
        positions.insert(run.position);
        run.position = runs.front().position;
        run.seed = runs.front().seed;
        EXPECT_EQ(run, runs.front()) << "the runs differ in nothing but encoding and seed";
    }
    EXPECT_EQ(positions.size(), 9U);
    EXPECT_EQ(labels.size(), 9U) << "every encoding has a label of its own";
}

// Khan et al., appendix B, and the models' configurations: Llama-3.2-1B ties its output matrix, Pythia-1B does not and
// has biases; 32 devices with two passes of 64 sequences make a step of 4,096.
TEST(Presets, PartialPaperModelsHaveTheirHeadsAndPasses) {
    for (const char* name : {"partial-llama-paper", "partial-pythia-paper"}) {
        const RunSpec run = preset(name).experiment.expand().front();
        const bool parallel = run.block == Block::pythia;
        EXPECT_EQ(run.tied_head, !parallel) << name;
        EXPECT_EQ(run.bias, parallel) << name;
        EXPECT_EQ(run.head_dim(), parallel ? 256 : 64) << name;
        EXPECT_EQ(run.micro_batch, 64) << name;
        EXPECT_EQ(run.batch, 64 * 2 * 32) << name;
    }
    EXPECT_NE(preset("encodings-minute").summary.find("after 300 steps"), std::string::npos);
}

TEST(Presets, RejectsAnUnknownNameWithTheNearest) {
    EXPECT_MESSAGE(preset("lecture-hour"), BadInput, "lecture-minute");
}

}  // namespace
}  // namespace ropelab
