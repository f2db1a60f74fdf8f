#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/cuda/cuda_kernels.h"
#include "core/model/dropout.h"
#include "core/model/fused.h"
#include "core/model/parameters.h"
#include "core/spec/device_trust.h"

namespace ropelab {

// The operations of core/model/fused.h and core/model/linear.h on a device with the kernels of core/cuda. Values keep
// their type: bfloat16 stays bfloat16, while the residual stream, sums, losses and the gradients of weights are
// float32. Once the keys of a dropout's place exist, no operation waits for the device or uses the host's memory, so
// that all can be captured in a CUDA graph.

struct CudaGraphs;  // core/model/device_graph.h

/// Kernels for one kind of device. `stream` returns LibTorch's stream of the calling thread; `graphs` captures CUDA
/// graphs (null if that is not possible); `trust` says which parts may be used (core/spec/device_trust.h).
struct DeviceKernels {
    const cuda::Kernels* table = nullptr;
    cuda::Stream (*stream)() = nullptr;
    const CudaGraphs* graphs = nullptr;
    DeviceTrust trust = DeviceTrust::everything();
};

/// Selects the kernels for tensors of this kind of device; without a kernel table LibTorch's operations are used. Must
/// not be called while something trains.
void set_device_kernels(torch::DeviceType device, DeviceKernels kernels);
/// Returns the selected kernels of a device.
const DeviceKernels& device_kernels(const torch::Device& device);
/// Returns whether a device has kernels.
bool has_device_kernels(const torch::Device& device);
/// Returns whether a part of the kernels processes tensors of this device; false under an EagerGuard.
bool has_device_kernels(const torch::Device& device, DevicePart part);
/// Returns whether a part of the kernels processes this tensor; false under an EagerGuard.
bool has_device_kernels(const torch::Tensor& tensor, DevicePart part);
/// Returns whether any part of the kernels processes this tensor. Products then keep the type of their factors.
bool has_device_kernels(const torch::Tensor& tensor);

/// Throws DeviceFault with the kernel's name and the reason unless `error` is 0.
void check_launch(const DeviceKernels& kernels, int error, const char* kernel);

/// Random-stream keys and step of a cohort's dropouts in device memory. The tensors keep their addresses during the
/// object's lifetime.
class DeviceStreams {
 public:
    /// Creates the streams, with one seed per run; `step` is the first step to be trained.
    DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device);

    /// Returns the number of the current step: (1) int64.
    const torch::Tensor& step() const { return step_; }
    /// Returns the runs' keys of stream `what`, (runs, 2) int32, laid out as cuda::StreamKey. The keys are created at
    /// the first call.
    const torch::Tensor& keys(const std::string& what);

 private:
    std::vector<std::int64_t> seeds_;
    torch::Tensor step_;
    std::map<std::string, torch::Tensor> keys_;
};

namespace on_device {

/// Returns the residual sum and its normalization as core/model/fused.h specifies. x may be float32 or bfloat16;
/// `normed` has the branch's type, or without a branch bfloat16 if x or `type` is.
NormalizedResidual residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                                 const torch::Tensor& bias, const Dropout& dropout, const std::string& place, Norm norm,
                                 torch::ScalarType type = torch::kFloat32);

/// Returns GELU of x.
torch::Tensor gelu(const torch::Tensor& x);
/// Returns SwiGLU of x.
torch::Tensor swiglu(const torch::Tensor& x);

/// Returns the embeddings of tokens.
torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens);

/// Returns the cross-entropy of each token. The logits may be the first columns of longer rows (a padded vocabulary).
torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets);

/// Returns x multiplied by the dropout mask at `place`.
torch::Tensor drop_out(const torch::Tensor& x, const Dropout& dropout, const std::string& place);

/// Returns the product as core/model/linear.h specifies, but in the type of the factors.
torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision);

}  // namespace on_device

}  // namespace ropelab
