#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/model/fused_device.h"
#include "core/model/repeated_work.h"
#include "core/spec/engine.h"

namespace ropelab {

/// A cohort's tensors on a device with kernels, and what is calculated with them. The tensors stay where they are.
struct DeviceCohort {
    std::vector<RunSpec> specs;
    TokenData data;
    std::int64_t decayed = 0;  // numbers of a run that decay
    torch::Tensor weights;     // (runs, total) float32, as are the next three
    torch::Tensor gradient;
    torch::Tensor first_moment;
    torch::Tensor second_moment;
    torch::Tensor working;  // (runs, total) bfloat16, which steps keep equal to the weights; undefined without a copy
    /// x: (runs, batch, context) int64, y: (runs, batch·context) int64 → each run's mean loss, (runs); fills
    /// `gradient`.
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)> train;
    /// The same windows' losses without gradients, (runs, batch·context).
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)> losses;
};

/// Throws BadInput: the device, or this machine, has not enough memory for so many runs.
[[noreturn]] void refuse_for_memory(const RunSpec& spec, std::int64_t runs, bool on_device);

/// Trains and evaluates a cohort with everything in the device's memory: the texts, the number of the step, learning
/// rates, losses. A step is started as one graph where there are graphs, and read back once. Tests run it on the CPU.
class CudaTrainer {
 public:
    /// `iteration`: the next step's number. `graphs` may be null.
    CudaTrainer(DeviceCohort cohort, std::int64_t iteration, const CudaGraphs* graphs);

    /// What the cohort's dropouts are to be made with.
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }

    /// One step, on the windows that start at `starts` (one list a run), or on those of core/train/batches.h where it
    /// is empty. Throws BadInput where the device has not enough memory.
    std::vector<StepResult> step(const std::vector<std::vector<std::int64_t>>& starts = {});

    enum class Text { training, validation };
    /// Each run's mean loss over its windows; empty where `cancelled` said so.
    std::vector<double> mean_losses(Text text, const std::vector<std::vector<std::int64_t>>& starts,
                                    const std::function<bool()>& cancelled);

    /// "a graph", "kernel by kernel, for …": how steps are started by now.
    std::string steps_as() const;
    /// Why steps could not be captured as a graph; empty where that did not fail.
    const std::string& graph_failure() const { return steps_.failure(); }

 private:
    // A batch's place in memory: windows and where they start.
    struct Windows {
        torch::Tensor starts;  // (runs, count) int64
        torch::Tensor x;       // (runs, count, context) int64
        torch::Tensor y;       // (runs, count·context) int64
    };
    Windows windows(std::int64_t count) const;
    void gather(const Windows& windows, bool drawn);
    void train(bool drawn);
    void add_losses(const Windows& windows);
    void run(const std::function<void()>& work) const;
    template <typename Args>
    void start(int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args, const char* name) const;

    DeviceCohort cohort_;
    std::int64_t runs_;
    std::int64_t iteration_;
    const CudaGraphs* graphs_;
    std::shared_ptr<DeviceStreams> streams_;
    torch::Tensor tokens_;    // training, then validation: int32
    torch::Tensor keys_;      // of the batches
    torch::Tensor rates_;     // (runs, 1) float64: of the current step
    torch::Tensor squares_;   // (runs, parts) float64
    torch::Tensor settings_;  // (runs, 4) float32
    torch::Tensor report_;    // (2, runs) float32: losses, gradient norms
    torch::Tensor totals_;    // (runs) float64: an evaluation's losses so far
    Windows training_;
    Windows evaluation_;
    RepeatedWork steps_;
    RepeatedWork evaluations_;
};

}  // namespace ropelab
