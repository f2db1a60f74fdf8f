#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "core/plan/step_cost.h"
#include "tests/support/every_choice.h"
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

    // nanoGPT's generate, literally: crop the tokens, process the whole sequence, use the last position.
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

TEST_F(GenerationTest, RecomputeEqualsTheModelOnTheLastTokens) {
    for (const Position position : encodings_with([](const PositionEncoding&) { return true; })) {
        SCOPED_TRACE(static_cast<int>(position));
        RunSpec spec = tiny_spec();
        spec.position = position;
        spec.relative_clip = 5;
        spec.cope_positions = 4;
        spec.attention_window = position == Position::alibi ? 5 : 0;
        const auto model = trained(spec);
        Generation options;
        options.length = 40;  // beyond the context of 16
        options.temperature = 0;
        EXPECT_EQ(model->generate(prompt_, options), greedy_by_whole_windows(*model, prompt_, 40, 16));
    }
}

TEST_F(GenerationTest, EveryBlockGivesEqualLogitsTokenByToken) {
    for (const Block block : {Block::gpt2, Block::llama, Block::pythia}) {
        for (const bool flag : {false, true}) {
            RunSpec spec = tiny_spec();
            spec.block = block;
            spec.heads = 4;
            spec.width = 40;  // not a multiple of a register
            spec.key_value_heads = flag ? 2 : 0;
            spec.qk_norm = flag ? QkNorm::head : QkNorm::none;
            spec.bias = flag;
            spec.tied_head = !flag;
            spec.head_bias = flag != (block == Block::gpt2);  // with and without tied weights
            spec.rotated_layers = flag ? "1" : "all";
            const auto model = trained(spec);
            Generation options;
            options.length = 40;
            options.temperature = 0;
            EXPECT_EQ(model->generate(prompt_, options), greedy_by_whole_windows(*model, prompt_, 40, 16));
        }
    }
}

// With the kernels of tokens and without them, before and beyond the context, with short and long prompts.
TEST_F(GenerationTest, StreamsAreThoseOfTheirSeedsAlone) {
    std::vector<RunSpec> runs(6, tiny_spec());
    runs[1].block = Block::llama;
    runs[1].heads = 4;
    runs[1].width = 40;
    runs[1].key_value_heads = 2;
    runs[1].qk_norm = QkNorm::head;
    runs[2].block = Block::pythia;
    runs[2].context = 40;
    runs[3].precision = Precision::bfloat16;
    runs[4].position = Position::alibi;
    runs[4].attention_window = 5;
    runs[5].attention = AttentionKind::mla;
    for (const RunSpec& spec : runs) {
        SCOPED_TRACE(label_of(spec));
        const auto model = trained(spec);
        for (const auto mode : {Generation::Mode::recompute, Generation::Mode::rolling}) {
            const std::vector<std::int32_t> prompt(spec.context == 40 ? 35 : 3, 2);
            Generation options;
            options.length = 30;  // beyond the context of 16 or 40
            options.mode = mode;
            options.seed = 5;
            const auto streams = model->generate_streams(prompt, options, 9);
            ASSERT_EQ(streams.size(), 9U);
            EXPECT_NE(streams[0], streams[1]);
            for (const auto& stream : streams) {
                EXPECT_EQ(stream, model->generate(prompt, options));
                ++options.seed;
            }
            if (spec.precision == Precision::bfloat16) {
                EXPECT_EQ(model->cache_bytes(), cache_bytes(spec).kv / 2);
            }
        }
    }
    const auto model = trained(runs[0]);
    int tokens = 0;
    Generation options;
    options.on_token = [&](std::int32_t) { return ++tokens < 8; };
    for (const auto& stream : model->generate_streams(prompt_, options, 3)) EXPECT_EQ(stream.size(), 3U);
    EXPECT_EQ(model->cache_bytes(), 3 * cache_bytes(runs[0]).kv);
    EXPECT_LT(cache_bytes(runs[0]).kv, kv_bytes(plan_of(runs[2], 7)));
}

TEST_F(GenerationTest, StreamsDividedAmongThreadsAreThoseOfTheirSeedsAlone) {
    RunSpec spec = tiny_spec();
    spec.width = 48;
    spec.context = 2048;  // so that a token is worth two threads
    const auto text = tiny_tokens(2100);
    CohortStart start;
    start.runs = {spec};
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        start.runs.front().precision = precision;
        const auto model = TorchCohort(start, {7, text, text}, 2).model(0);
        Generation options;
        options.length = 12;
        options.seed = 3;
        const auto streams = model->generate_streams(prompt_, options, 9);  // 4 and 5 of them
        EXPECT_EQ(model->cache_bytes(), 9 * cache_bytes(spec).kv / (precision == Precision::bfloat16 ? 2 : 1));
        EXPECT_NE(streams[0], streams[8]);
        for (const auto& stream : streams) {
            EXPECT_EQ(stream, model->generate(prompt_, options));
            ++options.seed;
        }
    }
}

TEST_F(GenerationTest, Int8WeightsLoseLittleAndGenerateTheirOwnMostProbableTokens) {
    TorchEngine engine;
    for (const Block block : {Block::gpt2, Block::llama, Block::pythia}) {
        RunSpec spec = tiny_spec();
        spec.block = block;
        spec.heads = 4;
        spec.width = 40;
        spec.tied_head = block == Block::llama;
        spec.head_bias = block == Block::gpt2;
        spec.position = block == Block::gpt2 ? Position::learned : Position::rope;
        spec.learning_rate = 1e-2;
        CohortStart start;
        start.runs = {spec};
        TorchCohort cohort(start, {7, tokens_, tokens_}, 1);
        for (int i = 0; i < 40; ++i) cohort.step();
        const auto int8 = engine.create_model(plan_of(spec, 7), cohort.state(0), {Device::cpu, Precision::int8});
        const double full = cohort.model(0)->whole_loss(tokens_);
        EXPECT_LT(full, 1.5);
        EXPECT_NE(int8->whole_loss(tokens_), full);
        EXPECT_NEAR(int8->whole_loss(tokens_), full, 0.01);
        Generation options;
        options.length = 13;
        options.temperature = 0;
        EXPECT_EQ(int8->generate(prompt_, options), greedy_by_whole_windows(*int8, prompt_, 13, 16));
        EXPECT_EQ(int8->cache_bytes(), cache_bytes(spec).kv / 2);
        options.temperature = 1;
        const auto streams = int8->generate_streams(prompt_, options, 6);
        EXPECT_EQ(streams.front(), int8->generate(prompt_, options));
    }
    RunSpec spec = tiny_spec();
    spec.attention = AttentionKind::mla;
    EXPECT_MESSAGE(engine.create_untrained_model(plan_of(spec, 7), 1, {Device::cpu, Precision::int8}), BadInput,
                   "choose float32 or bfloat16");
}

// Returns runs with each kind of attention and with mixed layers; the context is larger than a chunk of a DeltaNet.
std::vector<RunSpec> runs_of_each_attention() {
    RunSpec spec = tiny_spec();
    spec.heads = 4;
    spec.width = 32;
    spec.layers = 3;
    spec.context = 40;
    std::vector<RunSpec> runs(9, spec);
    runs[0].attention = AttentionKind::mla;
    runs[1].attention = AttentionKind::mla;
    runs[1].attention_sinks = true;
    runs[1].attention_layers = "window + 2 full";
    runs[1].attention_window = 7;
    runs[2].attention = AttentionKind::gated;
    runs[2].key_value_heads = 2;
    runs[3].attention_layers = "2 deltanet + 1 full";
    runs[3].attention_sinks = true;
    runs[4].attention_layers = "2 window + full";
    runs[4].attention_window = 5;
    runs[5].attention_layers = "deltanet";
    runs[5].position = Position::none;
    runs[6].attention_sinks = true;
    runs[6].position = Position::t5;
    runs[7].attention_layers = "deltanet + full";
    runs[7].position = Position::shaw;
    runs[8].attention_layers = "window + full";
    runs[8].attention_window = 6;
    runs[8].attention_sinks = true;
    runs[8].position = Position::xpos;
    return runs;
}

// The cache counts its own bytes, which are those of the formulas.
TEST_F(GenerationTest, EveryAttentionGivesEqualTokensAndTheComputedCache) {
    for (RunSpec spec : runs_of_each_attention()) {
        SCOPED_TRACE(label_of(spec));
        const auto model = trained(spec);
        EXPECT_EQ(model->cache_bytes(), 0);
        Generation options;
        options.length = 60;  // beyond the context of 40
        options.temperature = 0;
        EXPECT_EQ(model->generate(prompt_, options), greedy_by_whole_windows(*model, prompt_, 60, 40));
        EXPECT_EQ(model->cache_bytes(), cache_bytes(spec).kv);
        spec.operations = Operations::eager;
        const auto eager = trained(spec);
        EXPECT_EQ(eager->generate(prompt_, options), greedy_by_whole_windows(*eager, prompt_, 60, 40));
        EXPECT_EQ(eager->cache_bytes(), 0);
    }
}

// The numbers of a run need not fill the processor's vectors.
TEST_F(GenerationTest, EveryAttentionOfOddSizesDoesNotDependOnTheCohort) {
    for (const char* setting : {"gated", "deltanet"}) {
        SCOPED_TRACE(setting);
        RunSpec spec = tiny_spec();
        spec.heads = 1;
        spec.width = 6;
        spec.context = 13;
        spec.batch = 3;
        if (std::string(setting) == "gated") spec.attention = AttentionKind::gated;
        if (std::string(setting) == "deltanet") spec.attention_layers = setting;
        CohortStart together;
        together.runs.assign(3, spec);
        together.runs[0].seed = 5;
        together.runs[1].seed = 6;
        CohortStart alone;
        alone.runs = {spec};
        TorchCohort several(together, {7, tokens_, tokens_}, 1);
        TorchCohort one(alone, {7, tokens_, tokens_}, 1);
        for (int step = 0; step < 6; ++step) {
            several.step();
            one.step();
        }
        EXPECT_TRUE(one.state(0) == several.state(2));
    }
}

TEST_F(GenerationTest, EveryAttentionResumesAndDoesNotDependOnTheCohort) {
    for (RunSpec spec : runs_of_each_attention()) {
        SCOPED_TRACE(label_of(spec));
        spec.dropout = 0.1;
        const auto cohort_of = [&](const CohortStart& start) {
            return std::make_unique<TorchCohort>(start, TokenData{7, tokens_, tokens_}, 2);
        };
        CohortStart together;
        together.runs.assign(3, spec);
        together.runs[1].seed = 5;
        together.runs[2].seed = 6;
        const auto several = cohort_of(together);
        for (int step = 0; step < 6; ++step) several->step();
        CohortStart alone;
        alone.runs = {spec};
        const auto first = cohort_of(alone);
        for (int step = 0; step < 3; ++step) first->step();
        alone.iteration = 3;
        alone.states = {first->state(0)};
        const auto resumed = cohort_of(alone);
        for (int step = 0; step < 3; ++step) resumed->step();
        EXPECT_TRUE(resumed->state(0) == several->state(0));
    }
}

// Probes measure the layers that have attention weights; the others have no numbers.
TEST_F(GenerationTest, EveryAttentionCanBeProbed) {
    for (const RunSpec& spec : runs_of_each_attention()) {
        SCOPED_TRACE(label_of(spec));
        const auto model = trained(spec);
        ProbeRequest request;
        request.sequences = {16, {tokens_.begin(), tokens_.begin() + 32}, {tokens_.begin() + 1, tokens_.begin() + 33}};
        request.map_size = 16;
        request.ablated_pairs = {0};
        const ProbeResult result = model->probe(request);
        EXPECT_TRUE(std::isfinite(result.loss));
        if (!spec.has_softmax_attention()) {
            EXPECT_TRUE(result.attention.empty());
            EXPECT_TRUE(result.entropy.empty());
            continue;
        }
        EXPECT_EQ(result.query_usage.shape, (std::vector<std::int64_t>{3, 4, spec.query_dim() / 2}));
        for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
            const std::span<const float> map = result.attention.row(layer, 1);
            if (spec.layer_attention(layer) == LayerAttention::delta_net) {
                EXPECT_TRUE(std::isnan(map.front()));
                EXPECT_TRUE(std::isnan(result.entropy.row(layer, 0).front()));
                continue;
            }
            float sum = 0;  // of the last query's attention weights
            for (std::size_t key = 0; key < 16; ++key) sum += map[15 * 16 + key];
            if (spec.attention_sinks) {
                EXPECT_LT(sum, 1.0F);
                EXPECT_GT(sum, 0.0F);
            } else {
                EXPECT_NEAR(sum, 1.0F, 1e-5F);
            }
            EXPECT_GT(result.entropy.row(layer, 0).front(), 0.0F);
        }
    }
}

TEST_F(GenerationTest, NormalizedProjectionsGiveEqualLogitsTokenByToken) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        RunSpec spec = tiny_spec();
        spec.heads = 4;
        spec.width = 40;
        spec.key_value_heads = 2;
        spec.qk_norm = QkNorm::projection;
        spec.operations = operations;
        const auto model = trained(spec);
        Generation options;
        options.length = 40;
        options.temperature = 0;
        EXPECT_EQ(model->generate(prompt_, options), greedy_by_whole_windows(*model, prompt_, 40, 16));
    }
}

TEST_F(GenerationTest, RollingEqualsRecomputeWithinTheContext) {
    const auto model = trained(tiny_spec());
    Generation options;
    options.length = 13;
    options.temperature = 0;
    const auto exact = model->generate(prompt_, options);
    options.mode = Generation::Mode::rolling;
    EXPECT_EQ(model->generate(prompt_, options), exact);
}

// Beyond the context, rolling lets each new token attend to the last `context` tokens, whose keys and values were
// computed earlier. In a one-layer model these depend on the tokens alone and rotation on distances only, so that
// rolling equals the recomputed sequence.
TEST_F(GenerationTest, RollingAttendsToTheLastTokensAtGrowingPositions) {
    RunSpec spec = tiny_spec();
    spec.layers = 1;
    const auto model = trained(spec);
    Generation options;
    options.length = 60;
    options.temperature = 0;
    options.mode = Generation::Mode::rolling;
    EXPECT_EQ(model->generate(prompt_, options), greedy_by_whole_windows(*model, prompt_, 60, 16));
}

// All relative encodings and sliding windows depend on distances only, too.
TEST_F(GenerationTest, RollingAttendsToTheLastTokensWithRelativeEncodingAndSlidingWindow) {
    for (const Position position : encodings_with(&PositionEncoding::is_relative)) {
        SCOPED_TRACE(static_cast<int>(position));
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            RunSpec spec = tiny_spec();
            spec.layers = 1;
            spec.position = position;
            spec.relative_clip = 3;
            spec.cope_positions = 4;
            spec.attention_window = 6;
            spec.operations = operations;
            const auto model = trained(spec);
            Generation options;
            options.length = 40;
            options.temperature = 0;
            options.mode = Generation::Mode::rolling;
            EXPECT_EQ(model->generate(prompt_, options), greedy_by_whole_windows(*model, prompt_, 40, 16));
        }
    }
}

TEST_F(GenerationTest, RollingRequiresRelativePositions) {
    for (Position position : {Position::learned, Position::learned_rope, Position::none, Position::sinusoidal}) {
        RunSpec spec = tiny_spec();
        spec.position = position;
        Generation options;
        options.mode = Generation::Mode::rolling;
        EXPECT_MESSAGE(trained(spec)->generate(prompt_, options), BadInput, "recompute");
    }
}

TEST_F(GenerationTest, SamplesDependOnTheSeedAndStopOnRequest) {
    const auto model = trained(tiny_spec());
    Generation options;
    options.length = 50;
    options.seed = 5;
    const auto first = model->generate(prompt_, options);
    EXPECT_EQ(first, model->generate(prompt_, options));
    options.seed = 6;
    EXPECT_NE(first, model->generate(prompt_, options));
    int generated_tokens = 0;
    options.on_token = [&](std::int32_t) { return ++generated_tokens < 5; };
    EXPECT_EQ(model->generate(prompt_, options).size(), 5U);
}

TEST_F(GenerationTest, TopKAndTemperatureAffectSamples) {
    const auto model = trained(tiny_spec());
    // Frequency of each token among many first samples against softmax(logits / temperature).
    const auto logits = model->logits(prompt_);
    std::vector<double> expected;
    double total = 0;
    for (auto logit = logits.end() - 7; logit != logits.end(); ++logit) {
        expected.push_back(std::exp(*logit / 0.7));
        total += expected.back();
    }
    std::vector<int> counts(7, 0);
    Generation options;
    options.length = 1;
    options.temperature = 0.7;
    constexpr int samples = 3000;
    for (options.seed = 0; options.seed < samples; ++options.seed)
        ++counts[static_cast<std::size_t>(model->generate(prompt_, options).front())];
    for (std::size_t i = 0; i < 7; ++i) {
        const double frequency = expected[i] / total;
        EXPECT_NEAR(counts[i] / static_cast<double>(samples), frequency,
                    4 * std::sqrt(frequency * (1 - frequency) / samples) + 1e-3);
    }
    options.top_k = 1;
    options.temperature = 5;
    const auto best = std::max_element(logits.end() - 7, logits.end()) - (logits.end() - 7);
    for (options.seed = 0; options.seed < 20; ++options.seed)
        EXPECT_EQ(model->generate(prompt_, options).front(), best);
}

TEST_F(GenerationTest, RejectsInvalidTokensAndLengths) {
    const auto model = trained(tiny_spec());
    EXPECT_MESSAGE(model->generate({}, {}), BadInput, "prompt is empty");
    const std::vector<std::int32_t> foreign = {1, 9};
    EXPECT_MESSAGE(model->generate(foreign, {}), BadInput, "Token 9");
    EXPECT_MESSAGE(model->logits(std::vector<std::int32_t>(17, 0)), BadInput, "between 1 and 16");
}

TEST_F(GenerationTest, ModelFromStateIsEqual) {
    CohortStart start;
    start.runs = {tiny_spec()};
    TorchCohort cohort(start, {7, tokens_, tokens_}, 1);
    for (int i = 0; i < 5; ++i) cohort.step();
    TorchEngine engine;
    const auto copy = create_model(engine, tiny_spec(), 7, cohort.state(0));
    EXPECT_EQ(copy->logits(prompt_), cohort.model(0)->logits(prompt_));
    auto state = cohort.state(0);
    std::erase_if(state, [](const NamedTensor& t) { return t.name == "model.final_norm.weight"; });
    EXPECT_MESSAGE(create_model(engine, tiny_spec(), 7, state), BadInput, "model.final_norm.weight");
}

}  // namespace
}  // namespace ropelab
