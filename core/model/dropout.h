#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ropelab {

class DeviceStreams;  // core/model/fused_device.h

/// The dropout of one training step of a cohort. A run's masks depend on its seed, the step and the place, never on its
/// mates. A default-made one drops nothing (evaluation, generation).
class Dropout {
 public:
    Dropout() = default;
    /// One seed a run. On a device with kernels `streams`, where given, says the step in its place.
    Dropout(double rate, std::vector<std::int64_t> seeds, std::int64_t step,
            std::shared_ptr<DeviceStreams> streams = nullptr)
        : rate_(rate), seeds_(std::move(seeds)), step_(step), streams_(std::move(streams)) {}

    bool active() const { return rate_ > 0; }
    double rate() const { return rate_; }
    std::int64_t step() const { return step_; }
    const std::vector<std::int64_t>& seeds() const { return seeds_; }
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }
    /// x: (runs, …). Multiplies by a mask of 0 and 1/(1 − rate); `place` names where ("layers.0.mlp").
    torch::Tensor operator()(const torch::Tensor& x, const std::string& place) const;

 private:
    double rate_ = 0;
    std::vector<std::int64_t> seeds_;
    std::int64_t step_ = 0;
    std::shared_ptr<DeviceStreams> streams_;
};

/// The masks of `size` numbers per run by LibTorch's integer operations on the tensors' device, the same numbers as
/// RandomStream::fill_dropout: (runs, size) float32 of 0 and 1/(1 − rate). keys: (runs, 2) int32, step: (1) int64, as
/// DeviceStreams has them.
torch::Tensor libtorch_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate,
                                     std::int64_t size);

}  // namespace ropelab
