#pragma once

#include <torch/torch.h>

#include <span>

#include "core/model/attention/rotary.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Contribution of the position encoding to the attention of one layer of a cohort.
struct LayerTerms {
    RotaryTables tables;        // undefined if nothing rotates
    torch::Tensor slopes = {};  // slopes of ALiBi (formula 25), (heads) float32; undefined without ALiBi
    std::int64_t window = 0;    // sliding window in tokens, which includes the query's own; 0: none
    torch::Tensor sinks = {};   // attention sinks (formula 45), (runs, heads) float32; undefined without them

    /// Returns whether the only mask is the causal one: no bias and no sliding window.
    bool only_causal() const { return !slopes.defined() && window == 0; }
};

/// Contribution of the position encoding to a decoder, for a range of positions.
struct PositionTerms {
    LayerTables tables;
    torch::Tensor slopes;
    std::int64_t window = 0;
    /// Sinusoidal embeddings (formula 30) of the positions, (time, width) float32; undefined without them.
    torch::Tensor embeddings;
    /// Position of the first token; the other positions follow.
    std::int64_t first = 0;
    /// Positions as a tensor on the device, (time) int64, which replaces `first` if it is defined: work that is
    /// captured in a CUDA graph must load the positions from there.
    torch::Tensor positions = {};

    /// Returns the position terms of one layer.
    LayerTerms layer(std::int64_t index) const {
        return {.tables = tables.at(index), .slopes = slopes, .window = window};
    }
    /// Returns the positions as a tensor on `device`, (time) int64.
    torch::Tensor positions_of(std::int64_t time, torch::Device device) const;
};

/// Returns the position terms for positions 0 … positions − 1. The rotary tables are those of layer_tables, with
/// gradients if theta is trained.
PositionTerms position_terms(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                             const TableChanges& changes = {}, const Parameters* weights = nullptr);

/// Source of position terms for forward passes without gradients. With RunSpec::rope_cache the terms for positions 0 …
/// positions − 1 are computed once; without it cos and sin are computed at every call.
class PositionSource {
 public:
    PositionSource() = default;
    PositionSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                   const TableChanges& changes = {}, const Parameters* weights = nullptr);

    /// Returns the position terms for positions first … first + count − 1.
    PositionTerms at(std::int64_t first, std::int64_t count) const;
    /// Returns the position terms for the positions in a tensor of the device, (time) int64. Copies nothing from the
    /// host.
    PositionTerms at(const torch::Tensor& positions) const;
    /// Returns whether the source has stored terms that end before `position`.
    bool ends_before(std::int64_t position) const;

 private:
    TableSource tables_;
    torch::Tensor slopes_;
    std::int64_t window_ = 0;
    torch::Tensor embeddings_;
};

/// Returns the mask of the keys that each query must not see: (queries, keys) bool. `queries` and `keys`: positions,
/// (n) int64; a key position of −1 is an empty slot of a cache.
torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// Returns ALiBi's bias of the logits (formula 25), −slope·distance: (heads, queries, keys), of the type of `slopes`.
torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys);

/// Returns the hidden keys and the ALiBi bias as one mask that is added to the logits: (heads or 1, queries, keys) of
/// type `type`, −∞ for a hidden key.
torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type);

}  // namespace ropelab
