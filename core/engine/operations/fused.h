#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/operations/dropout.h"
#include "core/plan/parts/norm.h"

namespace ropelab {

// Fused on the CPU (core/kernels); LibTorch's operations on other devices and under an EagerGuard. All tensors have a
// leading runs dimension. The numbers of a run depend neither on other runs of the cohort nor on the number of threads.

struct NormalizedResidual {
    torch::Tensor sum;     // (runs, n, C)
    torch::Tensor normed;  // (runs, n, C)
};

/// LayerNorm, or RMSNorm, which does not subtract the mean.
struct NormRule {
    bool is_centred = true;
    double epsilon = NormPart::usual_epsilon(is_centred);
};

/// sum = x + dropout(branch) and normed = the normalized sum. x, branch: (runs, n, C), or undefined; weight, bias:
/// (runs, C), bias may be undefined. `place` names the dropout. bfloat16 rounds `normed`, except under an EagerGuard.
NormalizedResidual residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                                 const torch::Tensor& bias, const Dropout& dropout, const std::string& place,
                                 const NormRule& norm = {}, torch::ScalarType type = torch::kFloat32);

/// x·Φ(x), in the type of x.
torch::Tensor gelu_activation(const torch::Tensor& x);
/// SiLU(gate)·factor, in the type of x. x: (runs, n, 2·width), the gate first → (runs, n, width).
torch::Tensor swiglu_activation(const torch::Tensor& x);

/// tokens: (runs, n), table: (runs, rows, C) → (runs, n, C).
torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens);

/// −log softmax at the target. logits: (runs, n, vocabulary), targets: (runs, n) → (runs, n).
torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets);

}  // namespace ropelab
