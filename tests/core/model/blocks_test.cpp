// Blocks that no golden model covers (parallel branches, normalized queries and keys, layers and pairs that do not
// rotate) against a plain implementation in double precision with LibTorch's autograd and AdamW.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/train/torch_cohort.h"
#include "tests/core/model/plain_decoder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

constexpr std::int64_t vocabulary_size = 7;

RunSpec block_spec(Block block) {
    RunSpec spec = tiny_spec();
    spec.block = block;
    spec.heads = 4;
    spec.width = 32;
    spec.qk_norm = QkNorm::head;
    spec.fraction = 0.75;
    spec.rotated_layers = "1";
    spec.pairs = "0+2";
    spec.warmup = 0;
    spec.final_learning_rate = spec.learning_rate;
    return spec;
}

void expect_the_plain_decoder(const RunSpec& spec) {
    const auto tokens = tiny_tokens(400);
    CohortStart start;
    start.runs = {spec};
    TorchCohort cohort(start, {vocabulary_size, tokens, tokens}, 1);
    PlainDecoder plain(spec, cohort.state(0));

    const std::vector<std::int64_t> starts = {3, 50, 120, 333};
    std::vector<torch::Tensor> inputs;
    std::vector<torch::Tensor> targets;
    const torch::Tensor text = torch::tensor(c10::ArrayRef<std::int32_t>(tokens), torch::kInt64);
    for (const std::int64_t first : starts) {
        inputs.push_back(text.narrow(0, first, spec.context));
        targets.push_back(text.narrow(0, first + 1, spec.context));
    }
    const torch::Tensor x = torch::stack(inputs);
    const torch::Tensor y = torch::stack(targets);

    std::vector<torch::Tensor> leaves;
    std::vector<std::string> names;
    for (auto& [name, weight] : plain.weights()) {
        names.push_back(name);
        leaves.push_back(weight);
    }
    const auto gradients = torch::autograd::grad({plain.loss(x, y)}, leaves);
    const auto ours = cohort.gradient_at({starts}, 0);
    ASSERT_EQ(ours.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = std::find_if(ours.begin(), ours.end(), [&](const auto& t) { return t.name == names[i]; });
        ASSERT_NE(found, ours.end()) << names[i];
        const torch::Tensor mine = torch::tensor(c10::ArrayRef<float>(found->values)).view_as(gradients[i]);
        const double largest = gradients[i].abs().max().item<double>();
        EXPECT_LE((mine - gradients[i]).abs().max().item<double>(), 1e-5 * largest + 1e-9) << names[i];
    }

    // Ten steps on one batch with LibTorch's AdamW: matrices have weight decay, gradients are clipped at 1.
    std::vector<torch::Tensor> matrices;
    std::vector<torch::Tensor> vectors;
    for (torch::Tensor& leaf : leaves) (leaf.dim() > 1 ? matrices : vectors).push_back(leaf);
    using torch::optim::AdamWOptions;
    const auto options = [&](double decay) {
        return AdamWOptions(spec.learning_rate).betas({spec.beta1, spec.beta2}).eps(1e-8).weight_decay(decay);
    };
    torch::optim::AdamW decayed(matrices, options(spec.weight_decay));
    torch::optim::AdamW free(vectors, options(0.0));
    for (int step = 0; step < 10; ++step) {
        decayed.zero_grad();
        free.zero_grad();
        const torch::Tensor loss = plain.loss(x, y);
        loss.backward();
        const double norm = torch::nn::utils::clip_grad_norm_(leaves, spec.clip);
        const StepResult result = cohort.step_at({starts}).front();
        EXPECT_NEAR(result.training_loss, loss.item<double>(), 1e-5) << "step " << step;
        EXPECT_NEAR(result.gradient_norm, norm, 1e-4) << "step " << step;
        decayed.step();
        free.step();
    }
    const auto model = cohort.model(0);
    const std::vector<std::int32_t> window(tokens.begin() + 7, tokens.begin() + 7 + spec.context);
    const torch::Tensor expected = plain.logits(text.narrow(0, 7, spec.context).unsqueeze(0)).flatten();
    const auto logits = model->logits(window);
    ASSERT_EQ(static_cast<std::int64_t>(logits.size()), expected.numel());
    const torch::Tensor got = torch::tensor(c10::ArrayRef<float>(logits));
    EXPECT_LE((got - expected).abs().max().item<double>(), 2e-5);
}

TEST(Blocks, ParallelBranchesWithNormalizedHeads) {
    RunSpec spec = block_spec(Block::pythia);
    spec.bias = true;
    expect_the_plain_decoder(spec);
}

TEST(Blocks, LlamaBlockWithGroupedHeads) {
    RunSpec spec = block_spec(Block::llama);
    spec.key_value_heads = 2;
    expect_the_plain_decoder(spec);
}

// RMSNorm over all heads of a token, with grouped keys and with one key head; gradients of both weights included.
TEST(Blocks, NormalizedProjections) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (const std::int64_t key_value_heads : {0, 2, 1}) {
            SCOPED_TRACE(testing::Message()
                         << key_value_heads << " key heads, eager " << (operations == Operations::eager));
            RunSpec spec = block_spec(key_value_heads == 0 ? Block::pythia : Block::llama);
            spec.qk_norm = QkNorm::projection;
            spec.key_value_heads = key_value_heads;
            spec.operations = operations;
            expect_the_plain_decoder(spec);
        }
    }
}

TEST(Blocks, Gpt2BlockWithOneSharedKey) {
    RunSpec spec = block_spec(Block::gpt2);
    spec.key_value_heads = 1;
    spec.rotated_layers = "all";
    expect_the_plain_decoder(spec);
}

// ALiBi, sinusoidal embeddings and sliding windows, fused and eager.
TEST(Blocks, EncodingsWithoutRotation) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (const Position position : {Position::alibi, Position::sinusoidal}) {
            for (const std::int64_t window : {0, 5}) {
                SCOPED_TRACE(testing::Message() << "position " << static_cast<int>(position) << ", window " << window);
                RunSpec spec = block_spec(Block::gpt2);
                spec.qk_norm = QkNorm::none;
                spec.position = position;
                spec.attention_window = window;
                spec.operations = operations;
                expect_the_plain_decoder(spec);
            }
        }
    }
}

TEST(Blocks, SlidingWindowWithRotationAndSharedKeys) {
    RunSpec spec = block_spec(Block::llama);
    spec.key_value_heads = 2;
    spec.attention_window = 4;
    expect_the_plain_decoder(spec);
}

}  // namespace
}  // namespace ropelab
