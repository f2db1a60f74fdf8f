#pragma once

#include <torch/torch.h>

#include <span>
#include <vector>

#include "core/model/attention/rotary.h"
#include "core/model/stage_observer.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Learned weights of one layer's relative positions, each with a leading runs dimension. Undefined if the encoding
/// does not have them.
struct RelativeWeights {
    torch::Tensor bias;            // of each bucket of distances (formula 40): (runs, heads, buckets)
    torch::Tensor keys;            // added to the key of each clipped distance (formula 39): (runs, clip + 1, head_dim)
    torch::Tensor values;          // added to the value: (runs, clip + 1, head_dim)
    torch::Tensor content_bias;    // u of Transformer-XL (formula 41): (runs, heads, head_dim)
    torch::Tensor distance_query;  // v of Transformer-XL: (runs, heads, head_dim)
    torch::Tensor projection;      // W of Transformer-XL: (runs, key_value_heads·head_dim, width)
    torch::Tensor contextual;      // position embeddings of CoPE (formula 43): (runs, positions, head_dim)

    bool defined() const { return bias.defined() || keys.defined() || projection.defined() || contextual.defined(); }
};

/// Contribution of the position encoding to the attention of one layer of a cohort.
struct LayerTerms {
    RotaryTables tables;        // undefined if nothing rotates
    torch::Tensor slopes = {};  // slopes of ALiBi (formula 25), (heads) float32; undefined without ALiBi
    std::int64_t window = 0;    // sliding window in tokens, which includes the query's own; 0: none
    RelativeWeights relative = {};
    torch::Tensor buckets = {};    // bucket of each distance, whose last number is that of all larger ones, (n) int64
    torch::Tensor distances = {};  // sinusoidal embeddings of the distances (formula 41), (n, width) float32
    torch::Tensor decay = {};      // ln ζ/scale_base of each pair (formula 42), (runs, head_dim/2) float64
    torch::Tensor sinks = {};      // attention sinks (formula 45), (runs, heads) float32; undefined without them

    /// Returns whether the only mask is the causal one: no bias and no sliding window.
    bool only_causal() const { return !slopes.defined() && window == 0; }
    /// Returns whether the logits are products of rotated queries and keys, and at most ALiBi's bias. Only the
    /// reference backend computes others.
    bool only_products() const { return !relative.defined() && !decay.defined(); }
};

/// Contribution of the position encoding to a decoder, for a range of positions.
struct PositionTerms {
    LayerTables tables;
    torch::Tensor slopes;
    std::int64_t window = 0;
    /// Sinusoidal embeddings (formula 30) of the positions, (time, width) float32; undefined without them.
    torch::Tensor embeddings;
    /// Members of LayerTerms, which all layers share.
    torch::Tensor buckets = {};
    torch::Tensor distances = {};
    /// Decay of each layer; empty without xPos.
    std::vector<torch::Tensor> decays = {};
    /// Position of the first token; the other positions follow.
    std::int64_t first = 0;
    /// Positions as a tensor on the device, (time) int64, which replaces `first` if it is defined: work that is
    /// captured in a CUDA graph must load the positions from there.
    torch::Tensor positions = {};

    /// Returns the position terms of one layer, without its learned weights.
    LayerTerms layer(std::int64_t index) const;
    /// Returns the positions as a tensor on `device`, (time) int64.
    torch::Tensor positions_of(std::int64_t time, torch::Device device) const;
};

/// Returns the position terms for positions 0 … positions − 1. The rotary tables are those of layer_tables, with
/// gradients if theta is trained. Throws BadInput if the sequence is too long for xPos.
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
    torch::Tensor buckets_;
    torch::Tensor distances_;
    std::vector<torch::Tensor> decays_;
    std::int64_t visible_tokens_ = 0;
};

/// Returns the learned weights of one layer's relative positions.
RelativeWeights relative_weights(const Parameters& weights, std::int64_t layer);

/// Returns the mask of the keys that each query must not see: (queries, keys) bool. `queries` and `keys`: positions,
/// (n) int64; a key position of −1 is an empty slot of a cache.
torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// Rotates the queries of sequences that start at position 0 and applies xPos' decay to them: (runs, batch, time,
/// heads, head_dim). The exponents of the decay are relative to the middle of the sequence.
torch::Tensor encoded_queries(const torch::Tensor& queries, const LayerTerms& terms);
/// Returns the same for keys, whose decay is the inverse.
torch::Tensor encoded_keys(const torch::Tensor& keys, const LayerTerms& terms);
/// Multiplies the pairs of x, (runs, batch, time, heads, head_dim), by the decay to the power of `exponents`, (time).
/// The result is float32, or float64 for such an x.
torch::Tensor decayed(const torch::Tensor& x, const torch::Tensor& decay, const torch::Tensor& exponents);

/// Returns what the learned relative positions of one run add to its logits: (1 or batch, heads, queries, keys);
/// undefined if the encoding adds nothing.
///
/// q: (batch, heads, queries, head_dim). k: (batch, heads, keys, head_dim). products: q·k/√head_dim, (batch, heads,
/// queries, keys). `queries` and `keys`: positions, (n) int64, in any order.
torch::Tensor relative_logits(const LayerTerms& terms, std::int64_t run, const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& products, const torch::Tensor& queries, const torch::Tensor& keys,
                              const StageMarks& stages = {});

/// Returns the sums of learned value vectors (formula 39) of one run, weighted by attention, (batch, heads, queries,
/// keys) → (batch, heads, queries, head_dim).
torch::Tensor relative_values(const LayerTerms& terms, std::int64_t run, const torch::Tensor& attention,
                              const torch::Tensor& queries, const torch::Tensor& keys);

/// Returns ALiBi's bias of the logits (formula 25), −slope·distance: (heads, queries, keys), of the type of `slopes`.
torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys);

/// Returns the hidden keys and the ALiBi bias as one mask that is added to the logits: (heads or 1, queries, keys) of
/// type `type`, −∞ for a hidden key.
torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type);

}  // namespace ropelab
