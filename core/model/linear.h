#pragma once

#include <torch/torch.h>

#include "core/model/parameters.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// y = x·weightᵀ + bias for each run, in float32 or with both factors rounded to bfloat16: the matrix's working copy,
/// or, where it has none, its weight rounded here. x: (runs, n, in), matrix: (runs, out, in), bias: (runs, out) or
/// undefined → (runs, n, out) of x's type, with a bias float32 (where a device's kernels go on, of the type that was
/// multiplied). The gradient goes to the working copy where that is a leaf, else to the weight. A run's
/// numbers do not depend on its mates.
torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision);

}  // namespace ropelab
