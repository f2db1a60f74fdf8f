#include "core/forecast/device_need.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

// Returns a run with one layer whose tensors can be counted by hand: 2 sequences of 8 tokens, width 16, 2 heads.
RunSpec small() {
    RunSpec spec;
    spec.layers = 1;
    spec.heads = 2;
    spec.width = 16;
    spec.context = 8;
    spec.batch = 2;
    spec.precision = Precision::bfloat16;
    return spec;
}

TEST(DeviceNeed, CountsTheTensorsOfAStep) {
    const RunSpec spec = small();
    const auto parameters = static_cast<double>(parameter_count(spec, 64));
    const DeviceNeed need = device_need(spec, 3, 64);
    EXPECT_DOUBLE_EQ(need.weights, 3 * parameters * (4 + 4 + 4 + 4));
    const double rows = 3 * 2 * 8;
    const double evaluated = 3 * 256 * 8;
    EXPECT_DOUBLE_EQ(need.text, (rows + evaluated) * (8 + 8));
    // Float32: input and output of two normalizations with two statistics, one log-sum-exp per head. Bfloat16: two
    // inputs of products, q, k and v, the attention output, and the MLP's four widths before and after GELU.
    const double layer = 2 * (2 * 4 * 16 + 8) + 4 * 2 + 2 * (2 * 16 + 3 * 16 + 16 + 2 * 64);
    // The last normalization and its rounded result; the rounded logits, and the logarithms of the probabilities and
    // four numbers in float32.
    const double last = 2 * 4 * 16 + 8 + 2 * 16 + (2 + 4) * 64 + 32;
    const double rounded_weights = 3 * 2 * parameters;
    EXPECT_DOUBLE_EQ(need.stored, rows * (layer + last) + rounded_weights);
    EXPECT_DOUBLE_EQ(need.temporary, rows * 2 * 4 * 64) << "gradients of the logits and of their logarithms";
}

// Per token the stream and its rounded row, and the largest of: q, k and v before and after they are arranged by head
// with four rows; the MLP's rows; the rounded logits with two copies. And a copy of one run's weights.
TEST(DeviceNeed, AnEvaluationHoldsItsLargestOperation) {
    const auto evaluation = [](const RunSpec& spec, int vocabulary) {
        return device_need(spec, 3, vocabulary).evaluation -
               (4 + 2) * static_cast<double>(parameter_count(spec, vocabulary));
    };
    RunSpec spec = small();
    const double tokens = 3 * 256 * 8;
    const double stream = (4 + 2) * 16;
    EXPECT_DOUBLE_EQ(evaluation(spec, 64), tokens * (stream + (2 + 4 + 4) * 64));
    EXPECT_DOUBLE_EQ(evaluation(spec, 8), tokens * (stream + (2 + 4) * 48 + 4 * 4 * 16));
    spec.mlp_width = 256;
    EXPECT_DOUBLE_EQ(evaluation(spec, 8), tokens * (stream + 4 * 16 + 2 * 3 * 256));
    spec = small();
    spec.norm = NormKind::dyt;  // its result stays in float32, as do the MLP's rows
    EXPECT_DOUBLE_EQ(evaluation(spec, 64), tokens * (stream + 4 * 16 + 4 * 3 * 64));
}

// ALiBi's bias of 2 heads and the mask of a window, for 8 × 8 tokens, once for all runs; gates; norms of 2 + 2 heads of
// 8 channels.
TEST(DeviceNeed, CountsWhatVariantsOfAttentionStore) {
    RunSpec plain = small();
    plain.precision = Precision::float32;
    plain.position = Position::none;
    const auto more = [&](std::int64_t runs, const auto& change) {
        RunSpec spec = plain;
        change(spec);
        return device_need(spec, runs, 64).stored - device_need(plain, runs, 64).stored;
    };
    for (const std::int64_t runs : {1, 3}) {
        const double tokens = static_cast<double>(runs) * 2 * 8;
        EXPECT_DOUBLE_EQ(more(runs, [](RunSpec& spec) { spec.position = Position::alibi; }), 4 * 2 * 8 * 8);
        EXPECT_DOUBLE_EQ(more(runs, [](RunSpec& spec) { spec.attention_window = 4; }), 4 * 8 * 8);
        EXPECT_DOUBLE_EQ(more(runs, [](RunSpec& spec) { spec.attention = AttentionKind::gated; }), tokens * 2 * 4 * 16);
        EXPECT_DOUBLE_EQ(more(runs, [](RunSpec& spec) { spec.qk_norm = QkNorm::head; }), tokens * 4 * (8 * 8 + 4));
    }
}

// Beside the probabilities that sinks need too: 16 logits of 2 heads per token, 1, 2 and 13 times; for MLA queries and
// keys that are longer than the width, twice, and the latent vectors of a token, three times.
TEST(DeviceNeed, CountsWhatEncodingsAndLatentVectorsAddToStoredScores) {
    RunSpec base = small();
    base.precision = Precision::float32;
    base.mlp_width = 16;  // so that an evaluation needs most in its attention
    RunSpec sinks = base;
    sinks.attention_sinks = true;
    const DeviceNeed plain = device_need(sinks, 1, 8);
    const auto weights = [](const RunSpec& spec) { return 8.0 * static_cast<double>(parameter_count(spec, 8)); };
    for (const auto& [position, logits] :
         {std::pair(Position::shaw, 1), {Position::transformer_xl, 2}, {Position::cope, 13}}) {
        RunSpec spec = base;
        spec.position = position;
        const DeviceNeed need = device_need(spec, 1, 8);
        EXPECT_DOUBLE_EQ(need.stored - plain.stored, 2 * 8 * 4.0 * logits * 16) << logits;
        EXPECT_DOUBLE_EQ(need.evaluation - weights(spec) - plain.evaluation + weights(sinks),
                         256 * 8 * 4.0 * logits * 16)
            << logits;
    }
    RunSpec latent = base;
    latent.attention = AttentionKind::mla;
    const double longer = 2 * latent.query_dim() - 16;
    EXPECT_GT(longer, 0);
    EXPECT_DOUBLE_EQ(device_need(latent, 1, 8).stored - plain.stored,
                     2 * 8 * 4 * (2 * longer + 3 * static_cast<double>(latent.latent_channels())));
}

TEST(DeviceNeed, MicroBatchesStoreTheActivationsOfOnePass) {
    RunSpec spec = small();
    spec.batch = 8;
    const DeviceNeed whole = device_need(spec, 3, 64);
    spec.micro_batch = 2;
    const DeviceNeed divided = device_need(spec, 3, 64);
    EXPECT_DOUBLE_EQ(divided.stored, device_need(small(), 3, 64).stored);
    EXPECT_DOUBLE_EQ(divided.weights, whole.weights);
    // The tokens of the whole batch, and a copy of one micro-batch: 8 bytes each for a token and its target.
    EXPECT_DOUBLE_EQ(divided.text - whole.text, 3 * 2 * 8 * 16);
}

TEST(DeviceNeed, DropoutStoresScoresAndMasks) {
    RunSpec spec = small();
    spec.precision = Precision::float32;
    const double flash = device_need(spec, 1, 64).stored;
    spec.dropout = 0.1;
    // Copies of q, k and v instead of q, k and the projection; 8 weights per head, their masks of one byte and their
    // products instead of a log-sum-exp per head; masks of both branches and of the embeddings.
    EXPECT_DOUBLE_EQ(device_need(spec, 1, 64).stored - flash,
                     16.0 * (4 * (3 - 5) * 16 + (4 + 1 + 4) * 2 * 8 - 4 * 2 + 2 * 16 + 16));
}

// Each of a token's two experts stores its input and its output, 16 numbers each, beside 64 before and 64 after GELU.
TEST(DeviceNeed, AnEvaluationHoldsTheScoresThatNoKernelHides) {
    RunSpec spec = small();
    spec.context = 128;
    const double hidden = device_need(spec, 1, 64).evaluation;
    spec.attention_sinks = true;  // PyTorch's attention has none
    EXPECT_GT(device_need(spec, 1, 64).evaluation, 1.5 * hidden);
}

TEST(DeviceNeed, ExpertsStoreTheirRowsInputsAndOutputs) {
    RunSpec spec = small();
    // Without the rounded weights of products.
    const auto stored = [](const RunSpec& of) {
        return device_need(of, 1, 64).stored - 2.0 * static_cast<double>(parameter_count(of, 64));
    };
    const double dense = stored(spec);
    spec.experts = 4;
    spec.experts_per_token = 2;
    const double more = 16.0 * 2 * 2 * (2 * (64 + 2 * 16) - 64);
    EXPECT_DOUBLE_EQ(stored(spec) - dense, more);
    RunSpec two = small();
    two.layers = 2;
    const double two_dense = stored(two);
    spec.layers = 2;
    spec.dense_layers = 1;
    EXPECT_DOUBLE_EQ(stored(spec) - two_dense, more) << "one of the two layers has experts";
}

TEST(DeviceNeed, OtherBlocksStoreOtherRows) {
    const double gpt2 = device_need(small(), 1, 64).stored;
    RunSpec spec = small();
    spec.block = Block::pythia;  // both norms share one residual sum
    EXPECT_NEAR(gpt2 - device_need(spec, 1, 64).stored, 16.0 * 4 * 16, 2.0 * 16);
    spec = small();
    spec.qk_norm = QkNorm::head;
    EXPECT_GT(device_need(spec, 1, 64).stored, gpt2);
    spec = small();
    spec.block = Block::llama;
    spec.mlp_width = 64;
    const auto weights = [](const RunSpec& of) { return 2.0 * static_cast<double>(parameter_count(of, 64)); };
    // The factor beside the gate, and the activated gate.
    EXPECT_DOUBLE_EQ(device_need(spec, 1, 64).stored - gpt2, 16.0 * 2 * 2 * 64 + weights(spec) - weights(small()));
}

// The theta paper's shape on a GPU: 64 sequences of 256 tokens. With dropout the attention weights are stored.
TEST(DeviceNeed, ThetaPaperRunNeedsAboutThreeAndAThirdGibibytes) {
    RunSpec spec = preset("theta-paper").experiment.expand().front();
    spec.batch = 64;
    const DeviceNeed need = device_need(spec, 1, 65);
    EXPECT_NEAR(need.total(), 3.3 * (1LL << 30), 0.2 * (1LL << 30));
    EXPECT_GT(need.stored, 0.6 * need.total());
}

TEST(DeviceNeed, OnlySyntheticLanguagesCountAsSynthetic) {
    RunSpec spec;
    EXPECT_EQ(likely_vocabulary(spec), 29);
    EXPECT_EQ(likely_tokens(spec), spec.data_length);
    spec.data = "generated.txt";  // a user's file
    EXPECT_EQ(likely_vocabulary(spec), 65);
    EXPECT_EQ(likely_tokens(spec), 1'115'394);
}

TEST(DeviceNeed, RunsThatFitLeaveTenPercentFree) {
    const RunSpec spec = small();
    const auto need = [&](std::int64_t runs) { return device_need(spec, runs, 64).total(); };
    const auto bytes = static_cast<std::int64_t>(need(5) / 0.9) + 10;
    EXPECT_EQ(runs_that_fit(spec, 9, 64, bytes), 5U);
    EXPECT_EQ(runs_that_fit(spec, 3, 64, bytes), 3U);
    RunSpec huge = spec;
    huge.batch = 100'000'000;
    EXPECT_MESSAGE(runs_that_fit(huge, 1, 64, bytes), BadInput, "A run of this shape needs about");
    EXPECT_MESSAGE(runs_that_fit(huge, 1, 64, bytes), BadInput,
                   "use a smaller batch size or micro_batch, a shorter context");
}

}  // namespace
}  // namespace ropelab
