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

/// Compares a device with the processor, each of the project's kernels with LibTorch's operations on that device
/// (values and gradients, odd and even shapes, both types, with dropout, twice for the same bits, with margins around
/// what they write), eight training steps with and without kernels and graphs, 64 greedily generated tokens with and
/// without graphs, and the speed of ours beside LibTorch's. `publish` gets each check before and after it ran. What
/// failed is not used in the checks that follow; where LibTorch itself failed, none follows. Tests run it on the CPU
/// with emulated kernels. `kernels` and `graphs` may be null. Leaves the device with LibTorch's operations alone.
struct DeviceCheckOptions {
    bool timed = true;
    /// Only the comparisons of this part's kernels with LibTorch.
    std::optional<DevicePart> only = {};
};
void check_device(torch::Device device, const cuda::Kernels* kernels, const CudaGraphs* graphs,
                  const std::function<void(const DeviceCheck&)>& publish, const DeviceCheckOptions& options = {});

/// How two tensors differ: elementwise, within `tolerance` of the wanted number or of a tenth of the root mean square
/// of all. Empty where they agree, else one clause: "the largest error is 0.1 at number 7".
std::string difference(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance);

/// One operation that a group of kernels serves.
struct KernelCase {
    std::string name;  // "residual norm, bfloat16, 7 channels"
    DevicePart part;
    std::vector<torch::Tensor> inputs;  // float32, on the device
    /// The operation, by kernels where they are used and else by LibTorch's operations; its result in either type.
    std::function<torch::Tensor(const std::vector<torch::Tensor>&)> operation;
    double tolerance = 1e-4;
    bool differentiable = true;
};
/// Every kernel that takes part in a forward or backward pass, over odd and even shapes and both types.
std::vector<KernelCase> kernel_cases(torch::Device device);
/// One of each part, at the size of a real training step, to be timed.
std::vector<KernelCase> timed_cases(torch::Device device);

/// What is wrong with the kernels that draw batches and add losses (`batches`) or update weights (`optimizer`), which
/// `kernels` has; empty where nothing is. They are compared with core/train/batches.h and with AdamW in double
/// precision.
std::string trouble_with_batches(torch::Device device, const cuda::Kernels& kernels, cuda::Stream stream);
std::string trouble_with_optimizer(torch::Device device, const cuda::Kernels& kernels, cuda::Stream stream);

}  // namespace ropelab
