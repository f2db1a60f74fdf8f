#pragma once

#include <torch/torch.h>

#include "core/engine/operations/parameters.h"
#include "core/settings/run_spec.h"

namespace ropelab {

inline constexpr double adamw_epsilon = 1e-8;

/// One row per run. The steps are those of runs that do not stay on a device (core/engine/train/device_trainer.h).
struct Optimizer {
    torch::Tensor gradient;       // (runs, layout.total) float32, as are the next two
    torch::Tensor first_moment;   // AdamW's running mean of the gradient; the momentum of SGD and Muon
    torch::Tensor second_moment;  // AdamW's running mean of the squared gradient; 0 for SGD and Muon

    /// Sets the gradient of `loss`, a scalar, or adds it with `accumulates`. Entries of parameters without a gradient,
    /// such as a scheduled theta, do not change.
    void backward(const Parameters& weights, const torch::Tensor& loss, bool accumulates = false) const;

    /// Euclidean, (runs), each a sum of its own, so that it does not depend on the cohort.
    torch::Tensor gradient_norms() const;
    /// On the CPU. It does not depend on the number of threads, except for runs with eager operations.
    double gradient_norm(const RunSpec& spec, std::int64_t run) const;

    /// AdamW (Loshchilov and Hutter, arXiv:1711.05101), SGD with momentum, or Muon (formula 55). The gradient is
    /// multiplied by `scale`. AdamW with decoupled weight decay also updates a working copy. The first layout.matrices
    /// numbers have weight decay; others and thetas do not.
    void step(const Parameters& weights, const RunSpec& spec, std::int64_t run, std::int64_t iteration,
              double learning_rate, double scale) const;
};

}  // namespace ropelab
