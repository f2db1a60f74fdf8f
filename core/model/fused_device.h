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

// The operations of core/model/fused.h and core/model/linear.h on a device that has the kernels of core/cuda. Values
// keep the type they come in: what is bfloat16 goes on as bfloat16, while the residual stream, sums, losses and the
// gradients of weights are float32. Nothing here waits for the device or needs the host's memory, once the keys of a
// dropout's place are made, so that all of it can be captured in a graph.

struct CudaGraphs;  // core/model/device_graph.h

/// The kernels for one kind of device, the stream on which LibTorch works in the calling thread, how work is captured
/// as a graph there (null where it is not), and which parts of all this are trusted (core/spec/device_trust.h).
struct DeviceKernels {
    const cuda::Kernels* table = nullptr;
    cuda::Stream (*stream)() = nullptr;
    const CudaGraphs* graphs = nullptr;
    DeviceTrust trust = DeviceTrust::everything();
};

/// From now on these kernels process tensors of this kind of device; without a table LibTorch's operations do. To be
/// called while nothing trains.
void use_device_kernels(torch::DeviceType device, DeviceKernels kernels);
const DeviceKernels& device_kernels(const torch::Device& device);
bool has_device_kernels(const torch::Device& device);
/// Whether a part is to process tensors of this device, and this tensor: not under an EagerGuard.
bool has_device_kernels(const torch::Device& device, DevicePart part);
bool has_device_kernels(const torch::Tensor& tensor, DevicePart part);
/// Whether any part is: then values keep the type in which they were multiplied.
bool has_device_kernels(const torch::Tensor& tensor);

/// Throws DeviceFault, one sentence with the kernel's name and the reason, unless `error` is 0.
void check_launch(const DeviceKernels& kernels, int error, const char* kernel);

/// What a cohort's dropouts read from the device's memory. The tensors stay where they are as long as this lives.
class DeviceStreams {
 public:
    /// One seed a run; `step` is the first step to be trained.
    DeviceStreams(std::vector<std::int64_t> seeds, std::int64_t step, torch::Device device);

    /// The number of the current step: (1) int64.
    const torch::Tensor& step() const { return step_; }
    /// The runs' keys of stream `what`, (runs, 2) int32 in pairs as cuda::StreamKey has them. Made when first asked
    /// for.
    const torch::Tensor& keys(const std::string& what);

 private:
    std::vector<std::int64_t> seeds_;
    torch::Tensor step_;
    std::map<std::string, torch::Tensor> keys_;
};

namespace on_device {

/// As core/model/fused.h has them. x may be of either type; `normed` has the branch's type, without a branch that of x
/// or `type`, whichever is bfloat16.
Normed residual_norm(const torch::Tensor& x, const torch::Tensor& branch, const torch::Tensor& weight,
                     const torch::Tensor& bias, const Dropout& dropout, const std::string& place, Norm norm,
                     torch::ScalarType type = torch::kFloat32);

torch::Tensor gelu(const torch::Tensor& x);
torch::Tensor swiglu(const torch::Tensor& x);

torch::Tensor look_up(const torch::Tensor& table, const torch::Tensor& tokens);

/// The logits may be the first columns of rows that are longer: a padded vocabulary.
torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets);

/// x times dropout's mask at `place`.
torch::Tensor drop_out(const torch::Tensor& x, const Dropout& dropout, const std::string& place);

/// As core/model/linear.h has it, but the result is of the type that was multiplied.
torch::Tensor linear(const torch::Tensor& x, const Matrix& matrix, const torch::Tensor& bias, Precision precision);

}  // namespace on_device

}  // namespace ropelab
