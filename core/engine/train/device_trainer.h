#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/train/optimizer.h"

namespace ropelab {

std::vector<std::int64_t> seeds_of(const std::vector<RunSpec>& specs);

/// AdamW steps that stay on a device: the host copies the sequences, the learning rates and the step number to tensors
/// that never move, and copies losses and gradient norms back once. A step starts as one CUDA graph, if graphs are
/// available and support it (core/plan/kernels.h).
class DeviceTrainer {
 public:
    /// Fills the gradient. x: (runs, batch, context) int64, y: (runs, batch·context) int64 → mean losses, (runs).
    using Pass = std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)>;

    /// The weights and rows must not move. `iteration`: the next step. Graphs are those of the weights' device.
    DeviceTrainer(std::vector<RunSpec> specs, const Parameters& weights, const Optimizer& rows, std::int64_t iteration,
                  Pass pass);

    /// The cohort's dropouts must use these.
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }

    /// `x` and `y` are in the memory of the host, with the shapes of Pass.
    std::vector<StepResult> step(const torch::Tensor& x, const torch::Tensor& y);
    /// Last step, before clipping: (layout.total) float32.
    torch::Tensor gradient(std::int64_t run) const;

    /// "a graph", "operation by operation" or "operation by operation, because …".
    std::string steps_as() const;
    const std::string& graph_failure() const { return steps_.failure(); }

 private:
    void train();

    std::vector<RunSpec> specs_;
    const Parameters& weights_;
    const Optimizer& rows_;
    std::int64_t iteration_;
    Pass pass_;
    const CudaGraphs* graphs_;
    std::shared_ptr<DeviceStreams> streams_;
    torch::Tensor x_;               // (runs, batch, context) int64
    torch::Tensor y_;               // (runs, batch·context) int64
    torch::Tensor learning_rates_;  // (runs) float32
    torch::Tensor report_;          // (3, runs) float32: losses, gradient norms, divisors of the gradients by clipping
    RepeatedWork steps_;
};

}  // namespace ropelab
