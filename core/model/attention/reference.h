#pragma once

#include <torch/torch.h>

#include <string>

#include "core/model/attention/attention.h"

// Attention step by step in LibTorch's operations: the definition of every variant, with gradients by autograd, for any
// type and device.

namespace ropelab::reference_attention {

/// The input's parts, queries and keys normalized where the input says so, before rotation. What a product rounded is
/// float32 again, except on a device with kernels.
LayerVectors vectors_of(const AttentionInput& input);

/// With each head of keys and values repeated for every query head that it serves.
LayerVectors spread_over_heads(LayerVectors vectors);

/// As attend (core/model/attention/attention.h) has it.
torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place, const AttentionUse& use);

}  // namespace ropelab::reference_attention
