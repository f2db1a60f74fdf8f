#pragma once

#include <torch/torch.h>

#include <vector>

#include "core/engine/attention/attention.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/parts/experts.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Blocks of GPT-2, Llama or Pythia (core/spec/run_spec.h), norms before or after the branches, and any position
/// encoding. All tensors have a leading runs dimension. The caller owns the weights.
class Decoder {
 public:
    /// `spec` gives the shape, which all runs of the cohort share.
    explicit Decoder(RunSpec spec) : spec_(std::move(spec)), kinds_(attention_of_layers(spec_)) {}

    bool eager() const { return spec_.operations == Operations::eager; }

    /// tokens: (runs, batch, time) int64 → (runs, batch·time, vocabulary) float32. `terms` cover exactly these
    /// positions. With a cache the tokens continue those in it and are added to it. `experts` receives the routing.
    torch::Tensor logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                         Precision precision, const Dropout& dropout = {}, KeyValueCache* cache = nullptr,
                         AttentionHook* hook = nullptr, ExpertRecord* experts = nullptr,
                         StageObserver* stages = nullptr) const;

 private:
    torch::Tensor embedded(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                           const StageMarks& stages) const;
    torch::Tensor attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                            const LayerTerms& terms, Precision precision, const Dropout& dropout,
                            const AttentionUse& use) const;

    torch::Tensor latent_attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                                   const LayerTerms& terms, Precision precision, const Dropout& dropout,
                                   const AttentionUse& use) const;
    torch::Tensor delta_net(const Parameters& weights, const torch::Tensor& x, std::int64_t batch, Precision precision,
                            const AttentionUse& use) const;

    RunSpec spec_;
    std::vector<LayerAttention> kinds_;  // of the layers
};

/// (runs, n) → (runs). The order of summation does not depend on the number of rows.
torch::Tensor row_means(const torch::Tensor& losses);

}  // namespace ropelab
