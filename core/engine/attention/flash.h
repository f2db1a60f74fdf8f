#pragma once

#include <torch/torch.h>

#include "core/engine/attention/attention.h"

// Whole batches on a device by LibTorch's scaled_dot_product_attention, in the type of the input: for bfloat16,
// LibTorch chooses flash attention, which stores no scores. The reference converts such an input to float32.

namespace ropelab::flash_attention {

/// A whole batch of float32 or bfloat16 values with a causal mask only, without dropout, hook, cache or attention
/// sinks, if the rotary tables are shared by all heads and not trained.
bool supports(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout, const AttentionUse& use);

/// (runs, batch·time, query·head_dim) in the type of qkv.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const StageMarks& stages = {});

}  // namespace ropelab::flash_attention
