// Blocks that no golden model has (parallel branches, normalised queries and keys, layers and pairs that do not turn)
// against the same decoder written once more, plainly, in double precision with LibTorch's own gradients and AdamW.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>

#include "core/rope/frequencies.h"
#include "core/spec/selection.h"
#include "core/train/torch_cohort.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

constexpr std::int64_t symbols = 7;

class PlainDecoder {
 public:
    PlainDecoder(const RunSpec& spec, const std::vector<NamedTensor>& state) : spec_(spec) {
        const std::string prefix = "model.";
        for (const NamedTensor& tensor : state) {
            if (!tensor.name.starts_with(prefix)) continue;
            const auto values = torch::tensor(c10::ArrayRef<float>(tensor.values)).view(tensor.shape);
            weights_[tensor.name.substr(prefix.size())] = values.to(torch::kFloat64).requires_grad_(true);
        }
    }

    std::map<std::string, torch::Tensor>& weights() { return weights_; }

    // tokens: (batch, time) → (batch, time, symbols)
    torch::Tensor logits(const torch::Tensor& tokens) {
        torch::Tensor x = torch::embedding(weights_.at("embedding.weight"), tokens);
        for (std::int64_t layer = 0; layer < spec_.layers; ++layer) {
            const std::string name = "layers." + std::to_string(layer);
            const torch::Tensor attended = attention(norm(x, name + ".attention_norm"), layer);
            if (spec_.block == Block::pythia) {
                x = x + attended + mlp(norm(x, name + ".mlp_norm"), name);
            } else {
                x = x + attended;
                x = x + mlp(norm(x, name + ".mlp_norm"), name);
            }
        }
        return torch::matmul(norm(x, "final_norm"), weights_.at("embedding.weight").t());
    }

    torch::Tensor loss(const torch::Tensor& tokens, const torch::Tensor& targets) {
        return torch::cross_entropy_loss(logits(tokens).flatten(0, 1), targets.flatten());
    }

 private:
    torch::Tensor linear(const torch::Tensor& x, const std::string& name) {
        const torch::Tensor y = torch::matmul(x, weights_.at(name + ".weight").t());
        return weights_.contains(name + ".bias") ? y + weights_.at(name + ".bias") : y;
    }
    static torch::Tensor rms(const torch::Tensor& x) { return x * torch::rsqrt(x.square().mean(-1, true) + 1e-6); }
    torch::Tensor norm(const torch::Tensor& x, const std::string& name) {
        const torch::Tensor y =
            (spec_.block == Block::llama ? rms(x) : torch::layer_norm(x, {x.size(-1)})) * weights_.at(name + ".weight");
        return weights_.contains(name + ".bias") ? y + weights_.at(name + ".bias") : y;
    }
    torch::Tensor mlp(const torch::Tensor& x, const std::string& name) {
        if (spec_.block != Block::llama) return linear(torch::gelu(linear(x, name + ".mlp.up")), name + ".mlp.down");
        const auto parts = linear(x, name + ".mlp.gate_up").chunk(2, -1);
        return linear(torch::sigmoid(parts[0]) * parts[0] * parts[1], name + ".mlp.down");
    }
    // x: (batch, heads, time, head_dim), pair i being channels i and i + head_dim/2.
    torch::Tensor turn(const torch::Tensor& x, std::int64_t layer) {
        if (!selection(spec_.rotated_layers, spec_.layers, "rotated_layers")[static_cast<std::size_t>(layer)]) return x;
        const std::int64_t half = x.size(3) / 2;
        const auto chosen = selection(spec_.pairs, half, "pairs");
        const auto slow = slice_frequencies(rotary_dim(spec_.head_dim(), spec_.fraction), spec_.theta);
        std::vector<double> per_pair(static_cast<std::size_t>(half), 0.0);
        for (std::size_t i = 0; i < slow.size(); ++i) per_pair[i] = chosen[i] ? slow[i] : 0.0;
        const torch::Tensor angle = torch::arange(x.size(2), torch::kFloat64).unsqueeze(1) *
                                    torch::tensor(c10::ArrayRef<double>(per_pair), torch::kFloat64);
        const torch::Tensor turned = torch::complex(x.narrow(3, 0, half), x.narrow(3, half, half)) *
                                     torch::polar(torch::ones_like(angle), angle);
        return torch::cat({torch::real(turned), torch::imag(turned)}, 3);
    }
    torch::Tensor attention(const torch::Tensor& x, std::int64_t layer) {
        const std::string name = "layers." + std::to_string(layer) + ".attention";
        const std::int64_t width = spec_.head_dim();
        const torch::Tensor all = linear(x, name + ".qkv");
        const auto heads_from = [&](std::int64_t first, std::int64_t count) {
            return all.narrow(2, first * width, count * width).unflatten(2, {count, width}).transpose(1, 2);
        };
        torch::Tensor q = heads_from(0, spec_.heads);
        torch::Tensor k = heads_from(spec_.heads, spec_.kv_heads());
        const torch::Tensor v = heads_from(spec_.heads + spec_.kv_heads(), spec_.kv_heads());
        if (spec_.qk_norm) {
            q = rms(q) * weights_.at(name + ".query_norm.weight");
            k = rms(k) * weights_.at(name + ".key_norm.weight");
        }
        q = turn(q, layer);
        k = turn(k, layer);
        std::vector<torch::Tensor> mixed;
        for (std::int64_t head = 0; head < spec_.heads; ++head) {
            const std::int64_t shared = head * spec_.kv_heads() / spec_.heads;
            const torch::Tensor scores = torch::matmul(q.select(1, head), k.select(1, shared).transpose(1, 2)) /
                                         std::sqrt(static_cast<double>(width));
            const torch::Tensor future = torch::ones_like(scores).triu(1).to(torch::kBool);
            mixed.push_back(
                torch::matmul(torch::softmax(scores.masked_fill(future, -INFINITY), -1), v.select(1, shared)));
        }
        return linear(torch::cat(mixed, -1), name + ".output");
    }

    RunSpec spec_;
    std::map<std::string, torch::Tensor> weights_;
};

RunSpec block_spec(Block block) {
    RunSpec spec = tiny_spec();
    spec.block = block;
    spec.heads = 4;
    spec.width = 32;
    spec.qk_norm = true;
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
    TorchCohort cohort(start, {symbols, tokens, tokens}, 1);
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

    // Ten steps on one batch: LibTorch's AdamW, matrices decaying, gradients clipped at 1.
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

TEST(Blocks, ParallelBranchesWithNormalisedHeads) {
    RunSpec spec = block_spec(Block::pythia);
    spec.bias = true;
    expect_the_plain_decoder(spec);
}

TEST(Blocks, GroupedHeadsOfALlamaBlock) {
    RunSpec spec = block_spec(Block::llama);
    spec.key_value_heads = 2;
    expect_the_plain_decoder(spec);
}

TEST(Blocks, Gpt2WithOneSharedKey) {
    RunSpec spec = block_spec(Block::gpt2);
    spec.key_value_heads = 1;
    spec.rotated_layers = "all";
    expect_the_plain_decoder(spec);
}

}  // namespace
}  // namespace ropelab
