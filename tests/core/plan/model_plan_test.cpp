#include "core/plan/model_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "tests/core/plan/anatomy_variants.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

ModelPlan plan_with(const std::string& settings) {
    return plan_of(anatomy_spec(settings), 65);
}

// Before, in and after the first layer.
TEST(ModelPlan, StagesFollowEachOther) {
    const auto ids_of = [](const std::string& settings) {
        const Anatomy anatomy = plan_with(settings).anatomy();
        std::string ids;
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}, anatomy.sections.size() - 1}) {
            if (i > 0) ids += " |";
            for (const AnatomyStage& stage : anatomy.sections[i].stages) ids += " " + stage.id;
        }
        return ids;
    };
    const std::string front = " tokens embedding |";
    const std::string keys = " attention.qkv attention.queries attention.keys";
    const std::string scores = " attention.scores attention.weights attention.values";
    const std::string mlp = " mlp.up mlp.activation mlp.down";
    const std::string mlp_branch = " mlp_norm" + mlp + " mlp.sum";
    const std::string back = " | final_norm head";
    const auto with_attention = [&](const std::string& attention) {
        return front + " attention_norm" + attention + " attention.output attention.sum" + mlp_branch + back;
    };
    EXPECT_EQ(ids_of("position=none"), with_attention(keys + scores));
    EXPECT_EQ(ids_of("position=rope"), with_attention(keys + " attention.rotation" + scores));
    EXPECT_EQ(ids_of("position=rope rotated_layers=1"), with_attention(keys + scores));
    EXPECT_EQ(ids_of("position=rope qk_norm=head key_offset=0 fraction=0.5 attention=gated"),
              with_attention(keys + " attention.qk_norm attention.key_offset attention.rotation" + scores +
                             " attention.gate"));
    EXPECT_EQ(ids_of("position=shaw"),
              with_attention(keys + " attention.relative_keys" + scores + " attention.relative_values"));
    EXPECT_EQ(ids_of("position=cope"), with_attention(keys + " attention.relative_keys" + scores));
    EXPECT_EQ(ids_of("position=none attention=mla"),
              with_attention(" attention.query attention.latent attention.latent_norm attention.key_value" + scores));
    EXPECT_EQ(ids_of("attention_layers=deltanet"),
              with_attention(" attention.qkv attention.qk_norm attention.rates attention.state attention.values "
                             "attention.head_norm attention.gate"));
    const std::string plain =
        " | attention_norm" + keys + scores + " attention.output attention.sum" + mlp_branch + back;
    EXPECT_EQ(ids_of("position=learned"), " tokens embedding positions" + plain);
    EXPECT_EQ(ids_of("position=sinusoidal"), " tokens embedding positions" + plain);
    EXPECT_EQ(ids_of("position=none token_smear=true"), " tokens embedding smear" + plain);
    EXPECT_EQ(ids_of("position=t5"), " tokens embedding distances" + plain);
    EXPECT_EQ(ids_of("position=kerple"), " tokens embedding distances" + plain);
    EXPECT_EQ(ids_of("position=rope theta_training=one"),
              " tokens embedding frequencies" + with_attention(keys + " attention.rotation" + scores).substr(17));
    EXPECT_EQ(ids_of("position=transformer-xl"),
              " tokens embedding distances" +
                  with_attention(keys + " attention.relative attention.relative_keys" + scores).substr(17));
    EXPECT_EQ(ids_of("position=none experts=4"), front + " attention_norm" + keys + scores +
                                                     " attention.output attention.sum mlp_norm mlp.router mlp.gates" +
                                                     mlp + " mlp.mixture mlp.sum" + back);
    EXPECT_EQ(ids_of("position=none block=pythia norm_position=post"),
              front + keys + scores + " attention.output attention_post_norm" + mlp + " mlp.sum mlp_post_norm | head");
}

// 4 layers, 4 heads, width 48, context 24; what each setting adds to the parameters, by hand.
TEST(ModelPlan, CountsTheParametersOfEachSetting) {
    const auto parameters = [](const std::string& settings) {
        return *plan_with(settings).anatomy().totals().parameters;
    };
    const std::int64_t plain = parameters("position=none");
    // Embedding; of a layer qkv, output, up and down, and two norms; the last norm.
    EXPECT_EQ(plain, 65 * 48 + 4 * (12 * 48 * 48 + 2 * 48) + 48);
    const std::pair<const char*, std::int64_t> added[] = {
        {"attention_sinks=true", 4 * 4},
        {"token_smear=true", 12 + 1},
        {"attention=gated", 4 * 48 * 48},
        {"bias=true", 4 * (3 * 48 + 48 + 4 * 48 + 48 + 2 * 48) + 48},
        {"head_bias=true", 65},
        {"tied_head=false", 65 * 48},
        {"norm=dyt", 4 * 2 + 1},
        {"norm=dyt norm_position=post", 4 * 2 - 48},
        {"norm_position=sandwich", 4 * 2 * 48},
        {"qk_norm=head", 4 * 2 * 12},
        {"qk_norm=projection key_value_heads=1", 4 * (48 + 12 - 2 * 3 * 12 * 48)},
        {"mlp_width=100", 4 * 2 * (100 - 192) * 48},
        {"feed_forward=swiglu mlp_width=100", 4 * (3 * 100 - 2 * 192) * 48},
        {"position=learned", 24 * 48},
        {"position=sinusoidal", 0},
        {"position=rope theta_training=one", 1},
        {"position=rope theta_training=layer", 4},
        {"position=rope theta_training=head", 4 * 4},
        {"position=rope theta_training=free", 4 * 6},
        {"position=rope theta_schedule=linear", 1},
        // query, latent and rotary key, its norm, keys and values; instead of qkv
        {"attention=mla latent_width=10 rotary_channels=4",
         4 * (4 * 16 * 48 + 14 * 48 + 10 + 2 * 48 * 10 - 3 * 48 * 48)},
        // rates and write strengths with two vectors, the norm of a head, the gate
        {"attention_layers=deltanet", 4 * (8 * 48 + 2 * 4 + 12 + 48 * 48)},
        {"attention_layers=deltanet bias=true",
         4 * (8 * 48 + 2 * 4 + 12 + 48 * 48 + 48) + 4 * (3 * 48 + 48 + 4 * 48 + 48 + 2 * 48) + 48},
        {"experts=3 expert_noise=false", 4 * (3 * 48 + 2 * 8 * 48 * 48)},
        {"experts=3 dense_layers=1", 3 * (2 * 3 * 48 + 2 * 8 * 48 * 48)},
        {"experts=3 bias=true expert_noise=false",
         4 * (3 * 48 + 2 * (8 * 48 * 48 + 5 * 48)) + 4 * (3 * 48 + 48 + 4 * 48 + 48 + 2 * 48) + 48},
    };
    for (const auto& [settings, more] : added)
        EXPECT_EQ(parameters(std::string("position=none ") + settings) - plain, more) << settings;
}

// Vaswani et al. 2017, 3.4: embeddings are multiplied by the root of the width.
TEST(ModelPlan, SinusoidalEmbeddingsAreAddedToScaledTokens) {
    const ModelPlan plan = plan_with("position=sinusoidal sinusoidal_base=500");
    EXPECT_EQ(plan.embedding.positions, Embedding::Positions::sinusoidal);
    EXPECT_EQ(plan.embedding.base, 500);
    EXPECT_DOUBLE_EQ(plan.embedding.factor, std::sqrt(48.0));
    EXPECT_EQ(plan_with("position=learned").embedding.positions, Embedding::Positions::learned);
    EXPECT_EQ(plan_with("position=learned").embedding.position_rows, 24);
    EXPECT_EQ(plan_with("position=rope").embedding.factor, 1.0);
}

// In 24 tokens, pairs with a frequency of 2π/24 = 0.262 or more rotate once.
TEST(ModelPlan, FopeRotatesPairsThatCompleteAPeriod) {
    const auto fope = [](const std::string& frequencies) {
        return *plan_with("position=fope fourier_deviation=0.3 seed=9 frequencies=" + frequencies).rotary();
    };
    const Rotary two = fope("1+0.27+0.25+0.02+0.01+0.001");
    EXPECT_EQ(two.kind, Rotary::Kind::fourier);
    EXPECT_EQ(two.seed, 9);
    std::vector<bool> rotates;
    for (const RotaryPair& pair : two.pairs) rotates.push_back(pair.rotates);
    EXPECT_EQ(rotates, (std::vector{true, true, false, false, false, false}));
    EXPECT_EQ(two.pairs[1].frequency, 0.27);
    EXPECT_DOUBLE_EQ(two.deviation, 0.3 / std::sqrt(2.0));
    EXPECT_DOUBLE_EQ(fope("1+0.9+0.8+0.7+0.6+0.5").deviation, 0.3 / std::sqrt(6.0));
    EXPECT_EQ(fope("1+0.2+0.1+0.02+0.01+0.001").deviation, 0) << "a pair has no other one";
}

// Formula 42, of 6 pairs: ζ_i = (2i/d + 0.4)/1.4.
TEST(ModelPlan, XposDecaysInEveryRotatingPair) {
    const Rotary rotary = *plan_with("position=xpos xpos_scale_base=512 pairs=0-3").rotary();
    EXPECT_EQ(rotary.kind, Rotary::Kind::decaying);
    EXPECT_EQ(rotary.scale_base, 512);
    for (std::size_t i = 0; i < rotary.pairs.size(); ++i) {
        const double zeta = (static_cast<double>(i) / 6 + 0.4) / 1.4;
        EXPECT_NEAR(rotary.pairs[i].decay, i < 4 ? std::log(zeta) / 512 : 0, 1e-12) << i;
        EXPECT_EQ(rotary.pairs[i].rotates, i < 4) << i;
    }
    for (const RotaryPair& pair : plan_with("position=rope").rotary()->pairs) EXPECT_EQ(pair.decay, 0);
}

// A pair's frequency is θ^(−2i/12): its logarithm changes by −2i/12 with that of θ.
TEST(ModelPlan, PairsFollowThetaWhereItVaries) {
    const auto slopes = [](const std::string& settings) {
        std::vector<double> result;
        for (const RotaryPair& pair : plan_with("position=rope pairs=0-4 " + settings).rotary()->pairs)
            result.push_back(pair.slope);
        return result;
    };
    const auto near = [](std::vector<double> values) { return testing::Pointwise(testing::DoubleNear(1e-12), values); };
    EXPECT_THAT(slopes(""), near({0, 0, 0, 0, 0, 0}));
    EXPECT_THAT(slopes("theta_training=head"), near({0, -1. / 6, -2. / 6, -3. / 6, -4. / 6, 0}));
    EXPECT_THAT(slopes("theta_schedule=linear"), near({0, -1. / 6, -2. / 6, -3. / 6, -4. / 6, 0}));
    EXPECT_THAT(slopes("theta_training=free"), near({1, 1, 1, 1, 1, 0}));
    EXPECT_THAT(slopes("theta_schedule=drop"), near({1, 1, 1, 1, 1, 0}));
    EXPECT_EQ(plan_with("theta_training=layer").rotary()->shift, Rotary::Shift::layer);
    EXPECT_TRUE(plan_with("theta_training=layer").theta_varies());
    EXPECT_FALSE(plan_with("").theta_varies());
    const Scaling yarn = {.method = ScalingMethod::yarn, .factor = 2};
    EXPECT_MESSAGE(plan_with("theta_training=one").changed(yarn, 48), BadInput, "requires a constant theta");
}

TEST(ModelPlan, SizesThatAreUnknownMakeTheirProductsAndSumsUnknown) {
    EXPECT_EQ(product_of({2, 3, 4}), 24);
    EXPECT_EQ(sum_of({2, 3, 4}), 9);
    for (const auto& sizes : {std::vector<Count>{{}, 3}, {3, {}}, {{}, {}}}) {
        EXPECT_EQ(product_of(sizes), std::nullopt);
        EXPECT_EQ(sum_of({sizes[0], sizes[1]}), std::nullopt);
        EXPECT_TRUE(extents({sizes[0], sizes[1]}).empty());
    }
    EXPECT_EQ(extents({2, 3}), (std::vector<std::int64_t>{2, 3}));
    EXPECT_THROW(product_of({std::int64_t{1} << 40, std::int64_t{1} << 40}), BadInput);
    EXPECT_THROW(sum_of({std::numeric_limits<std::int64_t>::max(), 1}), BadInput);
}

// Pair i is channels i and i + 4 of a head with 8 channels; which ones these are in the model's own weights.
TEST(ModelPlan, ChannelsOfAPairAreWhereItsModelHasThem) {
    using Order = std::vector<std::int64_t>;
    Rotary rotary;
    EXPECT_EQ(rotary.order_of_channels(), Order());
    rotary.pairs.resize(4);
    EXPECT_EQ(rotary.order_of_channels(), Order()) << "halves are so already";
    rotary.pairing = Pairing::interleaved;
    EXPECT_EQ(rotary.order_of_channels(), (Order{0, 2, 4, 6, 1, 3, 5, 7}));
    // Of a slice, channels 0 and 2, 1 and 3 rotate.
    rotary.pairing = Pairing::half;
    rotary.settings.fraction = 0.5;
    rotary.settings.partial = Partial::slice;
    EXPECT_EQ(rotary.order_of_channels(), (Order{0, 1, 4, 5, 2, 3, 6, 7}));
    rotary.settings.partial = Partial::truncate;
    EXPECT_EQ(rotary.order_of_channels(), Order());
}

// Channels 6 to 11 are the second ones of the pairs.
TEST(ModelPlan, KeysAreShiftedInChannelsThatDoNotRotate) {
    const auto shifted = [](const std::string& settings, std::size_t layer) {
        const ModelPlan plan = plan_with(settings);
        std::string channels;
        for (const bool is_shifted : std::get<Softmax>(plan.layers[layer].attention).shifted_channels)
            channels += is_shifted ? '1' : '0';
        return channels;
    };
    EXPECT_EQ(shifted("key_offset=0 position=rope fraction=0.5", 0), "000111000111");
    EXPECT_EQ(shifted("key_offset=0 position=rope fraction=0.5", 1), "");
    EXPECT_EQ(shifted("key_offset=all position=none", 3), "111111111111");
    EXPECT_EQ(shifted("key_offset=all position=rope pairs=1", 2), "101111101111");
    EXPECT_EQ(shifted("key_offset=all position=rope fraction=0.5 rotated_layers=1", 0), "111111111111");
}

TEST(ModelPlan, SaysWhatItsLayersAre) {
    const auto positions = [](const std::string& settings) { return plan_with(settings).has_relative_positions(); };
    for (const char* settings : {"position=rope", "position=alibi", "position=t5", "position=xpos", "position=shaw"})
        EXPECT_TRUE(positions(settings)) << settings;
    for (const char* settings : {"position=none", "position=learned", "position=sinusoidal", "position=learned+rope",
                                 "position=fope", "attention_layers=deltanet"})
        EXPECT_FALSE(positions(settings)) << settings;

    for (const auto& [settings, channels] : {std::pair("key_value_heads=1", 12),
                                             {"attention=mla rotary_channels=4", 16},
                                             {"attention_layers=deltanet", 12}}) {
        const ModelPlan plan = plan_with(settings);
        EXPECT_EQ(plan.layers[0].heads(), 4) << settings;
        EXPECT_EQ(plan.layers[0].query_channels(), channels) << settings;
    }
    EXPECT_EQ(LayerPlan().heads(), 0) << "unknown";
    EXPECT_EQ(LayerPlan().query_channels(), 0) << "unknown";
    const ModelPlan mixed = plan_with("attention_layers=deltanet+window+full attention_window=5 layers=6");
    EXPECT_EQ(mixed.layers[0].scores(), nullptr);
    EXPECT_EQ(mixed.layers[0].rotary(), nullptr);
    EXPECT_EQ(mixed.layers[0].visible_tokens, 0);
    EXPECT_EQ(mixed.layers[1].visible_tokens, 5);
    EXPECT_EQ(mixed.layers[2].visible_tokens, 24);
    EXPECT_EQ(mixed.scores(), mixed.layers[1].scores());
    EXPECT_EQ(mixed.rotary(), mixed.layers[1].rotary());
    // Of 24 tokens, those with a window of 5 attend to 1, 2, 3, 4, 5, 5 … keys.
    EXPECT_DOUBLE_EQ(mixed.layers[1].scores()->keys, (1 + 2 + 3 + 4 + 20 * 5) / 24.0);
    EXPECT_DOUBLE_EQ(mixed.layers[2].scores()->keys, 12.5);
    EXPECT_EQ(mixed.layers[1].scores()->window, 5);
    EXPECT_FALSE(mixed.layers[2].scores()->window);
}

TEST(ModelPlan, FreezesTheRotationOfPairsThatExist) {
    const ModelPlan plan = plan_of(RunSpec{}, 10).changed({}, 64, std::vector<std::int64_t>{1000, 1});
    const std::vector<RotaryPair>& pairs = plan.rotary()->pairs;
    EXPECT_TRUE(pairs[0].rotates);
    EXPECT_FALSE(pairs[1].rotates);
    EXPECT_EQ(pairs[1].frequency, 0);
}

}  // namespace
}  // namespace ropelab
