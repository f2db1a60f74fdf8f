#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random_stream.h"
#include "core/kernels/kernels.h"

namespace torch::jit::tensorexpr {
class CodeGen;
}

namespace ropelab {

// Philox 4×32-10 (core/base/random_stream.h).
inline constexpr int philox_rounds = 10;
inline constexpr std::array<std::uint32_t, 2> philox_multipliers = {0xD2511F53, 0xCD9E8D57};
inline constexpr std::array<std::uint32_t, 2> philox_key_steps = {0x9E3779B9, 0xBB67AE85};

/// A cohort's keys and step in the memory of a device. The tensors keep their addresses during the object's lifetime.
class DeviceStreams {
 public:
    /// One seed per run; `step` is the first step to be trained.
    DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device);

    /// (1) int64.
    const torch::Tensor& step() const { return step_; }
    /// Keys of stream `what` in each round, (runs, philox_rounds, 2) int64 with a 32-bit word in each number, created
    /// at the first call.
    const torch::Tensor& keys(const std::string& what);

 private:
    std::vector<std::int64_t> seeds_;
    torch::Tensor step_;
    std::map<std::string, torch::Tensor> keys_;
};

/// A run's masks depend on its seed, the step and the place, but not on other runs of the cohort. A default-constructed
/// object drops nothing, as evaluation and generation require.
class Dropout {
 public:
    Dropout() = default;
    /// One seed per run. On a device, `streams` replaces `step` if it is given.
    Dropout(double rate, std::vector<std::int64_t> seeds, std::int64_t step,
            std::shared_ptr<DeviceStreams> streams = nullptr)
        : rate_(rate), seeds_(std::move(seeds)), step_(step), streams_(std::move(streams)) {}

    /// Sequences first … first + count − 1: tensors contain these only, and masks equal those in the whole batch.
    Dropout of_sequences(std::int64_t first, std::int64_t count) const;

    bool active() const { return rate_ > 0; }
    double rate() const { return rate_; }
    std::int64_t step() const { return step_; }
    const std::vector<std::int64_t>& seeds() const { return seeds_; }
    const std::shared_ptr<DeviceStreams>& streams() const { return streams_; }
    /// Number in a place's stream of the first element of a tensor with `size` elements per run, whose outermost
    /// dimension are the sequences of the batch; 0 for the whole batch.
    std::int64_t first_number(std::int64_t size) const { return size / sequences_ * first_sequence_; }
    /// x, (runs, …), times a mask of 0 and 1/(1 − rate). `place` names the place in the model ("layers.0.mlp").
    torch::Tensor operator()(const torch::Tensor& x, const std::string& place) const;

 private:
    double rate_ = 0;
    std::vector<std::int64_t> seeds_;
    std::int64_t step_ = 0;
    std::int64_t first_sequence_ = 0;
    std::int64_t sequences_ = 1;  // number of sequences in a tensor; without effect for the whole batch
    std::shared_ptr<DeviceStreams> streams_;
};

/// Random numbers of a dropout, per run.
class Streams {
 public:
    Streams(const Dropout& dropout, const std::string& place) : dropout_(dropout) {
        if (!dropout.active()) return;
        for (std::int64_t seed : dropout.seeds()) streams_.emplace_back(seed, "dropout:" + place);
    }
    bool drop() const { return !streams_.empty(); }
    /// The tensor has `size` elements per run.
    kernels::DropoutNumbers of(std::int64_t run, std::int64_t size) const {
        if (streams_.empty()) return {};
        return {&streams_[static_cast<std::size_t>(run)], dropout_.rate(), static_cast<std::uint64_t>(dropout_.step()),
                static_cast<std::uint64_t>(dropout_.first_number(size))};
    }

 private:
    Dropout dropout_;
    std::vector<RandomStream> streams_;
};

/// Data of an autograd function that are not tensors.
struct Place : torch::CustomClassHolder {
    Place(const Dropout& dropout, const std::string& name) : streams(dropout, name) {}
    Streams streams;
};

/// Dropout masks in one pass that stores nothing but the mask: LibTorch's fuser compiles the arithmetic of all rounds
/// for the device, and each thread computes a group of four.
class MaskKernel {
 public:
    /// On the CPU, LibTorch interprets the arithmetic, which is slow. Throws c10::Error if LibTorch cannot compile it.
    MaskKernel(std::int64_t runs, std::int64_t groups, double rate, torch::Device device);
    ~MaskKernel();
    MaskKernel(const MaskKernel&) = delete;
    MaskKernel& operator=(const MaskKernel&) = delete;

    /// keys and step as in DeviceStreams → (runs, 4·groups) bool: the masks from number 4·first on.
    torch::Tensor operator()(const torch::Tensor& keys, const torch::Tensor& step, std::int64_t first) const;

 private:
    std::int64_t runs_;
    std::int64_t groups_;
    std::unique_ptr<torch::jit::tensorexpr::CodeGen> code_;
};

/// In LibTorch's operations on the tensors' device: (runs, size) bool, true where RandomStream::fill_dropout from number
/// `first` on is not 0. keys and step as in DeviceStreams.
torch::Tensor libtorch_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate,
                                     std::int64_t size, std::int64_t first = 0);
/// The same in one pass (MaskKernel), if LibTorch can compile for the device and if the
/// first masks of a size agree.
torch::Tensor device_dropout_masks(const torch::Tensor& keys, const torch::Tensor& step, double rate, std::int64_t size,
                                   std::int64_t first = 0);

}  // namespace ropelab
