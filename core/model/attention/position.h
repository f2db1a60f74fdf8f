#pragma once

#include <torch/torch.h>

#include <span>

#include "core/model/attention/rotary.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// What the position encoding gives the attention of one layer of a cohort.
struct LayerTerms {
    RotaryTables tables;        // undefined where nothing rotates
    torch::Tensor slopes = {};  // ALiBi (F25): (heads) float32; undefined without it
    std::int64_t window = 0;    // sliding window in tokens, the query's own included; 0: none

    /// Whether every query attends to all tokens before it, with no bias.
    bool only_causal() const { return !slopes.defined() && window == 0; }
};

/// What the position encoding gives a decoder for the positions of some tokens.
struct PositionTerms {
    LayerTables tables;
    torch::Tensor slopes;
    std::int64_t window = 0;
    /// Sinusoidal embeddings (F30) of these positions, (time, width) float32; undefined without them.
    torch::Tensor embeddings;
    /// The position of the first token; the others follow it.
    std::int64_t first = 0;
    /// (time) int64, where the positions are given by a tensor of the device instead: work that is captured in a graph
    /// must read them there.
    torch::Tensor positions = {};

    LayerTerms layer(std::int64_t index) const { return {tables.at(index), slopes, window}; }
    /// (time) int64 on `device`.
    torch::Tensor positions_of(std::int64_t time, torch::Device device) const;
};

/// Of positions 0 … positions − 1; rotary tables as layer_tables makes them, with gradients where theta is trained.
PositionTerms position_terms(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                             const TableChanges& changes = {}, const Parameters* weights = nullptr);

/// Where forward passes without gradients take their terms from: computed once for positions 0 … positions − 1, or, for
/// runs without `rope_cache`, cos and sin at every call.
class PositionSource {
 public:
    PositionSource() = default;
    PositionSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                   const TableChanges& changes = {}, const Parameters* weights = nullptr);

    /// Of positions first … first + count − 1.
    PositionTerms at(std::int64_t first, std::int64_t count) const;
    /// Of the positions in a tensor of the device, (time) int64. Nothing is copied from the host.
    PositionTerms at(const torch::Tensor& positions) const;
    /// Whether something is stored by position, and ends before `position`.
    bool ends_before(std::int64_t position) const;

 private:
    TableSource tables_;
    torch::Tensor slopes_;
    std::int64_t window_ = 0;
    torch::Tensor embeddings_;
};

/// Which of the keys a query must not see: (queries, keys) bool. `queries` and `keys`: (n) int64 positions; a key of
/// position −1 is an empty place of a cache.
torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// ALiBi's bias of logits (F25), −slope·distance: (heads, queries, keys) of `slopes`' type.
torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys);

/// Both as one mask that is added to logits: (heads or 1, queries, keys) of the type `type`, −∞ where a key is hidden.
torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type);

}  // namespace ropelab
