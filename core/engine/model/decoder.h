#pragma once

#include <torch/torch.h>

#include "core/engine/attention/attention.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/parts/experts.h"
#include "core/plan/model_plan.h"
#include "core/settings/run_spec.h"

namespace ropelab {

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
    /// `spec` gives the shape, which all runs of the cohort share.
    explicit Decoder(const RunSpec& spec) : plan_(plan_of(spec, 1)), is_eager_(spec.operations == Operations::eager) {}

    /// With a vocabulary of 1.
    const ModelPlan& plan() const { return plan_; }
    bool eager() const { return is_eager_; }

    /// tokens: (runs, batch, time) int64 → (runs, batch·time, vocabulary) float32. `terms` cover exactly these
    /// positions.
    torch::Tensor logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                         Precision precision, const DecoderUse& use = {}) const;

 private:
    ModelPlan plan_;
    bool is_eager_;
};

}  // namespace ropelab
