#pragma once

#include <torch/torch.h>

#include <string>

#include "core/model/attention/attention.h"

// Attention on a device with kernels (core/model/fused_device.h): our rotation; then LibTorch's flash attention where
// values are bfloat16 and nothing is dropped, else LibTorch's products with our softmax and dropout between them.

namespace ropelab::cuda_attention {

/// Whole batches under a causal mask alone, without a hook or a cache, with tables that all heads share and that are
/// not trained, where the device's rotation and softmax are trusted.
bool supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use);

/// `input` is not normalized any more; its qkv may be rotated in place.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place);

/// Rotates queries and keys of qkv (AttentionInput) in place by the tables, with `backward` by the opposite angles.
void rotate_in_place(const torch::Tensor& qkv, std::int64_t batch, HeadCounts heads, const RotaryTables& tables,
                     bool backward);

}  // namespace ropelab::cuda_attention
