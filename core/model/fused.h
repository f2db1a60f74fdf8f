#pragma once

#include <torch/torch.h>

#include <string>

#include "core/model/dropout.h"

namespace ropelab {

// What a decoder does besides products: on the CPU several passes in one, each with a gradient of its own
// (core/kernels), the same by a device's kernels where it has them
// (core/model/fused_device.h), elsewhere, and under an EagerGuard (core/model/operations.h), as LibTorch's operations.
// All have a leading runs dimension, and no run's numbers depend on its mates or on the number of threads.

/// The residual stream after a branch was added, and its normalisation.
struct Normed {
    torch::Tensor sum;     // (runs, n, C)
    torch::Tensor normed;  // (runs, n, C)
};

/// LayerNorm (ε = 1e-5), or RMSNorm (ε = 1e-6), which takes no mean away.
enum class Norm { layer, rms };

/// sum = x + dropout(branch), normed = the norm of it. x, branch: (runs, n, C), branch may be undefined; weight:
/// (runs, C); bias: (runs, C) or undefined. `place` names the dropout. `type`: bfloat16 rounds `normed` for a product
/// (a device's kernels go on with the branch's type where there is one, and LibTorch's operations with float32).
Normed residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                     const torch::Tensor& bias, const Dropout& dropout, const std::string& place,
                     Norm norm = Norm::layer, torch::ScalarType type = torch::kFloat32);

/// x·Φ(x), of x's type.
torch::Tensor gelu_activation(const torch::Tensor& x);
/// SiLU(gate)·factor, of x's type. x: (runs, n, 2·width), the gate first → (runs, n, width).
torch::Tensor swiglu_activation(const torch::Tensor& x);

/// tokens: (runs, n), table: (runs, rows, C) → (runs, n, C).
torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens);

/// −log softmax at the target. logits: (runs, n, vocabulary), targets: (runs, n) → (runs, n).
torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets);

}  // namespace ropelab
