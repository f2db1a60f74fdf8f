#pragma once

#include <torch/torch.h>

#include <string>

#include "core/model/attention/attention.h"

// Attention on a device with kernels (core/model/fused_device.h): the project's rotation kernel; then LibTorch's flash
// attention for bfloat16 values without dropout, otherwise LibTorch's products with the project's softmax and dropout
// kernels.

namespace ropelab::cuda_attention {

/// Returns whether the CUDA backend can compute an attention call: a whole batch with a causal mask only, without a
/// hook, a cache or attention sinks, if the rotary tables are shared by all heads and not trained, and the device's
/// rotation and softmax kernels are trusted.
bool supports(const AttentionInput& input, const LayerTerms& terms, const AttentionUse& use);

/// Computes causal attention of a whole batch on the device. The queries and keys of `input` must be normalized
/// already; its qkv may be rotated in place.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place);

/// Rotates queries and keys of qkv (AttentionInput) in place by the tables; with `backward` by the opposite angles.
void rotate_in_place(const torch::Tensor& qkv, std::int64_t batch, HeadCounts heads, const RotaryTables& tables,
                     bool backward);

}  // namespace ropelab::cuda_attention
