#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/attention/attention.h"

// The reference backend: LibTorch's operations, with gradients by autograd, for any type and device. It defines every
// variant; other kinds of attention share its steps.

namespace ropelab {

torch::Tensor attend_by_reference(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                                  const std::string& place, const AttentionUse& use);

/// Before rotation; normalized if the input has norm weights. Products that were rounded are converted to float32.
LayerVectors vectors_of(const AttentionInput& input);

/// (runs, batch, time, heads, head_dim); weight: (runs, head_dim) for each head, or (runs, heads·head_dim).
torch::Tensor normalize_heads(const torch::Tensor& vectors, const torch::Tensor& weight,
                              double epsilon = NormPart::usual_epsilon(false));

/// Each key/value head is repeated for every query head that it serves.
LayerVectors repeat_heads(LayerVectors vectors);

/// (runs, batch, time, heads, channels) → (runs·batch, heads, time, channels).
torch::Tensor heads_first(const torch::Tensor& vectors);

/// (runs, n) → (runs, rows, n). The gradient is summed run by run, so that it does not depend on the cohort.
torch::Tensor repeat_rows(const torch::Tensor& vectors, std::int64_t rows);

/// q, k: (runs·batch, heads, queries or keys, channels), v: (runs·batch, heads, keys, channels of values) →
/// (runs·batch, heads, queries, channels of values). `mask` is added to the logits, (heads or 1, queries, keys);
/// without a mask attention is causal. `sinks`: one more logit per head, (runs, heads), in the denominator only
/// (formula 45); undefined for none. Stores all attention weights for the backward pass. The masks of the dropout
/// depend on each run's seed alone, while LibTorch's own dropout would depend on the cohort. `soft_cap`: as in Scores.
torch::Tensor attend_by_operations(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                   const torch::Tensor& mask, const torch::Tensor& sinks, std::int64_t runs,
                                   const Dropout& dropout, const std::string& place, const StageMarks& stages = {},
                                   double soft_cap = 0);

/// (runs·batch, heads, queries, keys), with the sinks of attend_by_operations.
torch::Tensor softmax_with_sinks(const torch::Tensor& logits, const torch::Tensor& sinks);

}  // namespace ropelab
