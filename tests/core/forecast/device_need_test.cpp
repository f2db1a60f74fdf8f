#include "core/forecast/device_need.h"

#include <gtest/gtest.h>

#include "core/experiment/experiment.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/plan/step_cost.h"
#include "core/spec/error.h"
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
    const DeviceNeed need = device_need(spec, 3, 64, 1000);
    EXPECT_DOUBLE_EQ(need.weights, 3 * parameters * (4 + 4 + 4 + 4 + 2));
    const double rows = 3 * 2 * 8;
    const double evaluated = 3 * 256 * 8;
    EXPECT_DOUBLE_EQ(need.text, 4 * 1000 + (rows + evaluated) * (8 + 8));
    // Float32: two residual sums, two statistics per normalization, one log-sum-exp per head. Bfloat16: two normalized
    // rows, q, k and v, the attention output, and the MLP's four widths before and after GELU.
    const double layer = 2 * 4 * 16 + 2 * 8 + 4 * 2 + 2 * (2 * 16 + 3 * 16 + 16 + 2 * 64);
    // The last residual sum, its statistics, loss and log-sum-exp in float32; the last normalized row and the logits.
    const double last = 4 * 16 + 8 + 8 + 2 * (16 + 64);
    EXPECT_DOUBLE_EQ(need.stored, rows * (layer + last));
    EXPECT_GT(need.temporary, 0);
}

TEST(DeviceNeed, MicroBatchesStoreTheActivationsOfOnePass) {
    RunSpec spec = small();
    spec.batch = 8;
    const DeviceNeed whole = device_need(spec, 3, 64, 1000);
    spec.micro_batch = 2;
    const DeviceNeed divided = device_need(spec, 3, 64, 1000);
    EXPECT_DOUBLE_EQ(divided.stored, device_need(small(), 3, 64, 1000).stored);
    EXPECT_DOUBLE_EQ(divided.weights, whole.weights);
    // The tokens of the whole batch, and a copy of one micro-batch: 8 bytes each for a token and its target.
    EXPECT_DOUBLE_EQ(divided.text - whole.text, 3 * 2 * 8 * 16);
}

TEST(DeviceNeed, DropoutStoresScoresAndFloat32DoublesMemory) {
    RunSpec spec = small();
    const double flash = device_need(spec, 1, 64, 0).stored;
    spec.dropout = 0.1;
    // q, k, v and the attention output as before; 8 attention weights per head instead of the log-sum-exp.
    EXPECT_DOUBLE_EQ(device_need(spec, 1, 64, 0).stored - flash, 16.0 * (2 * 2 * 8 - 4 * 2));
    const double rounded = device_need(spec, 1, 64, 0).stored;
    spec.precision = Precision::float32;
    const DeviceNeed exact = device_need(spec, 1, 64, 0);
    EXPECT_GT(exact.stored, 1.5 * rounded);
    EXPECT_LT(exact.stored, 2.0 * rounded);
    EXPECT_DOUBLE_EQ(exact.weights, 16.0 * static_cast<double>(parameter_count(spec, 64)));
}

// Each of a token's two experts stores its input and its output, 16 numbers each, beside 64 before and 64 after GELU.
TEST(DeviceNeed, ExpertsStoreTheirRowsInputsAndOutputs) {
    RunSpec spec = small();
    const double dense = device_need(spec, 1, 64, 0).stored;
    spec.experts = 4;
    spec.experts_per_token = 2;
    const double more = 16.0 * 2 * 2 * (2 * (64 + 2 * 16) - 64);
    EXPECT_DOUBLE_EQ(device_need(spec, 1, 64, 0).stored - dense, more);
    RunSpec two = small();
    two.layers = 2;
    const double two_dense = device_need(two, 1, 64, 0).stored;
    spec.layers = 2;
    spec.dense_layers = 1;
    EXPECT_DOUBLE_EQ(device_need(spec, 1, 64, 0).stored - two_dense, more) << "one of the two layers has experts";
}

TEST(DeviceNeed, OtherBlocksStoreOtherRows) {
    const double gpt2 = device_need(small(), 1, 64, 0).stored;
    RunSpec spec = small();
    spec.block = Block::pythia;
    EXPECT_DOUBLE_EQ(gpt2 - device_need(spec, 1, 64, 0).stored, 16.0 * 4 * 16);  // both branches share one residual sum
    spec = small();
    spec.key_value_heads = 1;
    EXPECT_DOUBLE_EQ(gpt2 - device_need(spec, 1, 64, 0).stored,
                     16.0 * 2 * 2 * 8);  // one head of keys and one of values less
    spec.qk_norm = QkNorm::head;
    EXPECT_GT(device_need(spec, 1, 64, 0).stored, gpt2);
    spec = small();
    spec.block = Block::llama;
    spec.mlp_width = 64;
    EXPECT_DOUBLE_EQ(device_need(spec, 1, 64, 0).stored - gpt2, 16.0 * 2 * 64);  // the gate
}

TEST(DeviceNeed, PadsTheVocabularyForTensorCores) {
    const double of_128 = device_need(small(), 1, 128, 0).stored;
    EXPECT_DOUBLE_EQ(device_need(small(), 1, 65, 0).stored,
                     of_128 + 2.0 * 16 * 128);  // includes the padded copy of the output layer
}

// The theta paper's shape on a GPU: 64 sequences of 256 tokens. With dropout the attention weights are stored.
TEST(DeviceNeed, ThetaPaperRunNeedsAboutTwoAndAThirdGibibytes) {
    RunSpec spec = preset("theta-paper").experiment.expand().front();
    spec.batch = 64;
    const DeviceNeed need = device_need(spec, 1, 65, likely_tokens(spec));
    EXPECT_NEAR(need.total(), 2.3 * (1LL << 30), 0.2 * (1LL << 30));
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
    const auto need = [&](std::int64_t runs) { return device_need(spec, runs, 64, 1000).total(); };
    const auto bytes = static_cast<std::int64_t>(need(5) / 0.9) + 10;
    EXPECT_EQ(runs_that_fit(spec, 9, 64, 1000, bytes), 5U);
    EXPECT_EQ(runs_that_fit(spec, 3, 64, 1000, bytes), 3U);
    RunSpec huge = spec;
    huge.batch = 100'000'000;
    EXPECT_MESSAGE(runs_that_fit(huge, 1, 64, 1000, bytes), BadInput, "A run of this shape needs about");
    EXPECT_MESSAGE(runs_that_fit(huge, 1, 64, 1000, bytes), BadInput,
                   "use a smaller batch size or micro_batch, a shorter context");
}

}  // namespace
}  // namespace ropelab
