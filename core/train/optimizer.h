#pragma once

#include <torch/torch.h>

#include "core/model/parameters.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// A cohort's gradients and AdamW's moments, one row a run, and its steps where no device's kernels take them
/// (core/train/cuda_trainer.h).
struct Optimizer {
    torch::Tensor gradient;  // (runs, layout.total) float32, as are the next two
    torch::Tensor first_moment;
    torch::Tensor second_moment;

    /// Fills `gradient` with that of `loss`, a number. What has none, a schedule's theta, keeps what stands there.
    void backward(const Parameters& weights, const torch::Tensor& loss) const;

    /// The Euclidean norm of one run's gradient. On the CPU it does not depend on the number of threads, but for runs
    /// that calculate operation by operation.
    double gradient_norm(const RunSpec& spec, std::int64_t run) const;

    /// AdamW (Loshchilov and Hutter, arXiv:1711.05101) for one run after `iteration` steps, with its gradient
    /// multiplied by `scale`; the weights' working copy follows where it lies in matrices. Matrices decay; vectors and
    /// thetas do not, and a theta that is trained may have a learning rate of its own.
    void step(const Parameters& weights, const RunSpec& spec, std::int64_t run, std::int64_t iteration, double rate,
              double scale) const;
};

}  // namespace ropelab
