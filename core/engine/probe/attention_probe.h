#pragma once

#include <torch/torch.h>

#include <vector>

#include "core/contract/probe.h"
#include "core/engine/attention/attention.h"
#include "core/plan/model_plan.h"

namespace ropelab {

/// A quantity that has one value per sequence, and its squares, in double precision.
class SequenceSums {
 public:
    /// (sequences, …).
    void add(const torch::Tensor& values);
    /// Standard deviation / √n (formula 37); undefined with fewer than 2 sequences.
    torch::Tensor standard_error() const;

 private:
    std::int64_t count_ = 0;
    torch::Tensor sum_, squares_;
};

/// Σ part / Σ total over sequences (linearized: a sequence's part deviates by part − ratio · total).
class SequenceRatioSums {
 public:
    /// parts: (sequences, heads, parts), totals: (sequences, heads, 1).
    void add(const torch::Tensor& parts, const torch::Tensor& totals);
    /// (heads, parts), 0 where the total is not positive; undefined with fewer than 2 sequences.
    torch::Tensor standard_error() const;

 private:
    std::int64_t count_ = 0;
    torch::Tensor parts_, totals_, part_squares_, products_, total_squares_;
};

/// Mean query and key of each layer and head before rotation, for mean ablations (ProbeRequest::mean_ablated_pairs).
class PairMeans : public AttentionHook {
 public:
    explicit PairMeans(std::int64_t layers) : layers_(static_cast<std::size_t>(layers)) {}

    void observe(std::int64_t layer, const LayerVectors& vectors) override;
    void modify(std::int64_t, LayerVectors&, const LayerTerms&) override {}

    /// Channels of rotated queries and keys become the rotated means. Requires at least one processed batch.
    void replace(const std::vector<std::int64_t>& pairs, std::int64_t layer, LayerVectors& vectors,
                 const LayerTerms& terms) const;

 private:
    struct Layer {
        torch::Tensor query, key;  // (heads, head_dim) float64: sums over sequences and positions
        std::int64_t count = 0;    // number of summed vectors per head
    };
    std::vector<Layer> layers_;
};

/// Of a model's last mean ablation: ablations that are compared have the same sequences.
struct KnownMeans {
    ProbeSequences sequences;
    Scaling scaling;
    PairMeans means;

    bool fit(const ProbeRequest& request) const {
        return sequences.length == request.sequences.length && sequences.tokens == request.sequences.tokens &&
               scaling == request.scaling;
    }
};

/// Ablates pairs, replaces heads and sums the requested measurements over all batches. Sums are in double precision.
/// Scores are computed for a limited number of queries at a time, so that long sequences fit into memory.
class AttentionProbe : public AttentionHook {
 public:
    /// `tables` show which pairs rotate. `means`: for ProbeRequest::mean_ablated_pairs; null without.
    AttentionProbe(const ModelPlan& plan, const ProbeRequest& request, const LayerTables& tables,
                   const PairMeans* means = nullptr);

    void observe(std::int64_t layer, const LayerVectors& vectors) override;
    void modify(std::int64_t layer, LayerVectors& vectors, const LayerTerms& terms) override;
    void observe_stream(std::int64_t layer, const torch::Tensor& stream) override;

    /// Later batches are only modified.
    void stop_measuring() { measures_ = false; }
    /// Requires at least one processed batch.
    void write(ProbeResult& result) const;

 private:
    // Sums over sequences and positions, in double precision.
    struct Layer {
        torch::Tensor query_usage, key_usage, value_usage;  // (heads, pairs)
        torch::Tensor query_massive, key_massive;           // (heads, head_dim)
        torch::Tensor covariance;                           // (heads, head_dim), by channel
        torch::Tensor weighted_covariance;                  // (heads, head_dim), by channel
        torch::Tensor logits, attention_sums;               // (heads, distances)
        torch::Tensor entropy, sink;                        // (heads)
        torch::Tensor map, pair_map;                        // (heads, map_size, map_size), float32
        torch::Tensor query_vector, key_vector;             // (heads, head_dim), float32
        torch::Tensor own_elements;  // (pairs) bool: whether the pair has its own element in the contributions
        SequenceSums logit_spread, attention_spread;  // (heads, distances)
        SequenceSums entropy_spread, sink_spread;     // (heads)
        SequenceRatioSums contribution_spread;        // (heads, pairs + 1)
    };

    void measure_attention(Layer& layer, const LayerVectors& vectors, const LayerTerms& terms) const;
    void map_attention(Layer& layer, const torch::Tensor& query, const torch::Tensor& key,
                       const LayerTerms& terms) const;
    /// Pairs with their own element, and all others together: (…, head_dim) → (…, pairs + 1).
    static torch::Tensor covariance_parts(const Layer& layer, const torch::Tensor& channels);
    /// (heads, pairs + 1), from covariances by channel, (heads, head_dim).
    static torch::Tensor logit_contributions(const Layer& layer, const torch::Tensor& covariance);

    const ModelPlan& plan_;
    const ProbeRequest& request_;
    const PairMeans* means_;
    std::vector<Layer> layers_;
    std::vector<torch::Tensor> stream_squares_;  // before each layer and after the last: sum of squares, float64
    std::vector<torch::Tensor> stream_largest_;  // largest magnitude, float64
    bool measures_ = true;
};

}  // namespace ropelab
