// Weights, logits, gradients and training losses against nanoGPT and Hugging Face transformers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/core/engine/model/golden_weights.h"
#include "tests/support/expect_message.h"
#include "tests/support/golden.h"

namespace ropelab {
namespace {

using Importer = std::vector<NamedTensor> (*)(std::span<const NamedTensor>, const RunSpec&);

// Returns weights and zero moments as a state after 0 steps.
std::vector<NamedTensor> as_state(const std::vector<NamedTensor>& weights) {
    std::vector<NamedTensor> state;
    for (const NamedTensor& weight : weights) {
        NamedTensor zero = weight;
        std::fill(zero.values.begin(), zero.values.end(), 0.0F);
        for (const char* prefix : {"model.", "optimizer.first.", "optimizer.second."}) {
            state.push_back(std::string(prefix) == "model." ? weight : zero);
            state.back().name = prefix + weight.name;
        }
    }
    return state;
}

class GoldenModel {
 public:
    GoldenModel(const std::string& name, RunSpec spec, Importer importer)
        : golden_(name), import_(importer), spec_(spec), tokens_(golden_.corpus()) {
        CohortStart start;
        start.runs = {spec_};
        start.states = {as_state(import_(golden_.parameters, spec_))};
        start.conditions = RunConditions{"float32", "cpu", 1, ""};
        cohort_ = std::make_unique<TorchCohort>(start, TokenData{65, tokens_, tokens_}, 1);
    }

    void expect_logits() {
        const auto model = cohort_->model(0);
        const auto inputs = golden_.description.at("tokens_x").get<std::vector<std::vector<std::int32_t>>>();
        std::size_t at = 0;
        for (const auto& row : inputs) {
            for (float logit : model->logits(row)) {
                ASSERT_NEAR(logit, golden_.logits.values.at(at), 1e-5) << "logit " << at;
                ++at;
            }
        }
        EXPECT_EQ(at, golden_.logits.values.size());
    }

    void expect_gradients() {
        const auto ours = cohort_->gradient_at({golden_.batches().front()}, 0);
        const auto theirs = import_(golden_.gradients, spec_);
        ASSERT_EQ(ours.size(), theirs.size());
        for (const NamedTensor& expected : theirs) {
            const auto found =
                std::find_if(ours.begin(), ours.end(), [&](const auto& t) { return t.name == expected.name; });
            ASSERT_NE(found, ours.end()) << expected.name;
            float largest = 0;
            float error = 0;
            for (std::size_t i = 0; i < expected.values.size(); ++i) {
                largest = std::max(largest, std::abs(expected.values[i]));
                error = std::max(error, std::abs(expected.values[i] - found->values.at(i)));
            }
            EXPECT_LE(error, 1e-5F * largest) << expected.name;
        }
    }

    void expect_training() {
        const auto losses = golden_.losses();
        const auto norms = golden_.gradient_norms();
        const auto batches = golden_.batches();
        ASSERT_EQ(batches.size(), 10U);
        for (std::size_t step = 0; step < batches.size(); ++step) {
            const StepResult result = cohort_->step_at({batches[step]}).front();
            EXPECT_NEAR(result.training_loss, losses[step], 1e-5) << "step " << step;
            EXPECT_NEAR(result.gradient_norm, norms[step], 1e-4) << "step " << step;
        }
    }

 private:
    Golden golden_;
    Importer import_;
    RunSpec spec_;
    std::vector<std::int32_t> tokens_;
    std::unique_ptr<TorchCohort> cohort_;
};

RunSpec golden_spec() {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 32;
    spec.context = 16;
    spec.batch = 4;
    spec.iterations = 10;
    spec.warmup = 0;
    spec.learning_rate = 1e-3;
    spec.final_learning_rate = 1e-3;
    spec.precision = Precision::float32;
    return spec;
}

GoldenModel nanogpt() {
    RunSpec spec = golden_spec();
    spec.position = Position::learned;
    return {"nanogpt_learned_abs", spec, from_nanogpt};
}

GoldenModel gpt_neox() {
    RunSpec spec = golden_spec();
    spec.position = Position::rope;
    spec.fraction = 0.25;
    spec.bias = true;
    spec.tied_head = false;
    return {"gpt_neox_rope25", spec, from_gpt_neox};
}

GoldenModel llama() {
    RunSpec spec = golden_spec();
    spec.block = Block::llama;
    spec.key_value_heads = 1;
    spec.mlp_width = 64;
    spec.tied_head = false;
    return {"llama_kv1", spec, from_llama};
}

#define SKIP_WITHOUT_GOLDEN()                                            \
    SKIP_WITHOUT_SHARED_DATA("oracles/golden/nanogpt_learned_abs.json"); \
    SKIP_WITHOUT_SHARED_DATA("text/tinyshakespeare.txt")

TEST(NanoGpt, Logits) {
    SKIP_WITHOUT_GOLDEN();
    nanogpt().expect_logits();
}
TEST(NanoGpt, Gradients) {
    SKIP_WITHOUT_GOLDEN();
    nanogpt().expect_gradients();
}
TEST(NanoGpt, TenAdamWSteps) {
    SKIP_WITHOUT_GOLDEN();
    nanogpt().expect_training();
}
TEST(GptNeox, Logits) {
    SKIP_WITHOUT_GOLDEN();
    gpt_neox().expect_logits();
}
TEST(GptNeox, Gradients) {
    SKIP_WITHOUT_GOLDEN();
    gpt_neox().expect_gradients();
}
TEST(GptNeox, TenAdamWSteps) {
    SKIP_WITHOUT_GOLDEN();
    gpt_neox().expect_training();
}
TEST(Weights, ModelsWithoutNormsOfQueriesAndKeysAreRefused) {
    RunSpec spec;
    spec.qk_norm = QkNorm::projection;
    const std::string why = " have no QK norm, so qk_norm must be false.";
    EXPECT_MESSAGE(from_nanogpt({}, spec), BadInput, "Weights of nanoGPT" + why);
    EXPECT_MESSAGE(from_gpt_neox({}, spec), BadInput, "Weights of GPTNeoXForCausalLM" + why);
    EXPECT_MESSAGE(from_llama({}, spec), BadInput, "Weights of LlamaForCausalLM" + why);
}
TEST(Weights, OtherFeedForwardNetworksAreRefused) {
    RunSpec spec;
    spec.feed_forward = FeedForward::relu;
    EXPECT_MESSAGE(from_nanogpt({}, spec), BadInput, "with GELU, so feed_forward must be auto or gelu.");
    EXPECT_MESSAGE(from_gpt_neox({}, spec), BadInput, "with GELU, so feed_forward must be auto or gelu.");
    EXPECT_MESSAGE(from_llama({}, spec), BadInput, "with SwiGLU, so feed_forward must be auto or swiglu.");
    spec.experts = 4;
    EXPECT_MESSAGE(from_llama({}, spec), BadInput, "have no experts, so experts must be 0.");
}

TEST(Weights, ModelsWithOtherNormsAreRefused) {
    RunSpec spec;
    spec.block = Block::llama;
    spec.norm = NormKind::zero_centred_rms;
    EXPECT_MESSAGE(from_llama({}, spec), BadInput, "norm must be auto and norm_position pre");
    spec.norm = NormKind::rms;  // that of the block
    EXPECT_MESSAGE(from_llama({}, spec), BadInput, "The weights have no tensor");
    spec.norm_position = NormPosition::sandwich;
    EXPECT_MESSAGE(from_llama({}, spec), BadInput, "norm must be auto and norm_position pre");
}

TEST(Llama, Logits) {
    SKIP_WITHOUT_GOLDEN();
    llama().expect_logits();
}
TEST(Llama, Gradients) {
    SKIP_WITHOUT_GOLDEN();
    llama().expect_gradients();
}
TEST(Llama, TenAdamWSteps) {
    SKIP_WITHOUT_GOLDEN();
    llama().expect_training();
}

}  // namespace
}  // namespace ropelab
