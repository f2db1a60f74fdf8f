#pragma once

#include <torch/torch.h>

#include <string>

#include "core/model/dropout.h"
#include "core/model/rotary.h"

namespace ropelab {

// Attention step by step in LibTorch's operations, for what `attend` (core/model/fused.h) does not fuse: a cache, a
// hook, tables that are trained, other devices.

/// One layer's vectors: (runs, batch, time, heads, head_dim). Keys and values may have fewer heads, each of which
/// serves a group of neighbouring query heads.
struct LayerVectors {
    torch::Tensor query;
    torch::Tensor key;
    torch::Tensor value;
};

/// Looks into a decoder's attention, or changes it. While one is there attention goes step by step.
class AttentionHook {
 public:
    virtual ~AttentionHook() = default;
    /// A layer's vectors before rotation, queries and keys normalised where the model does that.
    virtual void see(std::int64_t layer, const LayerVectors& vectors) = 0;
    /// The same after rotation; what this leaves in them is what attends.
    virtual void change(std::int64_t layer, LayerVectors& vectors) = 0;
};

/// Views of the parts of qkv: (runs, batch·time, (heads + 2·key_value_heads)·head_dim).
LayerVectors split_heads(const torch::Tensor& qkv, std::int64_t batch, std::int64_t heads,
                         std::int64_t key_value_heads);

/// With queries and keys turned, where the tables are defined.
LayerVectors turned(LayerVectors vectors, const RotaryTables& tables);

/// With each head of keys and values repeated for every query head that it serves.
LayerVectors spread_over_heads(LayerVectors vectors);

/// Causal attention with dropout of its shares → (runs, batch·time, heads·head_dim).
torch::Tensor attend_openly(const LayerVectors& vectors, const Dropout& dropout, const std::string& place);

}  // namespace ropelab
