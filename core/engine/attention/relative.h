#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <variant>

#include "core/engine/operations/parameters.h"
#include "core/engine/operations/stage_observer.h"
#include "core/plan/parts/relative.h"

namespace ropelab {

// What an encoding adds to the scores of one layer of a cohort: an alternative of each one of Relative
// (core/plan/parts/relative.h), with its forward pass. Weights have a leading runs dimension.

struct AlibiTerms {        // formula 25
    torch::Tensor slopes;  // (heads) float32
};
struct DistanceBiasTerms {  // formula 40
    torch::Tensor bias;     // (runs, heads, buckets)
    torch::Tensor buckets;  // of each distance, whose last number is that of all larger ones: (n) int64
};
struct ShawTerms {         // formula 39
    torch::Tensor keys;    // added to the key of each clipped distance: (runs, clip + 1, head_dim)
    torch::Tensor values;  // added to the value
};
struct TransformerXlTerms {        // formula 41
    torch::Tensor content_bias;    // u: (runs, heads, head_dim)
    torch::Tensor distance_query;  // v: (runs, heads, head_dim)
    torch::Tensor projection;      // W: (runs, key_value_heads·head_dim, width)
    torch::Tensor distances;       // sinusoidal embeddings of the distances, (n, width) float32
};
struct CopeTerms {             // formula 43
    torch::Tensor contextual;  // position embeddings: (runs, positions, head_dim)
};
struct KerpleTerms {        // formula 63
    torch::Tensor log_r1;   // (runs, heads)
    torch::Tensor log_r2;   // (runs, heads)
    torch::Tensor numbers;  // the distances 0, 1, … n − 1: (n) float32
};
using RelativeTerms =
    std::variant<PlainScores, AlibiTerms, DistanceBiasTerms, ShawTerms, TransformerXlTerms, CopeTerms, KerpleTerms>;

/// Formula 30: (positions, width) float32.
torch::Tensor sinusoids(std::int64_t positions, std::int64_t width, double base = 10000.0);

struct RelativeSizes {
    std::int64_t heads;
    std::int64_t width;
    std::int64_t positions;
};

/// What does not depend on weights, for `positions` distances: ALiBi's slopes, the buckets, the embeddings of distances
/// or the distances. All layers share it. Undefined if the encoding has none.
torch::Tensor relative_table(const Relative& relative, const RelativeSizes& sizes, torch::Device device);
/// The table has a row for each distance, so that a shorter sequence needs fewer rows.
bool has_row_per_distance(const Relative& relative);
RelativeTerms relative_terms(const Relative& relative, const torch::Tensor& table, const Parameters& weights,
                             std::int64_t layer);

/// What one run adds, as kernels::RelativeEntries; undefined where there is nothing.
struct RelativeTensors {
    torch::Tensor keys = {};      // of distances or positions, (n, head_dim) or (heads, n, head_dim)
    torch::Tensor values = {};    // (n, head_dim)
    torch::Tensor bias = {};      // (heads, n)
    torch::Tensor content = {};   // u and v of Transformer-XL, added to the queries that meet keys and distances:
    torch::Tensor distance = {};  // (heads, head_dim)
    bool by_gates = false;
};
/// In `type`. Logits that are scaled by 1/√head_dim afterwards need a `factor` of √head_dim.
RelativeTensors relative_tensors(const RelativeTerms& terms, std::int64_t run, torch::ScalarType type, double factor,
                                 const StageMarks& stages);

/// Queries and keys of one run.
struct ScoredPairs {
    std::int64_t run = 0;
    torch::Tensor query;          // (batch, heads, queries, head_dim)
    torch::Tensor key;            // (batch, heads, keys, head_dim)
    torch::Tensor products;       // q·k/√head_dim: (batch, heads, queries, keys)
    torch::Tensor positions;      // of the queries, (queries) int64
    torch::Tensor key_positions;  // (keys) int64, in any order
    torch::Tensor hidden;         // as hidden_keys
};
/// What learned relative positions add to the logits: (1 or batch, heads, queries, keys); undefined for nothing, and
/// for ALiBi, whose bias needs no weights.
torch::Tensor relative_logits(const RelativeTerms& terms, const ScoredPairs& pairs, const StageMarks& stages = {});

/// Learned value vectors (formula 39), weighted: (batch, heads, queries, keys) → (batch, heads, queries, head_dim).
torch::Tensor relative_values(const ShawTerms& terms, std::int64_t run, const torch::Tensor& attention,
                              const torch::Tensor& queries, const torch::Tensor& keys);

/// (queries, keys), true for hidden keys. Positions are (n) int64; a key's −1 is an empty slot of a cache.
torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window);

/// ALiBi (formula 25), −slope·distance: (heads, queries, keys), of the type of `slopes`.
torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys);

}  // namespace ropelab
