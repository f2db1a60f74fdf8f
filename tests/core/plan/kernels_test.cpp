#include "core/plan/kernels.h"

#include <gtest/gtest.h>

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
}

}  // namespace
}  // namespace ropelab
