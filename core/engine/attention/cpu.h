#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "core/engine/attention/attention.h"

// With the loops of core/kernels: rotation, logits, softmax, dropout and weighted sum of one head run within the cache
// of one core. Values are float32, or bfloat16 between products.

namespace ropelab {

/// From this number of tokens on, those at the beginning of a text are computed together; fewer are computed as in
/// generation, token by token.
constexpr std::int64_t least_prefill = 32;

/// Whole batches without a hook if the rotary tables are shared by all heads and not trained; with a cache that is not
/// empty, one float32 token of one run; with an empty one, at least `least_prefill` tokens, in both cases of scores
/// that are only products, without attention sinks. No eager operations (core/engine/operations/operations.h).
bool cpu_attention_supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use);

/// The queries and keys of `input` must be normalized already.
torch::Tensor attend_on_cpu(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                            const std::string& place, const StageMarks& stages = {});

/// The first tokens of a text, whose keys and values the cache receives.
torch::Tensor attend_first_on_cpu(const AttentionInput& input, const LayerTerms& terms, KeyValueCache& cache,
                                  std::int64_t layer);

/// One token that continues a KV cache: (1, 1, query·head_dim).
torch::Tensor attend_one_on_cpu(const AttentionInput& input, const LayerTerms& terms, KeyValueCache& cache,
                                std::int64_t layer);

/// One token on plain numbers, for a decoder that generates token by token. `qkv`: queries, keys and values of the
/// token, which are rotated in place by row `row` of the tables. `mixed` receives query·head_dim numbers. The cache
/// must have a slot for the token.
void attend_one_on_cpu(float* qkv, HeadCounts heads, std::int64_t head_dim, const LayerTerms& terms, std::int64_t row,
                       KeyValueCache& cache, std::int64_t layer, float* mixed);

}  // namespace ropelab
