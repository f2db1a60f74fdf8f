#include "core/experiment/anatomy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/experiment/step_cost.h"
#include "core/spec/cache_bytes.h"
#include "core/spec/error.h"
#include "core/spec/layout.h"

namespace ropelab {
namespace {

std::vector<RunSpec> many_specs() {
    std::vector<RunSpec> specs;
    for (const Block block : {Block::gpt2, Block::llama, Block::pythia}) {
        for (const Position position : {Position::none, Position::learned, Position::rope, Position::learned_rope,
                                        Position::sinusoidal, Position::alibi}) {
            for (const std::int64_t kv : {0, 1, 2}) {
                for (const bool flag : {false, true}) {
                    RunSpec spec;
                    spec.layers = 3;
                    spec.heads = 4;
                    spec.width = 40;
                    spec.context = 24;
                    spec.block = block;
                    spec.position = position;
                    spec.key_value_heads = kv;
                    spec.bias = flag;
                    spec.tied_head = !flag;
                    spec.qk_norm = kv == 0 ? QkNorm::none : kv == 1 ? QkNorm::head : QkNorm::projection;
                    spec.mlp_width = kv == 2 ? 100 : 0;
                    spec.attention_window = kv == 1 ? 7 : 0;
                    specs.push_back(spec);
                }
            }
        }
    }
    for (const auto training : {ThetaTraining::one, ThetaTraining::layer, ThetaTraining::head, ThetaTraining::free}) {
        RunSpec spec;
        spec.theta_training = training;
        specs.push_back(spec);
    }
    RunSpec eager;
    eager.operations = Operations::eager;
    specs.push_back(eager);
    return specs;
}

TEST(Anatomy, SumsAreThoseOfTheModelsOwnTensorsAndOfTheStepCost) {
    for (const RunSpec& spec : many_specs()) {
        SCOPED_TRACE(label_of(spec));
        const AnatomyTotals totals = anatomy_of(spec, 65).totals();
        EXPECT_EQ(totals.parameters, layout_of(spec, 65).total);
        const double operations = forward_operations(spec, 65).total();
        EXPECT_NEAR(totals.operations.value(), operations, 1e-9 * operations);
        EXPECT_EQ(totals.cache_bytes.value() * spec.visible_tokens(), cache_bytes(spec).kv);
    }
}

TEST(Anatomy, EveryTensorBelongsToExactlyOneStage) {
    for (const RunSpec& spec : many_specs()) {
        SCOPED_TRACE(label_of(spec));
        std::multiset<std::string> names;
        for (const AnatomySection& section : anatomy_of(spec, 65).sections) {
            for (const AnatomyStage& stage : section.stages) {
                EXPECT_NE(stage.id, "other") << stage.tensors.front();
                for (const std::string& tensor : stage.tensors) {
                    if (section.layers.empty()) names.insert(tensor);
                    for (const std::int64_t layer : section.layers) {
                        names.insert("layers." + std::to_string(layer) + "." + tensor);
                    }
                }
            }
        }
        std::multiset<std::string> expected;
        for (const Parameter& parameter : layout_of(spec, 65).parameters) expected.insert(parameter.name);
        EXPECT_EQ(names, expected);
    }
}

// 2 heads of 16 channels, one of keys and values: computed by hand.
TEST(Anatomy, CountsOfOneLayerAreThoseComputedByHand) {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 32;
    spec.context = 10;
    spec.batch = 3;
    spec.key_value_heads = 1;
    spec.bias = true;
    const Anatomy anatomy = anatomy_of(spec, 65);
    const AnatomyStage* qkv = anatomy.find("attention.qkv");
    ASSERT_NE(qkv, nullptr);
    EXPECT_EQ(qkv->shape, (std::vector<std::int64_t>{3, 10, 64}));
    EXPECT_EQ(qkv->shape_text(), "3 × 10 × 64");
    EXPECT_EQ(qkv->parameters, 64 * 32 + 64);
    EXPECT_EQ(qkv->operations, 2.0 * 64 * 32);
    const AnatomyStage* keys = anatomy.find("attention.keys");
    ASSERT_NE(keys, nullptr);
    EXPECT_EQ(keys->cache_bytes, 2 * 16 * 4);
    EXPECT_EQ(keys->kind, "multi-query");
    const AnatomyStage* scores = anatomy.find("attention.scores");
    ASSERT_NE(scores, nullptr);
    EXPECT_EQ(scores->shape, (std::vector<std::int64_t>{3, 2, 10, 10}));
    EXPECT_EQ(scores->operations, 2.0 * 5 * 32);  // half of the keys
    EXPECT_EQ(anatomy.find("attention_norm")->parameters, 64);
    EXPECT_EQ(anatomy.find("head")->parameters, 0) << "tied to the embedding";
    EXPECT_EQ(anatomy.find("head")->operations, 2.0 * 65 * 32);
    EXPECT_EQ(anatomy.sections.at(1).repeats(), 2);
}

TEST(Anatomy, StagesFollowTheSettings) {
    RunSpec spec;
    spec.position = Position::alibi;
    EXPECT_EQ(anatomy_of(spec, 65).find("attention.rotation"), nullptr);
    EXPECT_NE(anatomy_of(spec, 65).find("attention.scores")->formula.find("slope"), std::string::npos);
    spec.position = Position::rope;
    EXPECT_NE(anatomy_of(spec, 65).find("attention.rotation"), nullptr);
    spec.block = Block::pythia;
    EXPECT_EQ(anatomy_of(spec, 65).find("attention.sum"), nullptr) << "one sum for attention and MLP";
    spec.heads = 3;
    EXPECT_THROW(anatomy_of(spec, 65), BadInput);
}

TEST(Anatomy, TraditionalAndModernDifferInEveryPart) {
    RunSpec spec;
    spec.heads = 4;
    const Anatomy traditional = anatomy_of(traditional_model(spec), 65);
    const Anatomy modern = anatomy_of(modern_model(spec), 65);
    EXPECT_EQ(traditional.find("attention_norm")->kind, "LayerNorm");
    EXPECT_EQ(modern.find("attention_norm")->kind, "RMSNorm");
    EXPECT_EQ(traditional.find("mlp.activation")->kind, "GELU");
    EXPECT_EQ(modern.find("mlp.activation")->kind, "SwiGLU");
    EXPECT_EQ(traditional.find("attention.keys")->kind, "multi-head");
    EXPECT_EQ(modern.find("attention.keys")->kind, "multi-query");
    EXPECT_NE(traditional.find("positions"), nullptr);
    EXPECT_EQ(modern.find("positions"), nullptr);
    EXPECT_NE(modern.find("attention.rotation"), nullptr);
    EXPECT_EQ(modern_model(spec).width, spec.width);

    RunSpec other = spec;
    other.position = Position::rope;
    other.attention = AttentionKind::gated;
    other.attention_layers = "deltanet + window";
    other.attention_window = 8;
    other.norm_position = NormPosition::post;
    other.feed_forward = FeedForward::relu2;
    other.experts = 4;
    other.attention_sinks = true;
    EXPECT_EQ(layout_of(traditional_model(other), 65).total, layout_of(traditional_model(spec), 65).total);
    EXPECT_EQ(layout_of(modern_model(other), 65).total, layout_of(modern_model(spec), 65).total);
}

TEST(Anatomy, NormsAndActivationsAreThoseOfTheSettings) {
    for (const NormKind norm : {NormKind::rms, NormKind::zero_centred_rms, NormKind::dyt}) {
        RunSpec spec;
        spec.norm = norm;
        spec.feed_forward = FeedForward::reglu;
        const Anatomy anatomy = anatomy_of(spec, 65);
        EXPECT_EQ(anatomy.totals().parameters, layout_of(spec, 65).total);
        EXPECT_EQ(anatomy.find("other"), nullptr);
        EXPECT_NE(anatomy.find("attention_norm")->kind, "LayerNorm");
        EXPECT_EQ(anatomy.find("mlp.activation")->kind, "ReGLU");
    }
}

TEST(Anatomy, RefusesPartsWithoutStages) {
    RunSpec spec;
    spec.experts = 4;
    EXPECT_THROW(anatomy_of(spec, 65), BadInput);
    spec = {};
    spec.attention = AttentionKind::gated;
    EXPECT_THROW(anatomy_of(spec, 65), BadInput);
    spec = {};
    spec.position = Position::t5;
    EXPECT_THROW(anatomy_of(spec, 65), BadInput);
}

}  // namespace
}  // namespace ropelab
