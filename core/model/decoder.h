#pragma once

#include <torch/torch.h>

#include <vector>

#include "core/model/dropout.h"
#include "core/model/open_attention.h"
#include "core/model/parameters.h"
#include "core/model/rotary.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Keys (already turned) and values of the symbols read so far, a layer each: (1, 1, time, heads, head_dim).
struct KeyValueCache {
    struct Layer {
        torch::Tensor key;
        torch::Tensor value;
    };
    std::vector<Layer> layers;

    std::int64_t length() const { return layers.empty() ? 0 : layers.front().key.size(2); }
    /// Empty at first.
    Layer& layer(std::int64_t index);
    /// Forgets all but the newest `count` entries.
    void keep_last(std::int64_t count);
};

/// A pre-norm decoder of GPT-2's, Llama's or Pythia's blocks (core/spec/run_spec.h), positions learned, rotated, both
/// or neither. It has a leading runs dimension throughout; linear layers are batched products over it. Weights are its
/// caller's.
class Decoder {
 public:
    /// `spec` gives the shape, which all runs of the cohort share.
    explicit Decoder(RunSpec spec) : spec_(std::move(spec)) {}

    /// Whether it calculates operation by operation (RunSpec::operations).
    bool eager() const { return spec_.operations == Operations::eager; }

    /// tokens: (runs, batch, time) int64 → logits: (runs, batch·time, vocabulary) float32.
    /// `tables`: for exactly these positions. `first_position`: of the first token, for learned positions. With a cache
    /// the tokens continue what it holds, and are added to it. A hook is shown each layer's attention.
    torch::Tensor logits(const Parameters& weights, const torch::Tensor& tokens, const LayerTables& tables,
                         Precision precision, const Dropout& dropout = {}, std::int64_t first_position = 0,
                         KeyValueCache* cache = nullptr, AttentionHook* hook = nullptr) const;

 private:
    torch::Tensor attention(const Parameters& weights, const torch::Tensor& x, std::int64_t batch, std::int64_t layer,
                            const LayerTables& tables, Precision precision, const Dropout& dropout,
                            KeyValueCache* cache, AttentionHook* hook) const;
    torch::Tensor attend_to_cache(LayerVectors vectors, KeyValueCache::Layer& held) const;
    torch::Tensor mlp(const Parameters& weights, const torch::Tensor& x, std::int64_t layer, Precision precision) const;

    RunSpec spec_;
};

/// The mean of each run's row, (runs, n) → (runs). Each row is summed by itself, in an order that does not depend on
/// how many rows there are.
torch::Tensor row_means(const torch::Tensor& losses);

}  // namespace ropelab
