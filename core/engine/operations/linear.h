#pragma once

#include <torch/torch.h>

#include "core/engine/operations/parameters.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// x·weightᵀ + bias for each run, in float32 or with both factors rounded to bfloat16 (a matrix to its working copy if
/// it has one). x: (runs, n, in), matrix: (runs, out, in), bias: (runs, out) or undefined → (runs, n, out) in the type
/// of x; on the CPU, with a bias, in float32. The gradient goes to the working copy if that is a leaf, else to the
/// weight. A run's numbers do not depend on other runs of the cohort.
torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision);

}  // namespace ropelab
