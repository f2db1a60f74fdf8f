#pragma once

#include <torch/torch.h>

#include <vector>

#include "core/engine/attention/attention.h"
#include "core/spec/probe.h"

namespace ropelab {

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

/// Sets their channels of the queries, (…, head_dim), to 0, so that these pairs add nothing to any logit.
void remove_pairs(const std::vector<std::int64_t>& pairs, LayerVectors& vectors);

}  // namespace ropelab
