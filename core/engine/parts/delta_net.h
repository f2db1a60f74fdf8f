#pragma once

#include <torch/torch.h>

#include "core/engine/attention/attention.h"

// Gated DeltaNet (formula 46), a linear attention whose state has a fixed size, in LibTorch's operations. Sequences are
// computed in chunks: within a chunk all tokens in parallel, by one triangular system per head; from chunk to chunk the
// state. The short convolution that Yang et al. 2024 put before queries, keys and values is left out.

namespace ropelab::delta_net {

inline constexpr std::int64_t chunk_tokens = 32;

/// As the layer's linear projections return it.
struct Input {
    torch::Tensor qkv;          // (runs, batch·time, 3·heads·head_dim): queries, then keys, then values
    torch::Tensor gate;         // (runs, batch·time, heads·head_dim)
    torch::Tensor rates;        // (runs, batch·time, 2·heads): inputs of α, then of β
    torch::Tensor log_decay;    // (runs, heads)
    torch::Tensor decay_shift;  // (runs, heads)
    torch::Tensor head_norm;    // RMSNorm weight of each head's output, (runs, head_dim)
    std::int64_t batch = 1;
    std::int64_t heads = 1;
};

/// (runs, batch·time, heads·head_dim). A cache provides and receives the state; if not empty, it requires one token.
torch::Tensor attend(const Input& input, const AttentionUse& use);

}  // namespace ropelab::delta_net
