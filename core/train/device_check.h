#pragma once

#include <torch/torch.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/cuda/cuda_kernels.h"
#include "core/model/device_graph.h"
#include "core/spec/device_trust.h"

namespace ropelab {

/// Options of check_device.
struct DeviceCheckOptions {
    bool timed = true;
    /// Checks only this part's kernels against LibTorch.
    std::optional<DevicePart> only = {};
};
/// Compares the device with the processor, and the project's kernels with LibTorch's operations on the device: values
/// and gradients for odd and even shapes and both types, with dropout, twice for equal bits, and with margins around
/// their outputs; eight training steps with and without kernels and graphs; 64 greedily generated tokens with and
/// without graphs; and the speed of each kernel. `publish` receives each check before and after it runs. A part that
/// fails is not used in later checks; if LibTorch itself fails, there are no later checks. `kernels` and `graphs` may
/// be null. After the check the device uses LibTorch's operations only. Tests run the check on the CPU with emulated
/// kernels.
void check_device(torch::Device device, const cuda::Kernels* kernels, const CudaGraphs* graphs,
                  const std::function<void(const DeviceCheck&)>& publish, const DeviceCheckOptions& options = {});

/// Compares two tensors elementwise. The tolerance is relative to the wanted number or to a tenth of the root mean
/// square of all numbers, whichever is larger. Returns an empty string if they agree, else one clause: "number 7 is 0.1
/// instead of 0.2".
std::string difference(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance);

/// Operation that a part of the kernels computes, with inputs for a check.
struct KernelCase {
    std::string name;  // "residual norm, bfloat16, 7 channels"
    DevicePart part;
    std::vector<torch::Tensor> inputs;  // float32, on the device
    /// Computes the operation, with kernels if they are in use and else with LibTorch's operations. The result may be
    /// float32 or bfloat16.
    std::function<torch::Tensor(const std::vector<torch::Tensor>&)> operation;
    double tolerance = 1e-4;
    bool differentiable = true;
};
/// Returns cases for every kernel of a forward or backward pass, with odd and even shapes and both types.
std::vector<KernelCase> kernel_cases(torch::Device device);
/// Returns one case per part, with the size of a real training step, for the timing.
std::vector<KernelCase> timed_cases(torch::Device device);

/// Checks the kernels that sample batches and sum losses against core/train/batches.h. Returns a description of the
/// first error; empty if there is none.
std::string batch_kernel_error(torch::Device device, const cuda::Kernels& kernels, cuda::Stream stream);
/// Checks the kernels that update weights against AdamW in double precision. Returns a description of the first error;
/// empty if there is none.
std::string optimizer_kernel_error(torch::Device device, const cuda::Kernels& kernels, cuda::Stream stream);

}  // namespace ropelab
