#include "core/plan/anatomy.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plan/layout.h"
#include "core/plan/step_cost.h"
#include "core/settings/keys.h"
#include "tests/core/plan/anatomy_variants.h"
#include "tests/support/shape_of_symbols.h"

namespace ropelab {
namespace {

std::vector<std::string> tensor_names(const AnatomyStage& stage) {
    std::vector<std::string> names;
    for (const Tensor& tensor : stage.tensors) names.push_back(tensor.name);
    return names;
}

std::vector<RunSpec> many_specs() {
    std::vector<RunSpec> specs;
    for (const std::string& settings : anatomy_variants()) specs.push_back(anatomy_spec(settings));
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

// Returns the settings of the group "model".
std::string settings_text(const RunSpec& spec) {
    std::string text;
    for (const Key& each : keys()) {
        if (each.group == "model") text += std::string(each.name) + "=" + to_text(each.get(spec)) + " ";
    }
    return text;
}

TEST(Anatomy, StagesHaveNamesShapesAndSettings) {
    for (const RunSpec& spec : many_specs()) {
        SCOPED_TRACE(settings_text(spec));
        for (const AnatomySection& section : anatomy_of(spec, 65).sections) {
            std::set<std::string> ids;
            for (const AnatomyStage& stage : section.stages) {
                EXPECT_TRUE(ids.insert(stage.id).second) << stage.id;
                EXPECT_FALSE(stage.name.empty()) << stage.id;
                EXPECT_FALSE(stage.formula.empty()) << stage.id;
                EXPECT_TRUE(stage.id == "frequencies" || !stage.shape.empty()) << stage.id;
                for (const std::string& name : stage.settings) EXPECT_NO_THROW(key(name)) << stage.id;
            }
        }
    }
}

TEST(Anatomy, ShapesAreThoseOfTheirSymbols) {
    for (const RunSpec& spec : many_specs()) {
        SCOPED_TRACE(settings_text(spec));
        const Anatomy anatomy = anatomy_of(spec, 65);
        ShapeOfSymbols shape_of(anatomy.sizes);
        for (const AnatomySection& section : anatomy.sections) {
            for (const AnatomyStage& stage : section.stages) {
                if (stage.id == "frequencies") continue;
                EXPECT_EQ(shape_of(stage.symbols), stage.shape) << stage.id;
            }
        }
    }
}

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
    EXPECT_EQ(keys->cache_bytes_per_token, 2 * 16 * 4);
    EXPECT_EQ(keys->kind, "multi-query");
    const AnatomyStage* scores = anatomy.find("attention.scores");
    ASSERT_NE(scores, nullptr);
    EXPECT_EQ(scores->shape, (std::vector<std::int64_t>{3, 2, 10, 10}));
    EXPECT_EQ(scores->operations, 2.0 * 5.5 * 32);  // the mean of 1 to 10 keys
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
    other.rotated_layers = "0";
    EXPECT_EQ(modern_model(other).rotated_layers, "all");
    EXPECT_EQ(layout_of(traditional_model(other), 65).total, layout_of(traditional_model(spec), 65).total);
    other.mlp_width = 100;
    EXPECT_EQ(traditional_model(other).hidden_width(), 4 * other.width);
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

TEST(Anatomy, LayersOfOneKindAreOneSection) {
    const Anatomy hybrid =
        anatomy_of(anatomy_spec("attention_layers=3deltanet+1full layers=8 experts=4 dense_layers=1"), 65);
    ASSERT_EQ(hybrid.sections.size(), 5U);
    EXPECT_EQ(hybrid.sections[1].title, "Layer 0: gated DeltaNet, dense MLP");
    EXPECT_EQ(hybrid.sections[2].title, "Layers 1–2, 4–6: gated DeltaNet, experts");
    EXPECT_EQ(hybrid.sections[2].repeats(), 5);
    EXPECT_EQ(hybrid.sections[3].title, "Layers 3, 7: whole context, experts");
    EXPECT_EQ(hybrid.find("attention.state#2"), &hybrid.sections[2].stages.at(4));
    EXPECT_EQ(hybrid.find("attention.state#3"), nullptr);
    EXPECT_EQ(hybrid.find("attention.output"), hybrid.find("attention.output#1"));

    const Anatomy equal = anatomy_of(anatomy_spec("attention_layers=deltanet layers=8"), 65);
    ASSERT_EQ(equal.sections.size(), 3U);
    EXPECT_EQ(equal.sections[1].title, "Layer");
    const Anatomy many = anatomy_of(anatomy_spec("attention_layers=deltanet+full layers=12"), 65);
    EXPECT_EQ(many.sections[1].title, "Layers 0, 2, 4, 6, …: gated DeltaNet");
    const Anatomy window = anatomy_of(anatomy_spec("attention_layers=2window+1full attention_window=7 layers=3"), 65);
    EXPECT_EQ(window.sections[1].title, "Layers 0–1: sliding window");
    EXPECT_LT(window.find("attention.scores")->operations, window.find("attention.scores#2")->operations);
    ASSERT_EQ(window.remarks.size(), 1U);
    EXPECT_NE(window.remarks.front().find("7 tokens"), std::string::npos) << window.remarks.front();
    EXPECT_NE(window.remarks.front().find("overestimate the cache"), std::string::npos) << window.remarks.front();
}

// 4 heads of 12 channels, 24 tokens: computed by hand.
TEST(Anatomy, StagesOfLatentAttentionAndOfTheDeltaNetAreThoseComputedByHand) {
    const Anatomy latent = anatomy_of(anatomy_spec("attention=mla latent_width=10 rotary_channels=4 batch=2"), 65);
    EXPECT_EQ(latent.find("attention.qkv"), nullptr);
    EXPECT_EQ(latent.find("attention.query")->shape, (std::vector<std::int64_t>{2, 24, 64}));
    EXPECT_EQ(latent.find("attention.query")->parameters, 64 * 48);
    EXPECT_EQ(latent.find("attention.latent")->shape, (std::vector<std::int64_t>{2, 24, 14}));
    EXPECT_EQ(latent.find("attention.latent")->cache_bytes_per_token, 14 * 4);
    EXPECT_EQ(latent.find("attention.latent_norm")->parameters, 10);
    EXPECT_EQ(latent.find("attention.key_value")->parameters, 96 * 10);
    EXPECT_EQ(latent.find("attention.key_value")->operations, 2.0 * 96 * 10);
    EXPECT_EQ(latent.find("attention.scores")->operations, 2.0 * 12.5 * 64);
    EXPECT_EQ(latent.find("attention.values")->operations, 2.0 * 12.5 * 48);

    const Anatomy state = anatomy_of(anatomy_spec("attention_layers=deltanet batch=2"), 65);
    EXPECT_EQ(state.find("attention.scores"), nullptr);
    EXPECT_EQ(state.find("attention.rotation"), nullptr);
    EXPECT_EQ(state.find("attention.state")->shape, (std::vector<std::int64_t>{2, 4, 12, 12}));
    EXPECT_EQ(state.find("attention.state")->state_bytes, 4 * 12 * 12 * 4);
    EXPECT_EQ(state.find("attention.state")->operations, 5.0 * 48 * 12);
    EXPECT_EQ(state.find("attention.rates")->parameters, 8 * 48 + 4 + 4);
    EXPECT_EQ(state.totals().cache_bytes_per_token, 0);
    EXPECT_EQ(state.totals().state_bytes, 4 * 4 * 12 * 12 * 4);
}

TEST(Anatomy, ExpertsCountAllParametersButOnlyTheActiveOperations) {
    const Anatomy anatomy = anatomy_of(anatomy_spec("experts=4 mlp_width=100 bias=true dense_layers=1"), 65);
    EXPECT_EQ(anatomy.find("mlp.router")->parameters, 2 * 4 * 48);
    const AnatomyStage* up = anatomy.find("mlp.up#2");
    ASSERT_NE(up, nullptr);
    EXPECT_EQ(up->kind, "2 of 4 experts per token");
    EXPECT_EQ(up->parameters, 4 * (100 * 48 + 100));
    EXPECT_EQ(up->active_parameters(), 2 * (100 * 48 + 100));
    EXPECT_EQ(up->operations, 2.0 * 2 * 100 * 48);
    EXPECT_EQ(tensor_names(*up), (std::vector<std::string>{"mlp.experts.up.weight", "mlp.experts.up.bias"}));
    EXPECT_EQ(anatomy.find("mlp.up")->parameters, 100 * 48 + 100);
    EXPECT_EQ(anatomy.find("mlp.up")->active_parameters(), 100 * 48 + 100);
}

TEST(Anatomy, NormsAreAtTheirPlaces) {
    const auto ids_of = [](const std::string& settings) {
        std::vector<std::string> ids;
        for (const AnatomySection& section : anatomy_of(anatomy_spec(settings), 65).sections) {
            for (const AnatomyStage& stage : section.stages) {
                const bool is_sum = stage.id.ends_with(".sum");
                if (is_sum || (stage.id.ends_with("_norm") && !stage.id.starts_with("attention."))) {
                    ids.push_back(stage.id);
                }
            }
        }
        return ids;
    };
    using Ids = std::vector<std::string>;
    EXPECT_EQ(ids_of("layers=1"), (Ids{"attention_norm", "attention.sum", "mlp_norm", "mlp.sum", "final_norm"}));
    EXPECT_EQ(ids_of("layers=1 norm_position=post"),
              (Ids{"attention.sum", "attention_post_norm", "mlp.sum", "mlp_post_norm"}));
    EXPECT_EQ(ids_of("layers=1 norm_position=sandwich"),
              (Ids{"attention_norm", "attention_output_norm", "attention.sum", "mlp_norm", "mlp_output_norm", "mlp.sum",
                   "final_norm"}));
    const Anatomy deep = anatomy_of(anatomy_spec("norm_position=post deepnorm=true"), 65);
    EXPECT_EQ(deep.find("attention.sum")->kind, "DeepNet");
    EXPECT_EQ(deep.find("head")->formula, "logits = X·E^⊤");
}

}  // namespace
}  // namespace ropelab
