// Blocks that no golden model covers (parallel branches, normalized queries and keys, layers and pairs that do not
// rotate) against a plain implementation in double precision with LibTorch's autograd and AdamW.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"
#include "core/engine/attention/backend.h"
#include "core/engine/model/decoder.h"
#include "core/engine/train/torch_cohort.h"
#include "core/plan/layout.h"
#include "tests/core/engine/model/plain_decoder.h"
#include "tests/core/plan/anatomy_variants.h"
#include "tests/support/every_choice.h"
#include "tests/support/shared_data.h"
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

const std::vector<std::int64_t> starts = {3, 50, 120, 333};  // of the sequences of a batch

torch::Tensor text_of(const std::vector<std::int32_t>& tokens) {
    return torch::tensor(c10::ArrayRef<std::int32_t>(tokens), torch::kInt64);
}

// Returns the tokens and the targets of the batch, each (sequences, context).
std::pair<torch::Tensor, torch::Tensor> batch_of(const torch::Tensor& text, std::int64_t context) {
    std::vector<torch::Tensor> inputs;
    std::vector<torch::Tensor> targets;
    for (const std::int64_t first : starts) {
        inputs.push_back(text.narrow(0, first, context));
        targets.push_back(text.narrow(0, first + 1, context));
    }
    return {torch::stack(inputs), torch::stack(targets)};
}

// Compares the gradients of the batch, weight by weight, within a fraction of the largest number of each.
void expect_equal_gradients(const TorchCohort& cohort, PlainDecoder& plain, const torch::Tensor& x,
                            const torch::Tensor& y, double tolerance) {
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
        EXPECT_LE((mine - gradients[i]).abs().max().item<double>(), tolerance * largest + 1e-9) << names[i];
    }
}

// `tolerance`: of the gradients, as a fraction of the largest number of each weight. Trains `steps` steps.
void expect_the_plain_decoder(const RunSpec& spec, double tolerance = 1e-5, int steps = 6) {
    const auto tokens = tiny_tokens(400);
    CohortStart start;
    start.runs = {spec};
    TorchCohort cohort(start, {vocabulary_size, tokens, tokens}, 1);
    PlainDecoder plain(spec, cohort.state(0));
    const torch::Tensor text = text_of(tokens);
    const auto [x, y] = batch_of(text, spec.context);
    expect_equal_gradients(cohort, plain, x, y, tolerance);
    std::vector<torch::Tensor> leaves;
    for (auto& [name, weight] : plain.weights()) leaves.push_back(weight);

    // Steps on one batch with LibTorch's AdamW: matrices and zero-centered norms have weight decay, gradients are
    // clipped at 1.
    std::vector<torch::Tensor> matrices;
    std::vector<torch::Tensor> vectors;
    const bool decays_norms = spec.norm == NormKind::zero_centred_rms;
    for (auto& [name, weight] : plain.weights()) {
        const bool decayed_norm = decays_norms && name.ends_with("_norm.weight") &&
                                  !name.ends_with("query_norm.weight") && !name.ends_with("key_norm.weight");
        (weight.dim() > 1 || decayed_norm ? matrices : vectors).push_back(weight);
    }
    using torch::optim::AdamWOptions;
    const auto options = [&](double decay) {
        return AdamWOptions(spec.learning_rate).betas({spec.beta1, spec.beta2}).eps(1e-8).weight_decay(decay);
    };
    torch::optim::AdamW decayed(matrices, options(spec.weight_decay));
    torch::optim::AdamW free(vectors, options(0.0));
    for (int step = 0; step < steps; ++step) {
        decayed.zero_grad();
        free.zero_grad();
        const torch::Tensor loss = plain.loss(x, y);
        loss.backward();
        const double norm = torch::nn::utils::clip_grad_norm_(leaves, spec.clip);
        const StepResult result = cohort.step_at({starts}).front();
        EXPECT_NEAR(result.training_loss, loss.item<double>(), 1e-5) << "step " << step;
        EXPECT_NEAR(result.gradient_norm, norm, 1e-4 * std::max(1.0, norm)) << "step " << step;
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

// Every norm at every place that its block allows, fused and eager, with biases where the norm has them.
TEST(Blocks, NormsAtEveryPlace) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (const NormKind norm : {NormKind::layer, NormKind::rms, NormKind::zero_centred_rms, NormKind::dyt}) {
            for (const NormPosition place : {NormPosition::pre, NormPosition::post, NormPosition::sandwich}) {
                SCOPED_TRACE(testing::Message()
                             << "norm " << static_cast<int>(norm) << ", place " << static_cast<int>(place) << ", eager "
                             << (operations == Operations::eager));
                RunSpec spec = block_spec(norm == NormKind::layer ? Block::llama : Block::gpt2);
                spec.norm = norm;
                spec.norm_position = place;
                spec.bias = place != NormPosition::pre;
                spec.operations = operations;
                // The gradient of Dynamic Tanh's scalar is a sum over all tokens and channels, which partly cancel.
                expect_the_plain_decoder(spec, norm == NormKind::dyt ? 5e-4 : 2e-5);
            }
        }
    }
}

// With grouped keys and with a sliding window.
const std::vector<Position> relative_encodings = stepwise_encodings();

RunSpec relative_spec(Position position) {
    RunSpec spec = block_spec(Block::gpt2);
    spec.qk_norm = QkNorm::none;
    spec.position = position;
    spec.context = 10;  // for the largest distance below
    spec.key_value_heads = 2;
    spec.relative_clip = 3;
    spec.distance_buckets = 6;
    spec.largest_distance = 9;
    spec.xpos_scale_base = 8;
    spec.cope_positions = 4;
    if (position == Position::fope) spec.theta = 3;  // so that more than one pair turns in the context
    return spec;
}

// The plain decoder computes their logits pair by pair, which takes long.
constexpr int relative_steps = 3;

TEST(Blocks, RelativeEncodings) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (const Position position : relative_encodings) {
            SCOPED_TRACE(testing::Message() << "position " << static_cast<int>(position) << ", eager "
                                            << (operations == Operations::eager));
            RunSpec spec = relative_spec(position);
            spec.attention_window = operations == Operations::eager ? 5 : 0;
            spec.operations = operations;
            expect_the_plain_decoder(spec, 1e-5, relative_steps);
        }
    }
}

TEST(Blocks, FourierSeriesStopsPairsThatTurnLessThanOnceInTheContext) {
    RunSpec spec = relative_spec(Position::fope);
    spec.theta = 10000;
    ASSERT_LT(std::pow(spec.theta, -0.5) * static_cast<double>(spec.context), 6.28) << "half of the pairs";
    expect_the_plain_decoder(spec);
}

// A sink takes part in every softmax, also where the logits are more than products of queries and keys.
TEST(Blocks, RelativeEncodingsWithSinks) {
    for (const Position position : relative_encodings) {
        SCOPED_TRACE(testing::Message() << "position " << static_cast<int>(position));
        RunSpec spec = relative_spec(position);
        spec.attention_sinks = true;
        expect_the_plain_decoder(spec, 1e-4, relative_steps);
    }
}

TEST(Blocks, KeyOffset) {
    for (const char* settings :
         {"key_offset=all fraction=0.5", "key_offset=1 fraction=0.25 qk_norm=true block=llama",
          "key_offset=1of2 fraction=0.5 qk_norm=projection key_value_heads=2 operations=eager",
          "key_offset=all position=none dropout=0", "key_offset=all pairs=1+3", "key_offset=all position=alibi",
          "key_offset=all position=rope+bias fraction=0.5", "key_offset=0 rotated_layers=1 fraction=1",
          "key_offset=all fraction=0.5 attention=gated"}) {
        SCOPED_TRACE(settings);
        RunSpec spec = tiny_spec();
        spec.heads = 4;
        spec.width = 32;
        spec.warmup = 0;
        spec.final_learning_rate = spec.learning_rate;
        expect_the_plain_decoder(with_settings(spec, settings), 2e-5);
    }
}

TEST(Blocks, TokenSmearStartsWithoutEffectAndLearns) {
    for (const char* settings :
         {"position=none", "position=rope", "position=sinusoidal sinusoidal_base=100", "position=alibi block=llama"}) {
        SCOPED_TRACE(settings);
        RunSpec spec = tiny_spec();
        spec.width = 32;
        spec.warmup = 0;
        spec.final_learning_rate = spec.learning_rate;
        spec.token_smear = true;
        expect_the_plain_decoder(with_settings(spec, settings), 2e-5);
    }
}

TEST(Blocks, SandwichOfParallelBranches) {
    RunSpec spec = block_spec(Block::pythia);
    spec.norm_position = NormPosition::sandwich;
    expect_the_plain_decoder(spec, 2e-5);
}

TEST(Blocks, DeepNetScalesTheStream) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        RunSpec spec = block_spec(Block::gpt2);
        spec.norm_position = NormPosition::post;
        spec.deepnorm = true;
        spec.operations = operations;
        expect_the_plain_decoder(spec, 2e-5);
    }
}

// Gradients with weights that are as large as those of a trained model, so that no part of a logit is negligible.
TEST(Blocks, GradientsOfLargeRelativeWeights) {
    const auto tokens = tiny_tokens(400);
    for (const Position position : relative_encodings) {
        SCOPED_TRACE(testing::Message() << "position " << static_cast<int>(position));
        CohortStart start;
        start.runs = {relative_spec(position)};
        std::vector<NamedTensor> state = TorchCohort(start, {vocabulary_size, tokens, tokens}, 1).state(0);
        for (NamedTensor& tensor : state) {
            if (!tensor.name.starts_with("model.") || tensor.shape.size() < 2) continue;
            for (std::size_t i = 0; i < tensor.values.size(); ++i) {
                tensor.values[i] = 6 * tensor.values[i] + 0.1F * std::sin(0.7F * static_cast<float>(i));
            }
        }
        start.states = {state};
        TorchCohort cohort(start, {vocabulary_size, tokens, tokens}, 1);
        PlainDecoder plain(start.runs.front(), state);
        const auto [x, y] = batch_of(text_of(tokens), start.runs.front().context);
        expect_equal_gradients(cohort, plain, x, y, 1e-4);
    }
}

// The gate has a gradient only where the factor is not 0. The sums over all tokens nearly cancel.
TEST(Blocks, GradientsOfATrainedTokenSmear) {
    const auto tokens = tiny_tokens(400);
    CohortStart start;
    start.runs = {tiny_spec()};
    start.runs.front().token_smear = true;
    std::vector<NamedTensor> state = TorchCohort(start, {vocabulary_size, tokens, tokens}, 1).state(0);
    for (NamedTensor& tensor : state) {
        if (!tensor.name.starts_with("model.")) continue;
        const bool smears = tensor.name.starts_with("model.smear");
        for (std::size_t i = 0; i < tensor.values.size(); ++i) {
            tensor.values[i] = smears ? 0.7F - 0.1F * static_cast<float>(i) : 6 * tensor.values[i];
        }
    }
    start.states = {state};
    TorchCohort cohort(start, {vocabulary_size, tokens, tokens}, 1);
    PlainDecoder plain(start.runs.front(), state);
    const auto [x, y] = batch_of(text_of(tokens), start.runs.front().context);
    expect_equal_gradients(cohort, plain, x, y, 1e-3);
}

// BERT's relative keys are Shaw's, without vectors for the values.
TEST(Blocks, ShawKeysAgreeWithHuggingFaceTransformers) {
    SKIP_WITHOUT_SHARED_DATA("oracles/position_methods.json");
    const auto cases = read_json_file(shared_data("oracles/position_methods.json"))["shaw_relative"]["cases"];
    const auto wanted =
        std::find_if(cases.begin(), cases.end(), [](const auto& each) { return each["type"] == "relative_key"; });
    ASSERT_NE(wanted, cases.end());
    const auto matrix = [](const auto& json) {
        const auto rows = json.template get<std::vector<std::vector<double>>>();
        std::vector<torch::Tensor> tensors;
        for (const auto& row : rows) tensors.push_back(torch::tensor(c10::ArrayRef<double>(row), torch::kFloat64));
        return torch::stack(tensors);
    };
    const torch::Tensor hidden = matrix((*wanted)["hidden"][0]);  // (time, width)
    std::vector<torch::Tensor> parts;
    for (const std::string part : {"q", "k", "v"}) {
        const auto bias = (*wanted)["b" + part].get<std::vector<double>>();
        parts.push_back(torch::matmul(hidden, matrix((*wanted)["W" + part]).t()) +
                        torch::tensor(c10::ArrayRef<double>(bias), torch::kFloat64));
    }
    const AttentionInput input{.qkv = torch::cat(parts, 1).unsqueeze(0), .batch = 1, .heads = {2, 2}};
    LayerTerms terms;
    const std::int64_t time = hidden.size(0);
    const torch::Tensor vectors = matrix((*wanted)["distance_embedding"]);  // of the distances 1 − time … time − 1
    const torch::Tensor keys = vectors.narrow(0, time - 1, time).unsqueeze(0);
    terms.relative = ShawTerms{keys, torch::zeros_like(keys)};
    const torch::Tensor got = attend(input, terms).squeeze(0);
    EXPECT_LE((got - matrix((*wanted)["context"][0])).abs().max().item<double>(), 2e-6);
}

TEST(Blocks, ListedFrequencies) {
    RunSpec spec = block_spec(Block::gpt2);
    spec.frequencies = "0.9,0.2+0.03";  // three of four pairs rotate
    expect_the_plain_decoder(spec);
    spec.position = Position::xpos;
    expect_the_plain_decoder(spec);
}

// Returns the mask of a place from its own random stream, number by number in the order of the tensor.
torch::Tensor mask_of_stream(c10::IntArrayRef shape, const std::string& place, const RunSpec& spec,
                             std::int64_t iteration) {
    std::vector<float> numbers(static_cast<std::size_t>(c10::multiply_integers(shape)));
    RandomStream(spec.seed, "dropout:" + place)
        .fill_dropout(numbers, spec.dropout, static_cast<std::uint64_t>(iteration), 0);
    return torch::tensor(c10::ArrayRef<float>(numbers)).to(torch::kFloat64).view(shape);
}

// The embedding, the attention weights and the outputs of attention and MLP have each a random stream of their own.
// After some steps all branches contribute to the loss.
TEST(Blocks, DropoutHasAStreamPerPlace) {
    const auto tokens = tiny_tokens(400);
    for (const Block block : {Block::gpt2, Block::llama, Block::pythia}) {
        for (const Operations operations : {Operations::fused, Operations::eager}) {
            SCOPED_TRACE(testing::Message()
                         << "block " << static_cast<int>(block) << ", eager " << (operations == Operations::eager));
            RunSpec spec = tiny_spec();
            spec.block = block;
            spec.operations = operations;
            spec.dropout = 0.3;
            spec.warmup = 0;
            spec.learning_rate = 1e-2;
            CohortStart start;
            start.runs = {spec};
            TorchCohort cohort(start, {vocabulary_size, tokens, tokens}, 1);
            for (int step = 0; step < 10; ++step) cohort.step();
            PlainDecoder plain(spec, cohort.state(0));
            plain.mask = [&](c10::IntArrayRef shape, const std::string& place) {
                return mask_of_stream(shape, place, spec, cohort.iteration());
            };
            const auto [x, y] = batch_of(text_of(tokens), spec.context);
            expect_equal_gradients(cohort, plain, x, y, 1e-4);
        }
    }
}

// Dropout follows the norm of a branch's output, and precedes a norm after the sum.
TEST(Blocks, DropoutOfBranchesWithOtherPlacesOfNorms) {
    const auto tokens = tiny_tokens(400);
    for (const NormPosition place : {NormPosition::post, NormPosition::sandwich}) {
        for (const NormKind norm : {NormKind::layer, NormKind::dyt}) {
            RunSpec spec = tiny_spec();
            spec.norm = norm;
            spec.norm_position = place;
            spec.dropout = 0.3;
            CohortStart start;
            start.runs = {spec};
            TorchCohort cohort(start, {vocabulary_size, tokens, tokens}, 1);
            PlainDecoder plain(spec, cohort.state(0));
            plain.mask = [&](c10::IntArrayRef shape, const std::string& name) {
                return mask_of_stream(shape, name, spec, cohort.iteration());
            };
            const auto [x, y] = batch_of(text_of(tokens), spec.context);
            expect_equal_gradients(cohort, plain, x, y, 5e-4);
        }
    }
}

// Kinds of attention, and layers of different attention; the last context needs two chunks of a gated DeltaNet.
TEST(Blocks, KindsOfAttention) {
    RunSpec spec = block_spec(Block::llama);
    spec.qk_norm = QkNorm::none;
    spec.rotated_layers = "all";
    spec.pairs = "all";
    RunSpec mla = spec;
    mla.attention = AttentionKind::mla;
    mla.latent_width = 12;
    mla.rotary_channels = 6;
    RunSpec mla_sinks = mla;
    mla_sinks.attention_sinks = true;
    mla_sinks.attention_window = 5;
    mla_sinks.attention_layers = "window + full";
    RunSpec gated = spec;
    gated.attention = AttentionKind::gated;
    gated.block = Block::gpt2;
    gated.key_value_heads = 2;
    gated.bias = true;
    gated.qk_norm = QkNorm::head;
    RunSpec sinks = spec;
    sinks.attention_sinks = true;
    sinks.position = Position::alibi;
    RunSpec mixed = spec;
    mixed.attention_layers = "window + full";
    mixed.attention_window = 4;
    RunSpec delta = spec;
    delta.attention_layers = "deltanet";
    delta.context = 40;
    RunSpec hybrid = delta;
    hybrid.attention_layers = "deltanet + full";
    hybrid.attention = AttentionKind::gated;
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (RunSpec each : {mla, mla_sinks, gated, sinks, mixed, delta, hybrid}) {
            each.operations = operations;
            SCOPED_TRACE(label_of(each) + (operations == Operations::eager ? ", eager" : ""));
            expect_the_plain_decoder(each, each.has_delta_net() ? 1e-4 : 2e-5);
        }
    }
}

std::int64_t subtractions = 0;

// With separate operations, only rotations subtract: one of the queries and one of the key.
TEST(Blocks, LatentAttentionRotatesOnceInTheStageOfRotation) {
    struct AtRotation : StageObserver {
        void computed(const char* stage, std::int64_t) override {
            if (std::string(stage) == "attention.rotation") count = subtractions;
        }
        void contained(const char*, std::int64_t, const char*, std::int64_t) override {}
        std::int64_t count = 0;
    };
    RunSpec spec = tiny_spec();
    spec.layers = 1;
    spec.attention = AttentionKind::mla;
    spec.operations = Operations::eager;
    const Decoder decoder(plan_of(spec, vocabulary_size));
    const Layout layout = layout_of(decoder.plan());
    const Parameters weights(layout, torch::rand({1, layout.total}));
    const PositionTerms terms = position_terms({&decoder.plan(), 1}, 3, torch::kCPU);
    KeyValueCache cache(decoder.plan());
    AtRotation rotation;
    subtractions = 0;
    const auto handle = at::addThreadLocalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
            subtractions += std::string(function.name()) == "aten::sub" ? 1 : 0;
            return nullptr;
        }));
    decoder.last_rows(weights, torch::zeros({1, 1, 3}, torch::kInt64), terms, Precision::float32,
                      {.cache = &cache, .stages = &rotation});
    at::removeCallback(handle);
    EXPECT_EQ(subtractions, 2);
    EXPECT_EQ(rotation.count, 2);
}

TEST(Blocks, SlidingWindowWithRotationAndSharedKeys) {
    RunSpec spec = block_spec(Block::llama);
    spec.key_value_heads = 2;
    spec.attention_window = 4;
    expect_the_plain_decoder(spec);
}

}  // namespace
}  // namespace ropelab
