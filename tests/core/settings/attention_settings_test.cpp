#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/plan/layout.h"
#include "core/plan/model_plan.h"
#include "core/settings/run_spec.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using enum LayerAttention;

RunSpec four_layers(const std::string& pattern, std::int64_t window_tokens = 0) {
    RunSpec spec;
    spec.layers = 4;
    spec.heads = 4;
    spec.width = 64;
    spec.attention_layers = pattern;
    spec.attention_window = window_tokens;
    return spec;
}

// Each part that a key offset cannot join is named, and the reason why.
TEST(AttentionSettings, KeyOffsetIsRefusedWhereNothingStaysUnrotated) {
    const auto refused = [](const auto& change, const char* part) {
        RunSpec spec = four_layers("auto");
        spec.fraction = 0.5;
        spec.key_offset = "1of4";
        EXPECT_NO_THROW(check(spec));
        change(spec);
        EXPECT_MESSAGE(check(spec), BadInput, part);
    };
    refused([](RunSpec& spec) { spec.fraction = 1; }, "all channels of layer 0 rotate; set fraction below 1");
    refused([](RunSpec& spec) { spec.attention = AttentionKind::mla; }, "attention = mla");
    refused([](RunSpec& spec) { spec.position = Position::xpos; }, "position = xpos");
    refused([](RunSpec& spec) { spec.position = Position::fope; }, "position = fope");
    refused([](RunSpec& spec) { spec.attention_layers = "deltanet+full"; }, "layer 0 is a gated DeltaNet");
    refused([](RunSpec& spec) { spec.key_offset = "4"; }, "must be between 0 and 3");
    RunSpec spec = four_layers("deltanet+full");
    spec.fraction = 0.5;
    spec.key_offset = "1+3";
    EXPECT_NO_THROW(check(spec));
    spec = four_layers("auto");
    spec.key_offset = "all";
    spec.position = Position::none;
    EXPECT_NO_THROW(check(spec)) << "nothing rotates, so all channels are shifted";
    spec.position = Position::rope;
    spec.pairs = "0-3";
    EXPECT_NO_THROW(check(spec));
    spec.pairs = "all";
    spec.rotated_layers = "0";
    spec.key_offset = "1-3";
    EXPECT_NO_THROW(check(spec));
}

TEST(AttentionSettings, PartsOfThePreviousTokenHaveTheirParametersAndCaches) {
    RunSpec spec = four_layers("auto");
    spec.fraction = 0.5;
    const Layout plain = layout_of(spec, 10);
    spec.key_offset = "1of2";
    EXPECT_EQ(layout_of(spec, 10).total, plain.total);
    const ModelPlan plan = plan_of(spec, 10);
    const auto& shifted = std::get<Softmax>(plan.layers[0].attention).shifted_channels;
    EXPECT_EQ(std::ranges::count(shifted, true), 8);
    EXPECT_FALSE(shifted[0]);
    EXPECT_TRUE(shifted[4]);
    EXPECT_FALSE(shifted[8]) << "the other channel of the first pair";
    EXPECT_TRUE(std::get<Softmax>(plan.layers[1].attention).shifted_channels.empty());
    const auto state_of = [](const Stages& stages) {
        std::int64_t bytes = 0;
        for (const AnatomyStage& stage : stages) bytes += stage.state_bytes;
        return bytes;
    };
    EXPECT_EQ(state_of(plan.layers[0].stages(plan.sizes)), 4 * 64) << "one key of 4 heads with 16 channels";
    EXPECT_EQ(state_of(plan.layers[1].stages(plan.sizes)), 0);
    spec.token_smear = true;
    EXPECT_EQ(layout_of(spec, 10).total, plain.total + 13);
    EXPECT_EQ(state_of(plan_of(spec, 10).front()), 4 * 64) << "one embedding";
    EXPECT_EQ(non_embedding_parameters(spec), non_embedding_parameters(four_layers("auto")));
}

TEST(AttentionSettings, PatternsRepeatOverTheLayers) {
    using Layers = std::vector<LayerAttention>;
    EXPECT_EQ(attention_of_layers(four_layers("auto")), (Layers{full, full, full, full}));
    EXPECT_EQ(attention_of_layers(four_layers("auto", 8)), (Layers{window, window, window, window}));
    EXPECT_EQ(attention_of_layers(four_layers("full")), (Layers{full, full, full, full}));
    EXPECT_EQ(attention_of_layers(four_layers("3 deltanet + 1 full")), (Layers{delta_net, delta_net, delta_net, full}));
    EXPECT_EQ(attention_of_layers(four_layers("window+full", 8)), (Layers{window, full, window, full}));
    EXPECT_EQ(attention_of_layers(four_layers("2window + deltanet", 8)), (Layers{window, window, delta_net, window}));
    for (const char* wrong :
         {"", "3", "half", "0 full", "full +", "full full", "129 full", "99999999999999999999 full"})
        EXPECT_MESSAGE(attention_of_layers(four_layers(wrong)), BadInput, "3 deltanet + 1 full");
}

TEST(AttentionSettings, PatternsHaveAWindowPerLayer) {
    using Windows = std::vector<std::int64_t>;
    EXPECT_EQ(windows_of_layers("auto", 3, 16), (Windows{16, 16, 16}));
    EXPECT_EQ(windows_of_layers("auto", 2, 0), (Windows{0, 0}));
    EXPECT_EQ(windows_of_layers("2 window + 1 full", 5, 16), (Windows{16, 16, 0, 16, 16}));
    EXPECT_EQ(windows_of_layers("window + deltanet", 3, 16), (Windows{16, 0, 16}));
    EXPECT_MESSAGE(windows_of_layers("3 windows", 3, 16), BadInput, "a pattern of full");
    for (const std::int64_t n : {0, 1, 2, 4, 128, 129}) {
        EXPECT_EQ(full_every_of(full_every_pattern(n)), n);
        const Windows windows = windows_of_layers(full_every_pattern(n), 260, 16);
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const bool is_full = n > 0 && (static_cast<std::int64_t>(i) + 1) % n == 0;
            EXPECT_EQ(windows[i], is_full ? 0 : 16);
        }
    }
    EXPECT_EQ(full_every_of("3window+1 full"), 4);
    EXPECT_EQ(full_every_of("3 deltanet + 1 full"), 0);
}

TEST(AttentionSettings, LayersDifferInTheTokensThatTheySee) {
    const RunSpec spec = four_layers("deltanet + window + 2 full", 32);
    const std::vector<LayerPlan> layers = plan_of(spec, 1).layers;
    EXPECT_EQ(layers[0].visible_tokens, 0);
    EXPECT_EQ(layers[1].visible_tokens, 32);
    EXPECT_EQ(layers[2].visible_tokens, 128);
    EXPECT_TRUE(spec.has_delta_net());
    EXPECT_TRUE(spec.has_softmax_attention());
    EXPECT_FALSE(four_layers("deltanet").has_softmax_attention());
}

TEST(AttentionSettings, RefusesWhatCannotBeCombined) {
    const auto refused = [](RunSpec spec, const char* why) { EXPECT_MESSAGE(check(spec), BadInput, why); };
    refused(four_layers("window + full"), "attention_window is 0");
    refused(four_layers("full", 8), "no layer with a window");
    RunSpec spec = four_layers("deltanet");
    EXPECT_NO_THROW(check(spec));
    spec.attention_sinks = true;
    refused(spec, "no layer has attention weights");
    spec.attention_sinks = false;
    for (const Position position : {Position::alibi, Position::t5, Position::xpos}) {
        spec.position = position;
        refused(spec, "so position must be none");
    }
    spec.position = Position::rope;
    spec.key_value_heads = 2;
    refused(spec, "key_value_heads must be 0");
    spec = four_layers("auto");
    spec.latent_width = 8;
    refused(spec, "require attention = mla");
    spec.attention = AttentionKind::mla;
    EXPECT_NO_THROW(check(spec));
    spec.rotary_channels = 3;
    refused(spec, "rotary_channels is 3");
    spec.rotary_channels = 4;
    spec.key_value_heads = 2;
    refused(spec, "set key_value_heads to 0");
    spec.key_value_heads = 0;
    spec.qk_norm = QkNorm::head;
    refused(spec, "set qk_norm to false");
    spec.qk_norm = QkNorm::none;
    spec.theta_training = ThetaTraining::head;
    refused(spec, "share one rotated key");
    spec.theta_training = ThetaTraining::fixed;
    spec.pairs = "2";
    refused(spec, "between 0 and 1");  // 4 rotary channels are two pairs
}

// Numbers of parameters by hand: width 64, 4 heads of 16 channels, 2 layers.
TEST(AttentionSettings, LayoutsHaveTheMatricesOfEachKind) {
    RunSpec spec = four_layers("auto");
    spec.layers = 2;
    const std::int64_t plain = non_embedding_parameters(spec);
    spec.attention = AttentionKind::gated;
    EXPECT_EQ(non_embedding_parameters(spec), plain + 2 * 64 * 64);
    spec.attention = AttentionKind::mha;
    spec.attention_sinks = true;
    EXPECT_EQ(non_embedding_parameters(spec), plain + 2 * 4);
    spec.attention_sinks = false;

    spec.attention = AttentionKind::mla;  // a latent vector of 32 and 8 rotary channels
    EXPECT_EQ(spec.latent_channels(), 32);
    EXPECT_EQ(spec.query_dim(), 24);
    const std::int64_t mla = 4 * 24 * 64 + (32 + 8) * 64 + 2 * 64 * 32 + 32;
    EXPECT_EQ(non_embedding_parameters(spec), plain + 2 * (mla - 3 * 64 * 64));

    spec.attention = AttentionKind::mha;
    spec.attention_layers = "deltanet";
    const std::int64_t delta = 4 * 64 * 64 + 2 * 4 * 64 + 16 + 4 + 4;  // qkv, gate, rates, norm and two vectors
    EXPECT_EQ(non_embedding_parameters(spec), plain + 2 * (delta - 3 * 64 * 64));
    const Layout layout = layout_of(spec, 7);
    const std::vector<double>& decays = layout.at("layers.1.attention.log_decay").initial;
    ASSERT_EQ(decays.size(), 4U);
    EXPECT_NEAR(std::exp(decays[0]), 1.0, 1e-12);
    EXPECT_NEAR(std::exp(decays[1]), 6.0, 1e-12);
    EXPECT_NEAR(std::exp(decays[3]), 16.0, 1e-12);
    EXPECT_NEAR(std::log1p(std::exp(layout.at("layers.0.attention.decay_shift").deviation)), 0.01, 1e-12);
}

// A gated DeltaNet has no learned vectors of distances.
TEST(AttentionSettings, OnlyAttentionHasTheWeightsOfItsEncoding) {
    RunSpec spec = four_layers("deltanet + full");
    const std::map<Position, std::string> names = {
        {Position::shaw, "relative_keys"}, {Position::transformer_xl, "relative"}, {Position::cope, "contextual"}};
    for (const auto& [position, name] : names) {
        spec.position = position;
        const Layout layout = layout_of(spec, 7);
        EXPECT_FALSE(layout.contains("layers.0.attention." + name + ".weight")) << name;
        EXPECT_TRUE(layout.contains("layers.1.attention." + name + ".weight")) << name;
    }
}

TEST(AttentionSettings, LabelsNameTheKind) {
    RunSpec spec = four_layers("3 deltanet + 1 full");
    spec.attention = AttentionKind::gated;
    EXPECT_EQ(label_of(spec), "θ 10k, 100 %, layers 3deltanet+1full, gated attention");
    spec.attention_layers = "auto";
    spec.attention = AttentionKind::mla;
    spec.attention_sinks = true;
    EXPECT_EQ(label_of(spec), "θ 10k, 100 %, MLA, attention sinks");
}

}  // namespace
}  // namespace ropelab
