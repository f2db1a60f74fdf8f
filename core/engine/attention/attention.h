#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/attention/cache.h"
#include "core/engine/attention/position.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/operations/stage_observer.h"

namespace ropelab {

// What attention of one layer of a cohort takes; backend.h computes it.

/// Each key/value head serves query/key_value neighbouring query heads.
struct HeadCounts {
    std::int64_t query;
    std::int64_t key_value;
};

/// As the layer's linear projection returns it.
struct AttentionInput {
    torch::Tensor qkv;  // (runs, batch·time, (query + 2·key_value)·head_dim): queries, then keys, then values
    std::int64_t batch = 1;
    HeadCounts heads{};
    // RMSNorm weights, undefined without it: (runs, head_dim) to normalize each head, or (runs, heads·head_dim) to
    // normalize a token's heads together.
    torch::Tensor query_norm = {};
    torch::Tensor key_norm = {};
    double norm_epsilon = NormPart::usual_epsilon(false);

    std::int64_t time() const { return qkv.size(1) / batch; }
    std::int64_t head_dim() const { return qkv.size(2) / (heads.query + 2 * heads.key_value); }
};

/// (runs, batch, time, heads, head_dim) each. Keys and values may have fewer heads than queries.
struct LayerVectors {
    torch::Tensor query;
    torch::Tensor key;
    torch::Tensor value;
};

/// Attention with a hook runs on the reference backend.
class AttentionHook {
 public:
    virtual ~AttentionHook() = default;
    /// Before rotation. Queries and keys are normalized if the model normalizes them.
    virtual void observe(std::int64_t layer, const LayerVectors& vectors) = 0;
    /// After rotation. Attention uses the vectors as this function leaves them.
    virtual void modify(std::int64_t layer, LayerVectors& vectors, const LayerTerms& terms) = 0;
    /// Stream before a layer, (runs, batch·time, C) float32, or after the last one (`layer` = number of layers).
    virtual void observe_stream(std::int64_t /*layer*/, const torch::Tensor& /*stream*/) {}
};

struct AttentionUse {
    std::int64_t layer = 0;
    /// Receives the new keys and values; null: attention within `input` alone. If it is not empty, time is 1.
    KeyValueCache* cache = nullptr;
    AttentionHook* hook = nullptr;
    StageMarks stages = {};  // of the layer
};

}  // namespace ropelab
