// The predicted memory of a device against the tensors that a step really allocates, with LibTorch's operations in the
// memory of the CPU.
#include <c10/core/Allocator.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "core/engine/device/accelerator.h"
#include "core/engine/model/decoder.h"
#include "core/engine/operations/fused.h"
#include "core/forecast/device_need.h"
#include "core/plan/step_cost.h"

namespace ropelab {
namespace {

// Counts the bytes of tensors in the memory of the CPU.
class CountedMemory : public c10::MemoryReportingInfoBase {
 public:
    void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override {
        current += size;
        peak = std::max(peak, current);
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::int64_t current = 0;
    std::int64_t peak = 0;
};

struct Setting {
    const char* name;
    std::function<void(RunSpec&)> change = [](RunSpec&) {};
};
void PrintTo(const Setting& setting, std::ostream* out) {
    *out << setting.name;
}

class DeviceMemory : public testing::TestWithParam<Setting> {
 protected:
    void SetUp() override { use_accelerator({torch::kCPU}); }
    void TearDown() override { use_accelerator({}); }
};

TEST_P(DeviceMemory, PredictionIsThatOfAStep) {
    constexpr std::int64_t vocabulary = 96;
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        RunSpec spec;
        spec.layers = 4;
        spec.heads = 4;
        spec.width = 64;
        spec.context = 64;
        spec.batch = 8;
        spec.precision = precision;
        GetParam().change(spec);
        const Parameters weights(layout_of(spec, vocabulary), initial_row(layout_of(spec, vocabulary), 1).unsqueeze(0));
        const Decoder decoder(plan_of(spec, vocabulary));
        const PositionSource terms({&decoder.plan(), 1}, spec.context, torch::kCPU);
        const Dropout dropout(spec.dropout, {1}, 3);
        const torch::Tensor x = torch::randint(0, vocabulary, {1, spec.batch, spec.context}, torch::kInt64);
        const torch::Tensor y = x.flatten(1, 2).clone();
        const auto memory = std::make_shared<CountedMemory>();
        const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, memory);
        const torch::Tensor logits =
            decoder.logits(weights, x, terms.at(0, spec.context), precision, {.dropout = dropout});
        const torch::Tensor loss = token_losses(logits, y).mean();
        const auto stored = static_cast<double>(memory->current);
        torch::autograd::grad({loss}, weights.leaves(), {}, {}, false, true);
        const auto peak = static_cast<double>(memory->peak);
        const DeviceNeed need = device_need(spec, 1, vocabulary);
        SCOPED_TRACE(testing::Message() << (precision == Precision::float32 ? "float32" : "bfloat16") << ": " << stored
                                        << " bytes stored, peak " << peak);
        EXPECT_NEAR(need.stored / stored, 1.0, 0.05);
        EXPECT_NEAR((need.stored + need.temporary) / peak, 1.0, 0.1);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, DeviceMemory,
    testing::Values(Setting{"gpt2"}, Setting{"bias", [](RunSpec& s) { s.bias = true; }},
                    Setting{"dropout", [](RunSpec& s) { s.dropout = 0.1; }},
                    Setting{"llama", [](RunSpec& s) { s.block = Block::llama; }},
                    Setting{"grouped",
                            [](RunSpec& s) {
                                s.block = Block::llama;
                                s.key_value_heads = 2;
                            }},
                    Setting{"qk_norm", [](RunSpec& s) { s.qk_norm = QkNorm::head; }},
                    Setting{"pythia", [](RunSpec& s) { s.block = Block::pythia; }},
                    Setting{"sandwich", [](RunSpec& s) { s.norm_position = NormPosition::sandwich; }},
                    Setting{"post", [](RunSpec& s) { s.norm_position = NormPosition::post; }},
                    Setting{"dyt", [](RunSpec& s) { s.norm = NormKind::dyt; }},
                    Setting{"alibi", [](RunSpec& s) { s.position = Position::alibi; }},
                    Setting{"t5_dropout",
                            [](RunSpec& s) {
                                s.position = Position::t5;
                                s.dropout = 0.1;
                            }},
                    Setting{"window", [](RunSpec& s) { s.attention_window = 8; }},
                    Setting{"shaw", [](RunSpec& s) { s.position = Position::shaw; }},
                    Setting{"transformer_xl", [](RunSpec& s) { s.position = Position::transformer_xl; }},
                    Setting{"xpos", [](RunSpec& s) { s.position = Position::xpos; }},
                    Setting{"nope", [](RunSpec& s) { s.position = Position::none; }},
                    Setting{"kerple", [](RunSpec& s) { s.position = Position::kerple; }},
                    Setting{"cope", [](RunSpec& s) { s.position = Position::cope; }},
                    Setting{"gated", [](RunSpec& s) { s.attention = AttentionKind::gated; }},
                    Setting{"mla", [](RunSpec& s) { s.attention = AttentionKind::mla; }},
                    Setting{"fope", [](RunSpec& s) { s.position = Position::fope; }},
                    Setting{"relu", [](RunSpec& s) { s.feed_forward = FeedForward::relu; }},
                    Setting{"relu2", [](RunSpec& s) { s.feed_forward = FeedForward::relu2; }},
                    Setting{"mish", [](RunSpec& s) { s.feed_forward = FeedForward::mish; }},
                    Setting{"bilinear", [](RunSpec& s) { s.feed_forward = FeedForward::bilinear; }},
                    Setting{"geglu", [](RunSpec& s) { s.feed_forward = FeedForward::geglu; }},
                    Setting{"swiglu", [](RunSpec& s) { s.feed_forward = FeedForward::swiglu; }},
                    Setting{"long_context",
                            [](RunSpec& s) {
                                s.context = 256;
                                s.batch = 2;
                                s.dropout = 0.1;
                            }}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace ropelab
