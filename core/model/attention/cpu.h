#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "core/model/attention/attention.h"

// Attention by the loops of core/kernels: rotation, logits, softmax, dropout and mixture of one head in a core's own
// cache. Values in float32, or bfloat16 between products.

namespace ropelab::cpu_attention {

/// Whole batches without a hook, tables that all heads share and that are not trained; with a cache that holds tokens,
/// one float32 token of one run. Not operation by operation (core/model/operations.h).
bool supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use);

/// A whole batch. `input` is not normalized any more.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place);

/// One token that continues a cache: (1, 1, query·head_dim).
torch::Tensor attend_one(const AttentionInput& input, const LayerTerms& terms, KeyValueCache& cache,
                         std::int64_t layer);

/// The same on plain numbers, for a decoder that generates token by token. `qkv`: the token's queries, keys and values,
/// rotated in place by row `row` of the tables; `mixed` receives query·head_dim numbers; `logits` is working memory,
/// query·capacity numbers. The cache has taken the token's place.
void attend_one(float* qkv, HeadCounts heads, std::int64_t head_dim, const LayerTerms& terms, std::int64_t row,
                KeyValueCache& cache, std::int64_t layer, float* mixed, std::vector<float>& logits);

}  // namespace ropelab::cpu_attention
