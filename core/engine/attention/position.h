#pragma once

#include <torch/torch.h>

#include <span>
#include <vector>

#include "core/engine/attention/rotary.h"
#include "core/engine/operations/stage_observer.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// With a leading runs dimension; undefined if the encoding does not have them.
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

    /// No bias and no sliding window.
    bool only_causal() const { return !slopes.defined() && window == 0; }
    /// Only ALiBi's bias is added. The reference backend alone computes other logits.
    bool only_products() const { return !relative.defined() && !decay.defined(); }
};

struct PositionTerms {
    LayerTables tables;
    torch::Tensor slopes;
    std::int64_t window = 0;
    /// Sinusoidal (formula 30), (time, width) float32; undefined without them.
    torch::Tensor embeddings;
    /// As in LayerTerms; all layers share them.
    torch::Tensor buckets = {};
    torch::Tensor distances = {};
    std::vector<torch::Tensor> decays = {};
    std::int64_t first = 0;
    /// (time) int64 on the device; replaces `first` if defined: work in a CUDA graph must load positions from there.
    torch::Tensor positions = {};

    LayerTerms layer(std::int64_t index) const;
    /// (time) int64.
    torch::Tensor positions_of(std::int64_t time, torch::Device device) const;
};

/// For positions 0 … positions − 1, tables as layer_tables. BadInput if the sequence is too long for xPos.
PositionTerms position_terms(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                             const TableChanges& changes = {}, const Parameters* weights = nullptr);

/// For forward passes without gradients. With RunSpec::rope_cache the terms for positions 0 … positions − 1 are
/// computed once; without it cos and sin are computed at every call.
class PositionSource {
 public:
    PositionSource() = default;
    PositionSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                   const TableChanges& changes = {}, const Parameters* weights = nullptr);

    PositionTerms at(std::int64_t first, std::int64_t count) const;
    /// Positions on the device, (time) int64. Copies nothing from the host.
    PositionTerms at(const torch::Tensor& positions) const;
    /// True if there are stored ones, and they end before `position`.
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

RelativeWeights relative_weights(const Parameters& weights, std::int64_t layer);

/// (queries, keys), true for hidden keys. Positions are (n) int64; a key's −1 is an empty slot of a cache.
torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// (runs, batch, time, heads, head_dim) from position 0. xPos' exponents are relative to the middle of the sequence.
torch::Tensor encoded_queries(const torch::Tensor& queries, const LayerTerms& terms);
/// The decay of keys is the inverse.
torch::Tensor encoded_keys(const torch::Tensor& keys, const LayerTerms& terms);
/// Multiplies pairs of x, (runs, batch, time, heads, head_dim), by the decay to the power of `exponents`, (time). The
/// result is float32, or float64 for such an x.
torch::Tensor decayed(const torch::Tensor& x, const torch::Tensor& decay, const torch::Tensor& exponents);

/// Contribution of learned relative positions to one run's logits: (1 or batch, heads, queries, keys); undefined for
/// nothing.
///
/// q: (batch, heads, queries, head_dim). k: (batch, heads, keys, head_dim). products: q·k/√head_dim, (batch, heads,
/// queries, keys). `queries` and `keys`: positions, (n) int64, in any order.
torch::Tensor relative_logits(const LayerTerms& terms, std::int64_t run, const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& products, const torch::Tensor& queries, const torch::Tensor& keys,
                              const StageMarks& stages = {});

/// Learned value vectors (formula 39), weighted: (batch, heads, queries, keys) → (batch, heads, queries, head_dim).
torch::Tensor relative_values(const LayerTerms& terms, std::int64_t run, const torch::Tensor& attention,
                              const torch::Tensor& queries, const torch::Tensor& keys);

/// ALiBi (formula 25), −slope·distance: (heads, queries, keys), of the type of `slopes`.
torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys);

/// Hidden keys and ALiBi's bias, to be added to the logits: (heads or 1, queries, keys), −∞ for a hidden key.
torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type);

}  // namespace ropelab
