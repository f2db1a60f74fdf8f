#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/operations/dropout.h"
#include "core/engine/operations/stage_observer.h"

// For variants that LibTorch's fused attention lacks. Stores all attention weights for the backward pass.

namespace ropelab {

/// (runs, n) → (runs, rows, n). The gradient is summed run by run, so that it does not depend on the cohort.
torch::Tensor repeat_rows(const torch::Tensor& vectors, std::int64_t rows);

/// Q, k: (runs·batch, heads, queries or keys, channels), v: (runs·batch, heads, keys, channels of values) →
/// (runs·batch, heads, queries, channels of values). `mask` is added to the logits, (heads or 1, queries, keys);
/// without a mask attention is causal. `sinks`: one more logit per head, (runs, heads), in the denominator only
/// (formula 45); undefined for none. Dropout as in `attend` (core/engine/attention/attention.h); its masks depend on
/// each run's seed alone, while LibTorch's own dropout would depend on the cohort.
torch::Tensor attend_by_operations(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                   const torch::Tensor& mask, const torch::Tensor& sinks, std::int64_t runs,
                                   const Dropout& dropout, const std::string& place, const StageMarks& stages = {});

/// (runs·batch, heads, queries, keys), with the sinks of attend_by_operations.
torch::Tensor softmax_with_sinks(const torch::Tensor& logits, const torch::Tensor& sinks);

}  // namespace ropelab
