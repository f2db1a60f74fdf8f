#pragma once

#include <torch/torch.h>

#include <vector>

#include "core/model/attention/attention.h"
#include "core/spec/probe.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Removes pairs, and adds up what a request measures inside attention, over as many batches of windows as are read
/// through it. All sums are in double; scores are made for a stretch of queries at a time, so that long windows fit.
class AttentionProbe : public AttentionHook {
 public:
    /// `tables`: those that the model reads with; they tell which pairs turn.
    AttentionProbe(const RunSpec& spec, const ProbeRequest& request, const LayerTables& tables);

    void see(std::int64_t layer, const LayerVectors& vectors) override;
    void change(std::int64_t layer, LayerVectors& vectors, const LayerTerms& terms) override;

    /// From the next batch on: only remove, measure nothing.
    void stop_measuring() { measures_ = false; }
    /// Puts what was measured into the result; at least one batch has been read.
    void write(ProbeResult& result) const;

 private:
    // Sums over windows and positions, double.
    struct Layer {
        torch::Tensor query_usage, key_usage, value_usage;  // (heads, pairs)
        torch::Tensor query_massive, key_massive;           // (heads, head_dim)
        torch::Tensor covariance;                           // (heads, head_dim), by channel
        torch::Tensor logits, shares;                       // (heads, distances)
        torch::Tensor entropy, sink;                        // (heads)
        torch::Tensor map, pair_map;                        // (heads, map_size, map_size), float32
        torch::Tensor query_vector, key_vector;             // (heads, head_dim), float32
        torch::Tensor turns;                                // (pairs) bool
    };

    void measure_attention(Layer& layer, const LayerVectors& vectors, const LayerTerms& terms) const;
    void map_attention(Layer& layer, const torch::Tensor& query, const torch::Tensor& key,
                       const LayerTerms& terms) const;
    /// (heads, pairs + 1) of covariances by channel.
    torch::Tensor shares_of(const Layer& layer) const;

    const RunSpec& spec_;
    const ProbeRequest& request_;
    std::vector<Layer> layers_;
    bool measures_ = true;
};

}  // namespace ropelab
