#pragma once

#include <torch/torch.h>

#include <string>

#include "core/model/attention/cache.h"
#include "core/model/attention/position.h"
#include "core/model/dropout.h"

namespace ropelab {

// Attention of a cohort's layer, whatever its position encoding. The contract: `reference` (core/model/attention/
// reference.h) defines every variant by LibTorch's operations; a backend computes the same faster where its `supports`
// says so. A new variant is a term in LayerTerms, its definition in the reference, and nothing else until a backend
// learns it.

/// Heads of queries, and of keys and values, each of which serves query/key_value neighbouring query heads.
struct HeadCounts {
    std::int64_t query;
    std::int64_t key_value;
};

/// One layer's input to attention, as its linear layer returns it.
struct AttentionInput {
    torch::Tensor qkv;  // (runs, batch·time, (query + 2·key_value)·head_dim): queries, then keys, then values
    std::int64_t batch = 1;
    HeadCounts heads{};
    // RMSNorm weights of each head's channels, (runs, head_dim); undefined where queries and keys are not normalized.
    torch::Tensor query_norm = {};
    torch::Tensor key_norm = {};

    std::int64_t time() const { return qkv.size(1) / batch; }
    std::int64_t head_dim() const { return qkv.size(2) / (heads.query + 2 * heads.key_value); }
};

/// One layer's vectors: (runs, batch, time, heads, head_dim). Keys and values may have fewer heads than queries.
struct LayerVectors {
    torch::Tensor query;
    torch::Tensor key;
    torch::Tensor value;
};

/// Observes a decoder's attention, or changes it. With a hook the reference computes attention.
class AttentionHook {
 public:
    virtual ~AttentionHook() = default;
    /// A layer's vectors before rotation, queries and keys normalized where the model does that.
    virtual void see(std::int64_t layer, const LayerVectors& vectors) = 0;
    /// The same after rotation; attention uses what this leaves in them.
    virtual void change(std::int64_t layer, LayerVectors& vectors, const LayerTerms& terms) = 0;
};

/// Who looks into or remembers attention.
struct AttentionUse {
    std::int64_t layer = 0;
    /// Keys and values of the tokens before, to which these are added; null: attention within `input` alone. With a
    /// cache that holds tokens, one token at a time (time 1).
    KeyValueCache* cache = nullptr;
    AttentionHook* hook = nullptr;
};

enum class AttentionBackend { reference, cpu, cuda };
/// The one that computes this input: `cpu` or `cuda` where it supports all that is asked for, else `reference`.
AttentionBackend attention_backend(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use = {});

/// Causal attention with dropout of its weights → (runs, batch·time, query·head_dim), of qkv's type or float32.
/// `place` names the dropout.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout = {},
                     const std::string& place = "", const AttentionUse& use = {});

}  // namespace ropelab
