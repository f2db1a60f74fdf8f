#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ropelab {

/// Random-stream keys and step of a cohort's dropouts in the memory of a device. The tensors keep their addresses
/// during the object's lifetime.
class DeviceStreams {
 public:
    /// Creates the streams, with one seed per run; `step` is the first step to be trained.
    DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device);

    /// Returns the number of the current step: (1) int64.
    const torch::Tensor& step() const { return step_; }
    /// Returns the runs' keys of stream `what`, (runs, 2) int64 with a 32-bit word in each number. The keys are created
    /// at the first call.
    const torch::Tensor& keys(const std::string& what);

 private:
    std::vector<std::int64_t> seeds_;
    torch::Tensor step_;
    std::map<std::string, torch::Tensor> keys_;
};

/// Dropout of one training step of a cohort. A run's masks depend on its seed, the step and the place, but not on other
/// runs of the cohort. A default-constructed object drops nothing, as evaluation and generation require.
class Dropout {
 public:
    Dropout() = default;
    /// Creates the dropout of a step, with one seed per run. On a device, `streams` replaces `step` if it is given.
    Dropout(double rate, std::vector<std::int64_t> seeds, std::int64_t step,
            std::shared_ptr<DeviceStreams> streams = nullptr)
        : rate_(rate), seeds_(std::move(seeds)), step_(step), streams_(std::move(streams)) {}

    /// Returns the dropout of a part of the batch: the sequences `first` … `first + count − 1`. Tensors then contain
    /// these sequences only, and their masks equal those of the same sequences in the whole batch.
    Dropout of_sequences(std::int64_t first, std::int64_t count) const;

    bool active() const { return rate_ > 0; }
    double rate() const { return rate_; }
    std::int64_t step() const { return step_; }
    const std::vector<std::int64_t>& seeds() const { return seeds_; }
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }
    /// Returns the number, in the stream of a place, of the first element of a tensor with `size` elements per run. The
    /// sequences of the batch are the outermost dimension of such a tensor. It is 0 for the whole batch.
    std::int64_t first_number(std::int64_t size) const { return size / sequences_ * first_sequence_; }
    /// Returns x, (runs, …), multiplied by a mask of 0 and 1/(1 − rate). `place` names the place in the model
    /// ("layers.0.mlp").
    torch::Tensor operator()(const torch::Tensor& x, const std::string& place) const;

 private:
    double rate_ = 0;
    std::vector<std::int64_t> seeds_;
    std::int64_t step_ = 0;
    std::int64_t first_sequence_ = 0;
    std::int64_t sequences_ = 1;  // number of sequences in a tensor; without effect for the whole batch
    std::shared_ptr<DeviceStreams> streams_;
};

/// Returns dropout masks of `size` numbers per run, computed with LibTorch's integer operations on the tensors' device:
/// (runs, size) float32 of 0 and 1/(1 − rate). The numbers equal those of RandomStream::fill_dropout from number
/// `first` on. keys and step as in DeviceStreams.
torch::Tensor libtorch_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate,
                                     std::int64_t size, std::int64_t first = 0);

}  // namespace ropelab
