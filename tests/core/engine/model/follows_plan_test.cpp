// What the plan says of a model, for the forecasts, against what the engine does.
#include <gtest/gtest.h>

#include "core/engine/attention/backend.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/model/decoder.h"
#include "core/forecast/device_need.h"
#include "core/plan/kernels.h"
#include "core/plan/layout.h"
#include "core/plan/step_cost.h"
#include "tests/core/plan/anatomy_variants.h"

namespace ropelab {
namespace {

// With layers as large as those of GPT-3, on LibTorch's meta device, whose tensors have no memory.
TEST(EngineFollowsPlan, InBytesOfParametersAndOptimizer) {
    constexpr int gpt2_vocabulary = 50257;
    for (const std::string& settings : anatomy_variants()) {
        SCOPED_TRACE(settings);
        RunSpec spec = anatomy_spec(settings);
        spec.width *= 256;
        spec.heads *= 24;
        spec.key_value_heads *= 24;
        spec.frequencies = RunSpec().frequencies;  // a list has one for each pair
        const ModelPlan plan = plan_of(spec, gpt2_vocabulary);
        const Layout layout = layout_of(plan);
        const Parameters weights(layout, torch::empty({1, layout.total}, torch::kMeta));
        std::int64_t bytes = 0;
        for (const torch::Tensor& tensor : weights.leaves()) bytes += static_cast<std::int64_t>(tensor.nbytes());
        EXPECT_EQ(bytes, 4 * plan.anatomy().totals().parameters.value());
        // Weights, gradients and two moments.
        EXPECT_EQ(static_cast<double>(4 * bytes), device_need(spec, 1, gpt2_vocabulary).weights);
    }
}

struct SmallModel {
    explicit SmallModel(const RunSpec& spec)
        : decoder(plan_of(spec, 11)),
          weights(layout_of(spec, 11), torch::ones({1, layout_of(spec, 11).total})),
          terms(PositionSource({&decoder.plan(), 1}, spec.context, torch::kCPU, &weights).at(0, spec.context)) {}
    Decoder decoder;
    Parameters weights;
    PositionTerms terms;
};

// After a text that fills the context.
TEST(EngineFollowsPlan, InBytesOfTheCache) {
    const torch::NoGradGuard no_gradients;
    for (const std::string& settings : anatomy_variants()) {
        const RunSpec spec = anatomy_spec(settings);
        if (spec.operations == Operations::eager) continue;  // generates without a cache
        SCOPED_TRACE(settings);
        const SmallModel model(spec);
        KeyValueCache cache(model.decoder.plan());
        model.decoder.logits(model.weights, torch::zeros({1, 1, spec.context}, torch::kInt64), model.terms,
                             Precision::float32, {.cache = &cache});
        EXPECT_EQ(cache.bytes(), cache_bytes(spec).kv);
    }
}

TEST(EngineFollowsPlan, InTheChoiceOfAttention) {
    for (const std::string& settings : anatomy_variants()) {
        const RunSpec spec = anatomy_spec(settings);
        if (spec.theta_varies()) continue;  // the tables decide too
        SCOPED_TRACE(settings);
        const SmallModel model(spec);
        for (std::int64_t index = 0; index < spec.layers; ++index) {
            const LayerPlan& layer = model.decoder.plan().layers[static_cast<std::size_t>(index)];
            if (!layer.scores()) {
                EXPECT_FALSE(attention_kernel_supports(layer) || flash_attention_supports(layer));
                continue;
            }
            const auto* attention = std::get_if<Softmax>(&layer.attention);
            const HeadCounts heads = attention ? HeadCounts{*attention->heads.h, *attention->heads.kv}
                                               : HeadCounts{layer.heads(), layer.heads()};
            const std::int64_t rows = (heads.query + 2 * heads.key_value) * layer.query_channels();
            const AttentionInput input{.qkv = torch::zeros({1, spec.context, rows}), .batch = 1, .heads = heads};
            const LayerTerms terms = model.terms.layer(index, *layer.scores(), model.weights);
            EXPECT_EQ(attention_backend(input, terms) == AttentionBackend::cpu, attention_kernel_supports(layer));
            use_accelerator({torch::kCPU});
            if (attention) {
                EXPECT_EQ(attention_backend(input, terms) == AttentionBackend::flash, flash_attention_supports(layer));
            }
            use_accelerator({});
        }
    }
}

}  // namespace
}  // namespace ropelab
