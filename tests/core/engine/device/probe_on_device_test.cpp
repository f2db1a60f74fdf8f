// Tests probing a run, and continuing its training with a RoPE scaling, on an emulated device.
#include <gtest/gtest.h>

#include "core/engine/device/processor_setup.h"
#include "core/engine/torch_engine.h"
#include "tests/core/engine/device/emulated_device.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class ProbeOnDeviceTest : public testing::Test {
 protected:
    void SetUp() override { avoid_broken_amx(); }

    static RunSpec small() {
        RunSpec spec = tiny_spec();
        spec.context = 8;
        spec.learning_rate = 1e-2;
        spec.device = Device::cpu;
        return spec;
    }
    static ProbeRequest everything(const std::vector<std::int32_t>& tokens, std::int64_t length) {
        ProbeRequest request;
        request.sequences = {length, {}, {}};
        for (const std::int64_t start : {0, 31}) {
            for (std::int64_t i = 0; i < length; ++i) {
                request.sequences.tokens.push_back(tokens[start + i]);
                request.sequences.targets.push_back(tokens[start + i + 1]);
            }
        }
        request.map_size = 4;
        request.map_pair = 1;
        return request;
    }
    static void expect_near(const ProbeArray& a, const ProbeArray& b, const char* name) {
        ASSERT_EQ(a.shape, b.shape) << name;
        for (std::size_t i = 0; i < a.values.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 2e-4) << name;
    }
    static void expect_near(const ProbeResult& a, const ProbeResult& b) {
        expect_near(a.query_usage, b.query_usage, "query usage");
        expect_near(a.key_massive, b.key_massive, "massive values of keys");
        expect_near(a.logit_contribution, b.logit_contribution, "logit contribution");
        expect_near(a.attention_by_distance, b.attention_by_distance, "attention by distance");
        expect_near(a.entropy, b.entropy, "entropy");
        expect_near(a.attention, b.attention, "attention");
        expect_near(a.pair_logits, b.pair_logits, "logit contribution of a pair");
        ASSERT_EQ(a.loss_by_position.size(), b.loss_by_position.size());
        for (std::size_t i = 0; i < a.loss_by_position.size(); ++i)
            EXPECT_NEAR(a.loss_by_position[i], b.loss_by_position[i], 2e-4);
    }

    std::vector<std::int32_t> tokens = tiny_tokens();
    TokenData data{7, tokens, tokens};
};

TEST_F(ProbeOnDeviceTest, ProbeMatchesTheCpu) {
    for (const Block block : {Block::gpt2, Block::llama}) {
        RunSpec spec = small();
        spec.block = block;
        spec.qk_norm = block == Block::llama ? QkNorm::head : QkNorm::none;
        ProbeRequest request = everything(tokens, 8);
        ProbeRequest changed = everything(tokens, 16);
        changed.frozen_pairs = {0};
        changed.ablated_pairs = {2};
        changed.scaling = {.method = ScalingMethod::yarn, .factor = 2};
        std::vector<NamedTensor> state;
        ProbeResult seen;
        ProbeResult seen_changed;
        {
            const EmulatedDevice device;
            CohortStart start;
            start.runs = {spec};
            const auto cohort = TorchEngine().create_cohort(start, data);
            for (int i = 0; i < 3; ++i) cohort->step();
            seen = cohort->probe(0, request);
            seen_changed = cohort->probe(0, changed);
            state = cohort->state(0);
        }
        TorchEngine engine;
        const auto model = create_model(engine, spec, 7, state);
        expect_near(seen, model->probe(request));
        expect_near(seen_changed, model->probe(changed));
    }
}

TEST_F(ProbeOnDeviceTest, AScaledCohortTrainsAsOnTheCpu) {
    const auto trained = [&](ScalingMethod method) {
        CohortStart start;
        start.runs = {small()};
        start.plans = {plan_of(small(), data.vocabulary)
                           .changed({.method = method, .factor = 2, .original_context = 4}, small().context)};
        const auto cohort = TorchEngine().create_cohort(start, data);
        std::vector<double> losses;
        for (int i = 0; i < 3; ++i) losses.push_back(cohort->step().front().training_loss);
        return losses;
    };
    const auto wanted = trained(ScalingMethod::yarn);
    EXPECT_NE(wanted, trained(ScalingMethod::none));
    const EmulatedDevice device(EmulatedDevice::Graphs::replayed);
    const auto losses = trained(ScalingMethod::yarn);
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(losses[i], wanted[i], 1e-3);
}

}  // namespace
}  // namespace ropelab
