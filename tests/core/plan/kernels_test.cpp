#include "core/plan/kernels.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/core/plan/anatomy_variants.h"

namespace ropelab {
namespace {

TEST(Kernels, GraphsContainNeitherExpertsNorTriangularSystemsNorChangingTables) {
    for (const char* settings : {"", "position=cope", "attention=mla", "norm=dyt"}) {
        EXPECT_TRUE(graph_supports_step(anatomy_spec(settings))) << settings;
        EXPECT_TRUE(graph_supports_token(plan_of(anatomy_spec(settings), 1))) << settings;
    }
    for (const char* settings :
         {"attention_layers=deltanet+full", "theta_training=one", "optimizer=muon", "theta_schedule=linear"}) {
        EXPECT_FALSE(graph_supports_step(anatomy_spec(settings))) << settings;
        EXPECT_TRUE(graph_supports_token(plan_of(anatomy_spec(settings), 1))) << settings;
    }
    // Micro-batches stay on the device, but a graph would store the operations of each.
    EXPECT_TRUE(step_stays_on_device(anatomy_spec("batch=4 micro_batch=2")));
    EXPECT_FALSE(graph_supports_step(anatomy_spec("batch=4 micro_batch=2")));
    EXPECT_TRUE(graph_supports_step(anatomy_spec("batch=4 micro_batch=4")));
    for (const char* settings : {"experts=4 dense_layers=3", "operations=eager"}) {
        EXPECT_FALSE(step_stays_on_device(anatomy_spec(settings))) << settings;
        EXPECT_FALSE(graph_supports_step(anatomy_spec(settings))) << settings;
        EXPECT_FALSE(graph_supports_token(plan_of(anatomy_spec(settings), 1))) << settings;
    }
}

TEST(Kernels, ATokenNeedsAPlainModel) {
    const auto supports = [](const std::string& settings) {
        return token_kernels_support(plan_of(anatomy_spec(settings), 1));
    };
    for (const char* settings : {"", "position=alibi", "position=none", "attention_window=7", "key_value_heads=2",
                                 "qk_norm=head", "norm=rmsnorm", "block=llama", "block=pythia", "bias=true"}) {
        EXPECT_TRUE(supports(settings)) << settings;
    }
    for (const char* settings :
         {"attention=gated", "attention=mla", "attention_layers=deltanet+full", "attention_sinks=true", "position=t5",
          "position=xpos", "experts=4 dense_layers=3", "key_offset=1 fraction=0.5", "token_smear=true", "norm=dyt",
          "norm=zero-centered-rmsnorm", "norm_position=post", "norm_position=sandwich"}) {
        EXPECT_FALSE(supports(settings)) << settings;
    }
    for (const ActivationRow& row : activations()) {
        if (row.choice.value == FeedForward::automatic) continue;
        EXPECT_EQ(supports("feed_forward=" + std::string(row.choice.word)), activation_of(row.choice.value).is_fused);
    }
    const auto supports_changed = [](const std::function<void(ModelPlan&)>& change) {
        ModelPlan plan = plan_of(anatomy_spec("position=rope qk_norm=head"), 1);
        change(plan);
        return token_kernels_support(plan);
    };
    const auto softmax = [](ModelPlan& plan) -> Softmax& { return std::get<Softmax>(plan.layers.back().attention); };
    EXPECT_TRUE(supports_changed([](ModelPlan&) {}));
    EXPECT_FALSE(supports_changed([](ModelPlan& plan) { plan.head.factor = 0.5; }));
    EXPECT_FALSE(supports_changed([](ModelPlan& plan) { plan.head.soft_cap = 30; }));
    EXPECT_FALSE(supports_changed([](ModelPlan& plan) { plan.head.norm.reset(); }));
    EXPECT_FALSE(supports_changed([](ModelPlan& plan) { plan.layers.back().branch_factor = 0.5; }));
    EXPECT_FALSE(supports_changed([](ModelPlan& plan) { plan.layers.back().feed_forward_norms = {}; }));
    EXPECT_FALSE(supports_changed([&](ModelPlan& plan) { softmax(plan).scores.factor = 0.5; }));
    EXPECT_FALSE(supports_changed([&](ModelPlan& plan) { softmax(plan).scores.soft_cap = 50; }));
    EXPECT_FALSE(
        supports_changed([&](ModelPlan& plan) { softmax(plan).head_norm.kind = NormPart::Kind::zero_centred_rms; }));
}

TEST(Kernels, OnlyFusedOperationsOfConstantTablesAttendFused) {
    for (const char* settings :
         {"", "position=alibi", "position=t5", "position=xpos", "attention_sinks=true position=cope", "attention=mla",
          "dropout=0.1", "attention_layers=deltanet+full"}) {
        EXPECT_TRUE(attends_fused(anatomy_spec(settings))) << settings;
    }
    for (const char* settings : {"operations=eager", "theta_training=one", "attention=mla position=xpos"}) {
        EXPECT_FALSE(attends_fused(anatomy_spec(settings))) << settings;
    }
}

TEST(Kernels, LibTorchsAttentionOnDevicesIsCausalOnly) {
    for (const char* settings : {"", "position=none", "attention=gated", "key_value_heads=1 qk_norm=true"}) {
        EXPECT_TRUE(flash_attention_supports(anatomy_spec(settings), true)) << settings;
    }
    for (const char* settings : {"position=alibi", "position=t5", "position=kerple", "position=xpos",
                                 "attention_window=7", "attention_sinks=true", "attention=mla",
                                 "attention_layers=deltanet+full", "attention_layers=window+full attention_window=7"}) {
        EXPECT_FALSE(flash_attention_supports(anatomy_spec(settings), true)) << settings;
    }
}

TEST(Kernels, TheMatrixOfScoresIsStoredByDropoutInTrainingAndByLayersWithoutOneOperation) {
    for (const char* settings : {"", "position=alibi", "attention_window=7", "attention_layers=deltanet+full"}) {
        EXPECT_FALSE(stores_scores(anatomy_spec(settings), true)) << settings;
        const RunSpec drops = anatomy_spec(std::string(settings) + " dropout=0.1");
        EXPECT_TRUE(stores_scores(drops, true)) << settings;
        EXPECT_FALSE(stores_scores(drops, false)) << settings;
        EXPECT_FALSE(flash_attention_supports(drops, true)) << settings;
    }
    EXPECT_TRUE(flash_attention_supports(anatomy_spec("dropout=0.1"), false));
    for (const char* settings : {"position=t5", "position=kerple", "position=xpos", "attention_sinks=true",
                                 "attention=mla", "attention_layers=deltanet+full attention_sinks=true"}) {
        EXPECT_TRUE(stores_scores(anatomy_spec(settings), false)) << settings;
    }
}

TEST(UnfusedParts, NameWhatNoKernelComputes) {
    using Parts = std::vector<std::string>;
    EXPECT_EQ(unfused_parts(anatomy_spec("")), Parts());
    EXPECT_EQ(unfused_parts(anatomy_spec("optimizer=sgd")), Parts({"optimizer"}));
    EXPECT_EQ(unfused_parts(anatomy_spec("experts=4")), Parts({"experts"}));
    EXPECT_EQ(unfused_parts(anatomy_spec("operations=eager optimizer=sgd")), Parts({"all"}));
    EXPECT_EQ(unfused_parts(anatomy_spec("norm=dyt feed_forward=mish attention=gated position=t5")),
              Parts({"gate of attention", "activation", "norm"}));
    EXPECT_EQ(unfused_parts(anatomy_spec("attention=mla")), Parts());
    EXPECT_EQ(unfused_parts(anatomy_spec("attention=mla"), true), Parts({"attention"}));
    EXPECT_EQ(unfused_parts(anatomy_spec("attention_layers=deltanet+full")), Parts({"gated DeltaNet"}));
    EXPECT_EQ(unfused_parts(anatomy_spec("norm_position=post norm=rmsnorm")), Parts());
    for (const char* settings : {"position=cope", "position=xpos", "attention_sinks=true"}) {
        EXPECT_EQ(unfused_parts(anatomy_spec(settings)), Parts()) << settings;
        EXPECT_EQ(unfused_parts(anatomy_spec(settings), true), Parts({"attention"})) << settings;
    }
    EXPECT_EQ(unfused_parts(anatomy_spec("position=alibi attention_window=7"), true), Parts());
}

}  // namespace
}  // namespace ropelab
