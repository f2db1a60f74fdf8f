#pragma once

#include <torch/torch.h>

#include <string>

#include "core/engine/operations/dropout.h"
#include "core/engine/operations/fused.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Undefined where the norm has none.
struct StreamNormWeights {
    torch::Tensor weight;  // (runs, C)
    torch::Tensor bias;    // (runs, C)
    torch::Tensor scale;   // (runs, 1): α of Dynamic Tanh
};

/// sum = x + dropout(branch) and normed = the norm of the sum as formulas 52 and 53 define it. `kind` must not be
/// `automatic`. LayerNorm and RMSNorm, also zero-centered, use the fused operations of residual_norm
/// (core/engine/operations/fused.h), with its arguments; Dynamic Tanh uses LibTorch's operations in float32.
NormalizedResidual stream_norm(NormKind kind, const torch::Tensor& x, const torch::Tensor& branch,
                               const StreamNormWeights& weights, const Dropout& dropout, const std::string& place,
                               torch::ScalarType type = torch::kFloat32);

}  // namespace ropelab
