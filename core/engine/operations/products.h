#pragma once

#include <torch/types.h>

namespace ropelab {

// Of shapes that repeat. In float32 on the CPU, the program's own kernel computes the shapes for which it is faster on
// this machine and all bits of the first product equal those of LibTorch's.

/// (runs, rows, depth) × (runs, depth, columns) → (runs, rows, columns), as torch::bmm; factors may be transposed
/// views.
torch::Tensor product(const torch::Tensor& left, const torch::Tensor& right);
/// The same with one product of LibTorch per run: it splits a long sum among threads, which it does not for a batch of
/// products. A batched call would also make a run's bits depend on the cohort.
torch::Tensor product_by_run(const torch::Tensor& left, const torch::Tensor& right);

}  // namespace ropelab
