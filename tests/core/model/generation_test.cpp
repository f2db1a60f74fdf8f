#include <gtest/gtest.h>

#include <cmath>

#include "core/spec/error.h"
#include "core/train/torch_cohort.h"
#include "core/train/torch_engine.h"
#include "tests/support/expect_message.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class GenerationTest : public testing::Test {
 protected:
    std::unique_ptr<Model> trained(RunSpec spec) {
        CohortStart start;
        start.runs = {spec};
        TorchCohort cohort(start, {7, tokens_, tokens_}, 1);
        for (int i = 0; i < 20; ++i) cohort.step();
        return cohort.model(0);
    }

    // nanoGPT's generate, word for word: crop, run the whole window, take the last position.
    static std::vector<std::int32_t> greedy_by_whole_windows(Model& model, std::vector<std::int32_t> text, int length,
                                                             std::size_t context) {
        std::vector<std::int32_t> result;
        for (int i = 0; i < length; ++i) {
            const std::size_t start = text.size() > context ? text.size() - context : 0;
            const auto logits = model.logits({text.data() + start, text.size() - start});
            const auto last = logits.end() - 7;
            result.push_back(static_cast<std::int32_t>(std::max_element(last, logits.end()) - last));
            text.push_back(result.back());
        }
        return result;
    }

    std::vector<std::int32_t> tokens_ = tiny_tokens();
    std::vector<std::int32_t> prompt_ = {3, 6, 2};
};

TEST_F(GenerationTest, RecomputeIsTheModelOnTheLastWindow) {
    for (Position position : {Position::rope, Position::learned, Position::learned_rope, Position::none,
                              Position::alibi, Position::sinusoidal}) {
        RunSpec spec = tiny_spec();
        spec.position = position;
        spec.attention_window = position == Position::alibi ? 5 : 0;
        const auto model = trained(spec);
        Generation how;
        how.length = 40;  // far past the context of 16
        how.temperature = 0;
        EXPECT_EQ(model->generate(prompt_, how), greedy_by_whole_windows(*model, prompt_, 40, 16));
    }
}

TEST_F(GenerationTest, EveryBlockReadsSymbolBySymbolAsItReadsAWindow) {
    for (const Block block : {Block::gpt2, Block::llama, Block::pythia}) {
        for (const bool flag : {false, true}) {
            RunSpec spec = tiny_spec();
            spec.block = block;
            spec.heads = 4;
            spec.width = 40;  // no multiple of a register
            spec.key_value_heads = flag ? 2 : 0;
            spec.qk_norm = flag;
            spec.bias = flag;
            spec.tied_head = !flag;
            spec.rotated_layers = flag ? "1" : "all";
            const auto model = trained(spec);
            Generation how;
            how.length = 40;
            how.temperature = 0;
            EXPECT_EQ(model->generate(prompt_, how), greedy_by_whole_windows(*model, prompt_, 40, 16));
        }
    }
}

TEST_F(GenerationTest, RollingAgreesWithRecomputeInsideTheContext) {
    const auto model = trained(tiny_spec());
    Generation how;
    how.length = 13;
    how.temperature = 0;
    const auto exact = model->generate(prompt_, how);
    how.mode = Generation::Mode::rolling;
    EXPECT_EQ(model->generate(prompt_, how), exact);
}

// What rolling claims past the context: each new symbol sees the last `context` symbols, whose keys and values were
// computed when they were read. With one layer these depend on the symbols alone, and rotation only on distances: so
// there it equals the whole window recomputed.
TEST_F(GenerationTest, RollingSeesTheLastWindowAtGrowingPositions) {
    RunSpec spec = tiny_spec();
    spec.layers = 1;
    const auto model = trained(spec);
    Generation how;
    how.length = 60;
    how.temperature = 0;
    how.mode = Generation::Mode::rolling;
    EXPECT_EQ(model->generate(prompt_, how), greedy_by_whole_windows(*model, prompt_, 60, 16));
}

// A distance is all that ALiBi and a sliding window know of a position, too.
TEST_F(GenerationTest, RollingWithAlibiAndWithAWindowSeesTheLastTokens) {
    for (const Position position : {Position::alibi, Position::rope}) {
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            RunSpec spec = tiny_spec();
            spec.layers = 1;
            spec.position = position;
            spec.attention_window = 6;
            spec.operations = operations;
            const auto model = trained(spec);
            Generation how;
            how.length = 40;
            how.temperature = 0;
            how.mode = Generation::Mode::rolling;
            EXPECT_EQ(model->generate(prompt_, how), greedy_by_whole_windows(*model, prompt_, 40, 16));
        }
    }
}

TEST_F(GenerationTest, RollingNeedsRotationWithoutLearnedPositions) {
    for (Position position : {Position::learned, Position::learned_rope, Position::none, Position::sinusoidal}) {
        RunSpec spec = tiny_spec();
        spec.position = position;
        Generation how;
        how.mode = Generation::Mode::rolling;
        EXPECT_MESSAGE(trained(spec)->generate(prompt_, how), BadInput, "recompute");
    }
}

TEST_F(GenerationTest, DrawsDependOnTheSeedAndStopWhenAsked) {
    const auto model = trained(tiny_spec());
    Generation how;
    how.length = 50;
    how.seed = 5;
    const auto first = model->generate(prompt_, how);
    EXPECT_EQ(first, model->generate(prompt_, how));
    how.seed = 6;
    EXPECT_NE(first, model->generate(prompt_, how));
    int seen = 0;
    how.on_token = [&](std::int32_t) { return ++seen < 5; };
    EXPECT_EQ(model->generate(prompt_, how).size(), 5U);
}

TEST_F(GenerationTest, TopKAndTemperatureShapeTheDraws) {
    const auto model = trained(tiny_spec());
    // The share of each symbol among many first draws against softmax(logits / temperature).
    const auto logits = model->logits(prompt_);
    std::vector<double> expected;
    double total = 0;
    for (auto logit = logits.end() - 7; logit != logits.end(); ++logit) {
        expected.push_back(std::exp(*logit / 0.7));
        total += expected.back();
    }
    std::vector<int> counts(7, 0);
    Generation how;
    how.length = 1;
    how.temperature = 0.7;
    constexpr int draws = 3000;
    for (how.seed = 0; how.seed < draws; ++how.seed)
        ++counts[static_cast<std::size_t>(model->generate(prompt_, how).front())];
    for (std::size_t i = 0; i < 7; ++i) {
        const double share = expected[i] / total;
        EXPECT_NEAR(counts[i] / static_cast<double>(draws), share, 4 * std::sqrt(share * (1 - share) / draws) + 1e-3);
    }
    how.top_k = 1;
    how.temperature = 5;
    const auto best = std::max_element(logits.end() - 7, logits.end()) - (logits.end() - 7);
    for (how.seed = 0; how.seed < 20; ++how.seed) EXPECT_EQ(model->generate(prompt_, how).front(), best);
}

TEST_F(GenerationTest, RefusesWhatItCannotRead) {
    const auto model = trained(tiny_spec());
    EXPECT_MESSAGE(model->generate({}, {}), BadInput, "prompt is empty");
    const std::vector<std::int32_t> foreign = {1, 9};
    EXPECT_MESSAGE(model->generate(foreign, {}), BadInput, "Token 9");
    EXPECT_MESSAGE(model->logits(std::vector<std::int32_t>(17, 0)), BadInput, "between 1 and 16");
}

TEST_F(GenerationTest, AModelMadeFromItsStateIsTheSameModel) {
    CohortStart start;
    start.runs = {tiny_spec()};
    TorchCohort cohort(start, {7, tokens_, tokens_}, 1);
    for (int i = 0; i < 5; ++i) cohort.step();
    TorchEngine engine;
    const auto copy = engine.create_model(tiny_spec(), 7, cohort.state(0));
    EXPECT_EQ(copy->logits(prompt_), cohort.model(0)->logits(prompt_));
    auto state = cohort.state(0);
    std::erase_if(state, [](const NamedTensor& t) { return t.name == "model.final_norm.weight"; });
    EXPECT_MESSAGE(engine.create_model(tiny_spec(), 7, state), BadInput, "model.final_norm.weight");
}

}  // namespace
}  // namespace ropelab
