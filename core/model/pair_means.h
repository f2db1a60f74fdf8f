#pragma once

#include <torch/torch.h>

#include <vector>

#include "core/model/attention/attention.h"
#include "core/spec/probe.h"

namespace ropelab {

/// Attention hook that computes the mean query and key of each layer and head over all sequences and positions, before
/// rotation. They are the vectors of a mean ablation (ProbeRequest::mean_ablated_pairs).
class PairMeans : public AttentionHook {
 public:
    /// Creates the hook for a model with `layers` layers.
    explicit PairMeans(std::int64_t layers) : layers_(static_cast<std::size_t>(layers)) {}

    void observe(std::int64_t layer, const LayerVectors& vectors) override;
    void modify(std::int64_t, LayerVectors&, const LayerTerms&) override {}

    /// Replaces the channels of `pairs` of rotated queries and keys by the rotated means. Requires at least one
    /// processed batch.
    void replace(const std::vector<std::int64_t>& pairs, std::int64_t layer, LayerVectors& vectors,
                 const LayerTerms& terms) const;

 private:
    struct Layer {
        torch::Tensor query, key;  // (heads, head_dim) float64: sums over sequences and positions
        std::int64_t count = 0;    // number of summed vectors per head
    };
    std::vector<Layer> layers_;
};

/// Sets the channels of `pairs` of the queries, (…, head_dim), to 0, so that these pairs add nothing to any logit.
void remove_pairs(const std::vector<std::int64_t>& pairs, LayerVectors& vectors);

}  // namespace ropelab
