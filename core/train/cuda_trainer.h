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

/// Tensors and functions of a cohort on a device with kernels. The tensors must not move.
struct DeviceCohort {
    std::vector<RunSpec> specs;
    TokenData data;
    std::int64_t decayed = 0;  // number of weights per run with weight decay
    torch::Tensor weights;     // (runs, total) float32, as are the next three
    torch::Tensor gradient;
    torch::Tensor first_moment;
    torch::Tensor second_moment;
    // working copy, (runs, total) bfloat16, which each step updates with the weights; undefined without a copy
    torch::Tensor working;
    /// Runs the forward and backward pass. x: (runs, batch, context) int64, y: (runs, batch·context) int64 → mean loss
    /// of each run, (runs); fills `gradient`.
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)> train;
    /// Returns the loss of each token of the sequences x with targets y, without gradients: (runs, batch·context).
    std::function<torch::Tensor(const torch::Tensor& x, const torch::Tensor& y)> losses;
};

/// Throws BadInput: the device, or this machine, does not have enough memory for this number of runs.
[[noreturn]] void refuse_for_memory(const RunSpec& spec, std::int64_t runs, bool on_device);

/// Trains and evaluates a cohort whose data are all in device memory: tokens, step number, learning rates, losses. Only
/// the sequences of text in files (core/spec/token_text.h) are copied from the host for each batch. A
/// step starts as one CUDA graph, if graphs are available, and its results are copied to the host once. Tests run this
/// class on the CPU.
class CudaTrainer {
 public:
    /// Creates a trainer. `iteration`: number of the next step. `graphs` may be null.
    CudaTrainer(DeviceCohort cohort, std::int64_t iteration, const CudaGraphs* graphs);

    /// Returns the random streams that the cohort's dropouts must use.
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }

    /// Trains one step on the sequences that begin at `starts` (one list per run); if `starts` is empty, on the
    /// sequences of core/train/batches.h. Throws BadInput if the device does not have enough memory.
    std::vector<StepResult> step(const std::vector<std::vector<std::int64_t>>& starts = {});

    /// Split of the data set.
    enum class Text { training, validation };
    /// Returns each run's mean loss over its sequences; empty if `cancelled` returned true.
    std::vector<double> mean_losses(Text text, const std::vector<std::vector<std::int64_t>>& starts,
                                    const std::function<bool()>& cancelled);

    /// Returns whether a step consists of micro-batches. It then starts kernel by kernel, because a graph would store
    /// the kernels of every micro-batch; the kernels of a micro-batch are large enough to hide the cost of starting
    /// them.
    bool divides_steps() const {
        const RunSpec& spec = cohort_.specs.front();
        return spec.sequences_per_pass() < spec.batch;
    }
    /// Returns how steps start: "a graph", "kernel by kernel" or "kernel by kernel, because …".
    std::string steps_as() const;
    /// Returns why the capture of a step failed; empty if it did not fail.
    const std::string& graph_failure() const { return steps_.failure(); }

 private:
    // Memory of one batch: sequences and their starts.
    struct Sequences {
        torch::Tensor starts;  // (runs, count) int64
        torch::Tensor x;       // (runs, count, context) int64
        torch::Tensor y;       // (runs, count·context) int64
    };
    Sequences sequences(std::int64_t count) const;
    void gather(const Sequences& sequences, bool sampled);
    // Source of the sequences of a batch: sampled on the device, at `Sequences::starts` on the device, or copied from
    // mapped files, which are not on the device.
    enum class BatchSource { sampled, starts, host };
    void copy_from_host(const Sequences& sequences, const std::vector<std::vector<std::int64_t>>& starts,
                        std::int64_t first) const;
    std::vector<std::vector<std::int64_t>> sampled_batch() const;
    void train(BatchSource source);
    void add_losses(const Sequences& sequences, BatchSource source);
    void run(const std::function<void()>& work) const;
    template <typename Args>
    void start(int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args, const char* name) const;

    DeviceCohort cohort_;
    std::int64_t runs_;
    std::int64_t iteration_;
    const CudaGraphs* graphs_;
    std::shared_ptr<DeviceStreams> streams_;
    torch::Tensor tokens_;          // training unless it is mapped, then validation: int32
    torch::Tensor keys_;            // random-stream keys of the batches
    torch::Tensor learning_rates_;  // (runs, 1) float64: learning rates of the current step
    torch::Tensor squares_;         // (runs, parts) float64
    torch::Tensor settings_;        // (runs, 4) float32
    torch::Tensor report_;          // (2, runs) float32: losses, gradient norms
    torch::Tensor totals_;          // (runs) float64: sums of an evaluation's losses
    Sequences training_;
    Sequences evaluation_;
    RepeatedWork steps_;
    RepeatedWork evaluations_;
};

}  // namespace ropelab
