#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/attention/cache.h"
#include "core/engine/attention/position.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/operations/stage_observer.h"

namespace ropelab {

// Attention of one layer of a cohort, with any position encoding. The reference backend
// (core/engine/attention/reference.h) defines every variant with LibTorch's operations. The other backends compute the
// variants for which their `supports` returns true, faster and with the same result. A new variant needs a member of
// LayerTerms and its definition in the reference; backends may add it later.

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

enum class AttentionBackend { reference, cpu, flash };
/// On the CPU `cpu` and on a device `flash` if it supports everything that is requested, else `reference`.
AttentionBackend attention_backend(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use = {},
                                   const Dropout& dropout = {});

/// Causal: (runs, batch·time, query·head_dim), in the type of qkv or float32. `place` names the dropout.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout = {},
                     const std::string& place = "", const AttentionUse& use = {});

}  // namespace ropelab
