#pragma once

#include <torch/torch.h>

#include "core/model/attention/attention.h"
#include "core/model/dropout.h"
#include "core/model/parameters.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// A pre-norm decoder of GPT-2's, Llama's or Pythia's blocks (core/spec/run_spec.h) with any position encoding. It has
/// a leading runs dimension throughout; linear layers are batched products over it. Weights are its caller's.
class Decoder {
 public:
    /// `spec` gives the shape, which all runs of the cohort share.
    explicit Decoder(RunSpec spec) : spec_(std::move(spec)) {}

    /// Whether it computes operation by operation (RunSpec::operations).
    bool eager() const { return spec_.operations == Operations::eager; }

    /// tokens: (runs, batch, time) int64 → logits: (runs, batch·time, vocabulary) float32.
    /// `terms`: of exactly these positions. With a cache the tokens continue those in it, and are added to it. A hook
    /// observes each layer's attention.
    torch::Tensor logits(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms,
                         Precision precision, const Dropout& dropout = {}, KeyValueCache* cache = nullptr,
                         AttentionHook* hook = nullptr) const;

 private:
    torch::Tensor embedded(const Parameters& weights, const torch::Tensor& tokens, const PositionTerms& terms) const;
    torch::Tensor attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch,
                            const LayerTerms& terms, Precision precision, const Dropout& dropout,
                            const AttentionUse& use) const;
    torch::Tensor mlp(const Parameters& weights, const torch::Tensor& x, std::int64_t layer, Precision precision) const;

    RunSpec spec_;
};

/// The mean of each run's row, (runs, n) → (runs). Each row is summed by itself, in an order that does not depend on
/// how many rows there are.
torch::Tensor row_means(const torch::Tensor& losses);

}  // namespace ropelab
