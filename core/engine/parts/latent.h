#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/attention/attention.h"
#include "core/engine/operations/parameters.h"
#include "core/spec/run_spec.h"

// Multi-head latent attention (formula 44) in LibTorch's operations. Keys and values of all heads are products of one
// latent vector per token; RoPE rotates separate channels of the queries and one key that all heads share. A KV cache
// stores the latent vector and the rotated key. While generating token by token, the product with the latent vector is
// moved to the query and the output, so that keys and values of earlier tokens are never computed.

namespace ropelab::latent_attention {

/// As the layer's linear projections return it.
struct Input {
    torch::Tensor query;        // (runs, batch·time, heads·(head_dim + rotary channels))
    torch::Tensor latent;       // (runs, batch·time, latent width + rotary channels): latent vector, then rotary key
    torch::Tensor latent_norm;  // RMSNorm weight of the latent vector, (runs, latent width)
    Matrix key_value;           // (runs, 2·heads·head_dim, latent width): keys of all heads, then values
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t head_dim = 1;
    Precision precision = Precision::float32;
};

/// Causal: (runs, batch·time, heads·head_dim), arguments as `attend` in attention.h. A hook receives queries and keys
/// with head_dim + rotary channels, rotary pairs first, and tables for all pairs.
torch::Tensor attend(const Input& input, const LayerTerms& terms, const Dropout& dropout, const std::string& place,
                     const AttentionUse& use);

}  // namespace ropelab::latent_attention
