#include "core/plan/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace ropelab {
namespace {

constexpr int layout_vocabulary = 11;

RunSpec layout_spec(NormKind norm, NormPosition place) {
    RunSpec spec;
    spec.layers = 3;
    spec.heads = 2;
    spec.width = 8;
    spec.bias = true;
    spec.norm = norm;
    spec.norm_position = place;
    return spec;
}

std::int64_t total_of(NormKind norm, NormPosition place) {
    return layout_of(layout_spec(norm, place), layout_vocabulary).total;
}

TEST(Layout, NormsHaveTheirWeightsAtEveryPlace) {
    const std::int64_t width = 8;
    const std::int64_t pre = 2 * 3 + 1;  // norms
    const std::int64_t post = 2 * 3;
    const std::int64_t sandwich = 4 * 3 + 1;
    const std::int64_t others = total_of(NormKind::rms, NormPosition::pre) - pre * width;
    EXPECT_EQ(total_of(NormKind::automatic, NormPosition::pre), others + pre * 2 * width);  // gpt2: weight and bias
    EXPECT_EQ(total_of(NormKind::layer, NormPosition::post), others + post * 2 * width);
    EXPECT_EQ(total_of(NormKind::layer, NormPosition::sandwich), others + sandwich * 2 * width);
    EXPECT_EQ(total_of(NormKind::zero_centred_rms, NormPosition::sandwich), others + sandwich * width);
    EXPECT_EQ(total_of(NormKind::dyt, NormPosition::pre), others + pre * (2 * width + 1));
    EXPECT_FALSE(
        layout_of(layout_spec(NormKind::layer, NormPosition::post), layout_vocabulary).contains("final_norm.weight"));
}

TEST(Layout, WeightsOfZeroCentredNormsStartAtZeroAndDecay) {
    const Layout layout = layout_of(layout_spec(NormKind::zero_centred_rms, NormPosition::pre), layout_vocabulary);
    const Layout plain = layout_of(layout_spec(NormKind::rms, NormPosition::pre), layout_vocabulary);
    EXPECT_EQ(layout.total, plain.total);
    EXPECT_EQ(layout.matrices, plain.matrices + 7 * 8);
    for (const char* name : {"layers.1.attention_norm.weight", "layers.2.mlp_norm.weight", "final_norm.weight"}) {
        EXPECT_EQ(layout.at(name).deviation, 0) << name;
        EXPECT_LT(layout.at(name).offset, layout.matrices) << name;
        EXPECT_EQ(plain.at(name).deviation, 1) << name;
        EXPECT_GE(plain.at(name).offset, plain.matrices) << name;
    }
}

TEST(Layout, TheHeadHasTheBiasOfThePostOnBitsPerCharacter) {
    RunSpec spec;
    spec.width = 16;
    spec.heads = 2;
    spec.tied_head = false;
    spec.head_bias = true;
    const Layout layout = layout_of(spec, 205);
    // 16 · 205 + 205, as the post prints
    EXPECT_EQ(layout.at("head.weight").size + layout.at("head.bias").size, 3485);
    EXPECT_EQ(layout.at("head.bias").deviation, 0);
    spec.tied_head = true;
    EXPECT_FALSE(layout_of(spec, 205).contains("head.weight"));
    EXPECT_TRUE(layout_of(spec, 205).contains("head.bias"));
}

// The order in memory decides in which order numbers are added up, and thereby the last bits.
TEST(Layout, TablesOfTokensComeFirst) {
    RunSpec spec = layout_spec(NormKind::layer, NormPosition::pre);
    spec.position = Position::learned;
    spec.tied_head = false;
    const Layout layout = layout_of(spec, layout_vocabulary);
    std::vector<std::string> names;
    for (const Parameter& parameter : layout.parameters) names.push_back(parameter.name);
    names.resize(5);
    EXPECT_EQ(names, (std::vector<std::string>{"embedding.weight", "positions.weight", "head.weight",
                                               "layers.0.attention.qkv.weight", "layers.0.attention.output.weight"}));
}

TEST(Layout, OffsetsFollowEachOther) {
    for (const NormKind norm : {NormKind::automatic, NormKind::zero_centred_rms, NormKind::dyt}) {
        const Layout layout = layout_of(layout_spec(norm, NormPosition::sandwich), layout_vocabulary);
        std::int64_t offset = 0;
        for (const Parameter& parameter : layout.parameters) {
            EXPECT_EQ(parameter.offset, offset) << parameter.name;
            offset += parameter.size;
        }
        EXPECT_EQ(layout.total, offset);
        EXPECT_EQ(layout.matrices + layout.vectors, offset);
    }
}

// Each matrix of the other kinds of attention has the Xavier deviation of its own inputs and outputs.
TEST(Layout, XavierAppliesToEveryAttention) {
    RunSpec spec = layout_spec(NormKind::layer, NormPosition::pre);
    spec.initialization = Initialization::xavier;
    spec.attention = AttentionKind::mla;
    const auto expect_xavier = [&](const std::string& matrix, std::int64_t sum) {
        const Layout layout = layout_of(spec, layout_vocabulary);
        EXPECT_DOUBLE_EQ(layout.at("layers.2.attention." + matrix + ".weight").deviation,
                         std::sqrt(2.0 / static_cast<double>(sum)))
            << matrix;
    };
    const std::int64_t latent = spec.latent_channels();
    expect_xavier("query", spec.width + spec.heads * spec.query_dim());
    expect_xavier("latent", spec.width + latent + spec.rotary_head_dim());
    expect_xavier("key_value", latent + spec.width);
    spec.attention = AttentionKind::gated;
    expect_xavier("gate", 2 * spec.width);
    spec.attention = AttentionKind::mha;
    spec.attention_layers = "deltanet";
    expect_xavier("rates", spec.width + spec.heads);
    expect_xavier("qkv", 2 * spec.width);
}

// Glorot and Bengio 2010; Wang et al. 2022: a decoder of 3 layers has β = 24^(−1/4).
TEST(Layout, XavierAndDeepNetScaleTheInitialWeights) {
    RunSpec spec = layout_spec(NormKind::layer, NormPosition::post);
    spec.initialization = Initialization::xavier;
    const Layout xavier = layout_of(spec, layout_vocabulary);
    const auto deviation = [](const Layout& layout, const std::string& name) {
        return layout.at("layers.2." + name + ".weight").deviation;
    };
    EXPECT_DOUBLE_EQ(deviation(xavier, "attention.qkv"), std::sqrt(2.0 / 16));
    EXPECT_DOUBLE_EQ(deviation(xavier, "attention.output"), std::sqrt(2.0 / 16));
    EXPECT_DOUBLE_EQ(deviation(xavier, "mlp.up"), std::sqrt(2.0 / 40));
    EXPECT_DOUBLE_EQ(deviation(xavier, "mlp.down"), std::sqrt(2.0 / 40));
    EXPECT_EQ(xavier.at("embedding.weight").deviation, 0.02);
    spec.deepnorm = true;
    const Layout deep = layout_of(spec, layout_vocabulary);
    const double beta = std::pow(24.0, -0.25);
    EXPECT_DOUBLE_EQ(deviation(deep, "attention.qkv"), std::sqrt(2.0 / 16));
    EXPECT_EQ(deep.at("layers.2.attention.qkv.weight").last_rows, 8);
    EXPECT_DOUBLE_EQ(deep.at("layers.2.attention.qkv.weight").last_factor, beta);
    EXPECT_DOUBLE_EQ(deviation(deep, "attention.output"), beta * std::sqrt(2.0 / 16));
    EXPECT_DOUBLE_EQ(deviation(deep, "mlp.up"), beta * std::sqrt(2.0 / 40));
    EXPECT_DOUBLE_EQ(deviation(deep, "mlp.down"), beta * std::sqrt(2.0 / 40));
    EXPECT_DOUBLE_EQ(plan_of(spec, layout_vocabulary).layers[2].stream_factor, std::pow(6.0, 0.25));
}

// Without biases, as in Llama.
TEST(Layout, CountsParametersWithoutEmbeddings) {
    RunSpec spec;
    spec.block = Block::llama;
    spec.layers = 3;
    spec.width = 32;
    spec.heads = 2;
    spec.mlp_width = 64;
    const std::int64_t with_layers = non_embedding_parameters(spec);
    spec.layers = 2;
    // Four projections of attention, three of the gated network, two norms.
    EXPECT_EQ(with_layers - non_embedding_parameters(spec), 4 * 32 * 32 + 3 * 32 * 64 + 2 * 32);
    EXPECT_EQ(non_embedding_parameters(spec), 2 * (4 * 32 * 32 + 3 * 32 * 64 + 2 * 32) + 32) << "and the last norm";
}

// The factors of zero-centered norms are vectors that decay, and stand among the numbers with weight decay.
TEST(Layout, MuonTrainsMatricesOnly) {
    const Layout layout = layout_of(layout_spec(NormKind::zero_centred_rms, NormPosition::pre), layout_vocabulary);
    int trained = 0;
    for (const Parameter& parameter : layout.parameters) {
        const bool is_matrix = parameter.name.starts_with("layers.") && parameter.shape.size() > 1;
        EXPECT_EQ(trains_with_muon(layout, parameter), is_matrix) << parameter.name;
        trained += is_matrix ? 1 : 0;
    }
    EXPECT_GT(trained, 3);
}

// Radford et al. 2019: 0.02, and for the outputs of the 2·3 branches 0.02/√6; norms start at 1, biases at 0.
TEST(Layout, StartsAsGpt2Does) {
    RunSpec spec = layout_spec(NormKind::layer, NormPosition::pre);
    spec.position = Position::learned;
    spec.tied_head = false;
    for (const Parameter& parameter : layout_of(spec, layout_vocabulary).parameters) {
        const bool is_output = parameter.name.ends_with("output.weight") || parameter.name.ends_with("down.weight");
        const double expected = parameter.name.ends_with("norm.weight") ? 1.0
                                : parameter.name.ends_with("bias")      ? 0.0
                                : is_output                             ? 0.02 / std::sqrt(6.0)
                                                                        : 0.02;
        EXPECT_DOUBLE_EQ(parameter.deviation, expected) << parameter.name;
        EXPECT_EQ(parameter.last_rows, 0) << parameter.name;
        EXPECT_TRUE(parameter.initial.empty()) << parameter.name;
    }
    spec.experts = 4;
    spec.router_deviation = 0.006;
    const Layout layout = layout_of(spec, layout_vocabulary);
    EXPECT_EQ(layout.at("layers.0.mlp.router.weight").deviation, 0.006);
    EXPECT_EQ(layout.at("layers.0.mlp.router_noise.weight").deviation, 0.006);
    EXPECT_EQ(layout.at("layers.0.mlp.experts.up.weight").deviation, 0.02);
    EXPECT_DOUBLE_EQ(layout.at("layers.0.mlp.experts.down.weight").deviation, 0.02 / std::sqrt(6.0));
    EXPECT_THROW(layout.at("layers.3.mlp.router.weight"), std::out_of_range);
}

// Heads start with decays whose rates grow evenly from 1 to 16 (Yang et al. 2024).
TEST(Layout, DeltaNetsStartWithOneDecayPerHead) {
    RunSpec spec = layout_spec(NormKind::layer, NormPosition::pre);
    spec.attention_layers = "deltanet";
    const auto rates = [&] {
        std::vector<double> result;
        const Layout layout = layout_of(spec, layout_vocabulary);
        for (const double log : layout.at("layers.0.attention.log_decay").initial) result.push_back(std::exp(log));
        return result;
    };
    EXPECT_THAT(rates(), testing::ElementsAre(testing::DoubleNear(1, 1e-12), testing::DoubleNear(16, 1e-12)));
    spec.heads = 4;
    EXPECT_THAT(rates(), testing::ElementsAre(testing::DoubleNear(1, 1e-12), testing::DoubleNear(6, 1e-12),
                                              testing::DoubleNear(11, 1e-12), testing::DoubleNear(16, 1e-12)));
    spec.heads = 1;
    EXPECT_THAT(rates(), testing::ElementsAre(testing::DoubleNear(1, 1e-12)));
}

}  // namespace
}  // namespace ropelab
