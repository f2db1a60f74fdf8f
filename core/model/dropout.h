#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ropelab {

class DeviceStreams;  // core/model/fused_device.h

/// Dropout of one training step of a cohort. A run's masks depend on its seed, the step and the place, but not on other
/// runs of the cohort. A default-constructed object drops nothing, as evaluation and generation require.
class Dropout {
 public:
    Dropout() = default;
    /// Creates the dropout of a step, with one seed per run. On a device with kernels, `streams` replaces `step` if it
    /// is given.
    Dropout(double rate, std::vector<std::int64_t> seeds, std::int64_t step,
            std::shared_ptr<DeviceStreams> streams = nullptr)
        : rate_(rate), seeds_(std::move(seeds)), step_(step), streams_(std::move(streams)) {}

    bool active() const { return rate_ > 0; }
    double rate() const { return rate_; }
    std::int64_t step() const { return step_; }
    const std::vector<std::int64_t>& seeds() const { return seeds_; }
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }
    /// Returns x, (runs, …), multiplied by a mask of 0 and 1/(1 − rate). `place` names the place in the model
    /// ("layers.0.mlp").
    torch::Tensor operator()(const torch::Tensor& x, const std::string& place) const;

 private:
    double rate_ = 0;
    std::vector<std::int64_t> seeds_;
    std::int64_t step_ = 0;
    std::shared_ptr<DeviceStreams> streams_;
};

/// Returns dropout masks of `size` numbers per run, computed with LibTorch's integer operations on the tensors' device:
/// (runs, size) float32 of 0 and 1/(1 − rate). The numbers equal those of RandomStream::fill_dropout. keys: (runs, 2)
/// int32, step: (1) int64, as in DeviceStreams.
torch::Tensor libtorch_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate,
                                     std::int64_t size);

}  // namespace ropelab
