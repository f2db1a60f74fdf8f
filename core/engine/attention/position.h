#pragma once

#include <torch/torch.h>

#include <span>
#include <vector>

#include "core/engine/attention/relative.h"
#include "core/engine/attention/rotary.h"
#include "core/plan/model_plan.h"

namespace ropelab {

/// Contribution of the position encoding and of the kind of layer to the attention of one layer of a cohort.
struct LayerTerms {
    RotaryTables tables;      // undefined if nothing rotates
    std::int64_t window = 0;  // sliding window in tokens, which includes the query's own; 0: none
    RelativeTerms relative = {};
    torch::Tensor decay = {};    // of xPos: that of xpos_decays
    double soft_cap = 0;         // Scores::soft_cap
    torch::Tensor shifted = {};  // Softmax::shifted_channels, (runs, 1, 1, 1, head_dim) bool; undefined for none
    torch::Tensor sinks = {};    // attention sinks (formula 45), (runs, heads) float32; undefined without them

    /// Of ALiBi, (heads) float32; undefined for other encodings.
    torch::Tensor slopes() const;
    /// No bias and no sliding window.
    bool only_causal() const { return !slopes().defined() && window == 0; }
    /// Only ALiBi's bias is added.
    bool only_products() const;
};

struct PositionTerms {
    LayerTables tables;
    /// Sinusoidal (formula 30), (time, width) float32; undefined without them.
    torch::Tensor embeddings = {};
    torch::Tensor relative = {};              // relative_table
    std::vector<torch::Tensor> decays = {};   // xpos_decays; empty for other encodings
    std::vector<torch::Tensor> shifted = {};  // LayerTerms::shifted of each layer; empty if no layer shifts keys
    std::int64_t first = 0;
    /// (time) int64 on the device; replaces `first` if defined: work in a CUDA graph must load positions from there.
    torch::Tensor positions = {};

    /// Of a layer with these scores.
    LayerTerms layer(std::int64_t index, const Scores& scores, const Parameters& weights) const;
    /// (time) int64.
    torch::Tensor positions_of(std::int64_t time, torch::Device device) const;
};

/// For positions 0 … positions − 1, tables as layer_tables. BadInput if the sequence is too long for xPos.
PositionTerms position_terms(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                             const Parameters* weights = nullptr);

/// For forward passes without gradients. With Rotary::stores_tables the terms for positions 0 … positions − 1 are
/// computed once; without it cos and sin are computed at every call.
class PositionSource {
 public:
    PositionSource() = default;
    PositionSource(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                   const Parameters* weights = nullptr);

    PositionTerms at(std::int64_t first, std::int64_t count) const;
    /// Positions on the device, (time) int64. Copies nothing from the host.
    PositionTerms at(const torch::Tensor& positions) const;
    /// True if there are stored ones, and they end before `position`.
    bool ends_before(std::int64_t position) const;

 private:
    TableSource tables_;
    PositionTerms terms_;         // of all positions, without tables
    bool has_distances_ = false;  // terms_.relative has a row for each distance
    std::int64_t visible_tokens_ = 0;
};

/// (runs, batch, time, heads, head_dim) from position 0. xPos' exponents are relative to the middle of the sequence.
torch::Tensor encoded_queries(const torch::Tensor& queries, const LayerTerms& terms);
/// The decay of keys is the inverse.
torch::Tensor encoded_keys(const torch::Tensor& keys, const LayerTerms& terms);

/// Hidden keys and ALiBi's bias, to be added to the logits: (heads or 1, queries, keys), −∞ for a hidden key.
torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type);

}  // namespace ropelab
