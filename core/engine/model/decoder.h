#pragma once

#include <torch/torch.h>

#include <functional>

#include "core/engine/attention/attention.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/parts/routing.h"
#include "core/plan/model_plan.h"

namespace ropelab {

// The way of one token through a model:
//   1. train/torch_cohort.cpp (training) or model/torch_model.cpp (a trained model) gives tokens, (runs, batch, time).
//   2. attention/position.h makes what depends on positions: rotary.h tables from the frequencies of the plan, and
//      relative.h tables of distances.
//   3. Decoder::logits looks up the embedding and visits the layers of the plan (plan/model_plan.h); each norm adds the
//      branch before it to the residual stream (parts/norm.cpp).
//   4. parts/parts.h has a forward for each kind of attention: projections, then rotation and scores.
//   5. attention/backend.cpp chooses who computes the scores: attention/cpu.cpp with the kernels of core/kernels,
//      LibTorch's operation, or attention/reference.cpp, operation by operation; with attention/cache.h in generation.
//   6. parts/mlp.cpp or parts/experts.cpp; after the last layer the head gives logits, (runs, batch·time, vocabulary).
// Single tokens on the CPU take a shorter way with the same plan: model/token_decoder.h.

/// What a forward pass uses or fills besides weights and tokens; nothing by default.
struct DecoderUse {
    Dropout dropout = {};
    KeyValueCache* cache = nullptr;  // the tokens continue those in it and are added to it
    AttentionHook* hook = nullptr;
    ExpertRecord* experts = nullptr;  // receives the routing
    StageObserver* stages = nullptr;
};

/// The forward pass of a model's plan (core/plan/model_plan.h). All tensors have a leading runs dimension. The caller
/// owns the weights.
class Decoder {
 public:
    /// What the runs of a cohort have in common; each run's frequencies come with its PositionTerms.
    explicit Decoder(ModelPlan plan) : plan_(std::move(plan)) {}

    const ModelPlan& plan() const { return plan_; }
    bool eager() const { return plan_.is_eager; }

    /// tokens: (runs, batch, time) int64 → (runs, batch·time, vocabulary) float32. `terms` cover exactly these
    /// positions.
    torch::Tensor logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                         Precision precision, const DecoderUse& use = {}) const;
    /// What the output head multiplies: (runs, batch·time, width). head() of all its rows gives the logits, and head()
    /// of some of them the logits of these.
    torch::Tensor last_rows(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                            Precision precision, const DecoderUse& use = {}) const;
    torch::Tensor head(const Parameters& weights, const torch::Tensor& last, Precision precision) const;
    /// f(first row, logits) for all rows in order. Logits of a large vocabulary are computed for some rows after the
    /// others, so that memory need not contain them all.
    void each_logits(const Parameters& weights, const torch::Tensor& last, Precision precision,
                     const std::function<void(std::int64_t, const torch::Tensor&)>& f) const;
    /// Logits after the last token of one sequence, whose last_rows are (1, time, width): (vocabulary). If all logits
    /// would be many, only these are computed.
    torch::Tensor next_logits(const Parameters& weights, const torch::Tensor& rows, Precision precision) const;

 private:
    ModelPlan plan_;
};

}  // namespace ropelab
