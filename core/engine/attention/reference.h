#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/attention/attention.h"

// In LibTorch's operations, with gradients by autograd, for any type and device. This backend defines every variant.

namespace ropelab::reference_attention {

/// Before rotation; normalized if the input has norm weights. Products that were rounded are converted to float32.
LayerVectors vectors_of(const AttentionInput& input);

/// (runs, batch, time, heads, head_dim); weight: (runs, head_dim) for each head, or (runs, heads·head_dim).
torch::Tensor normalize_heads(const torch::Tensor& vectors, const torch::Tensor& weight);

/// Each key/value head is repeated for every query head that it serves.
LayerVectors repeat_heads(LayerVectors vectors);

torch::Tensor attend(const AttentionInput& input, const LayerTerms& terms, const Dropout& dropout,
                     const std::string& place, const AttentionUse& use);

}  // namespace ropelab::reference_attention
