#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "core/model/attention/attention.h"

// Attention with the loops of core/kernels. Rotation, logits, softmax, dropout and weighted sum of one head run within
// the cache of one core. Values are float32, or bfloat16 between products.

namespace ropelab::cpu_attention {

/// Returns whether the CPU backend can compute an attention call. It supports whole batches without a hook if the
/// rotary tables are shared by all heads and not trained; with a cache that is not empty, it supports one float32 token
/// of one run. It supports neither attention sinks nor eager operations
/// (core/model/operations.h).
bool supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use);

/// Computes causal attention of a whole batch on the CPU. The queries and keys of `input` must be normalized already.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place);

/// Computes attention of one token that continues a KV cache, on the CPU: (1, 1, query·head_dim).
torch::Tensor attend_one(const AttentionInput& input, const LayerTerms& terms, KeyValueCache& cache,
                         std::int64_t layer);

/// Computes the attention of one token on plain numbers, for a decoder that generates token by token. `qkv`: queries,
/// keys and values of the token, which are rotated in place by row `row` of the tables. `mixed` receives query·head_dim
/// numbers. `logits` is working memory of query·capacity numbers. The cache must have assigned a slot to the token.
void attend_one(float* qkv, HeadCounts heads, std::int64_t head_dim, const LayerTerms& terms, std::int64_t row,
                KeyValueCache& cache, std::int64_t layer, float* mixed, std::vector<float>& logits);

}  // namespace ropelab::cpu_attention
