#pragma once

#include <torch/types.h>

#include <optional>
#include <string>

#include "core/contract/engine.h"

namespace ropelab {

// Of shapes that repeat. In float32 on the CPU, all bits are those of LibTorch's product by one thread: its product by
// several threads and the program's own kernel compute the shapes whose first product has these bits, whichever is
// faster on this machine, as measured by that product or known.

/// (runs, rows, depth) × (runs, depth, columns) → (runs, rows, columns), as torch::bmm; factors may be transposed
/// views.
torch::Tensor product(const torch::Tensor& left, const torch::Tensor& right);
/// The same with one product of LibTorch per run: it splits a long sum among threads, which it does not for a batch of
/// products. A batched call would also make a run's bits depend on the cohort.
torch::Tensor product_by_run(const torch::Tensor& left, const torch::Tensor& right);

/// Engine::kernel_choices. Thread-safe.
KernelChoices known_choices();
std::optional<std::string> known_choice(const std::string& work);
/// They replace those of the same work.
void add_choices(const KernelChoices& choices);

}  // namespace ropelab
