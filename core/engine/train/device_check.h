#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>

#include "core/engine/device/accelerator.h"
#include "core/spec/device_trust.h"

namespace ropelab {

/// Compares LibTorch's products and attention with double precision on the CPU; eight training steps with dropout with
/// those of the CPU, in float32 and bfloat16; and the same steps and 64 greedily generated tokens with CUDA graphs with
/// those without. `publish` receives each check before and after it runs. After a failed check of the device there are
/// no later checks. `graphs` may be null. Afterwards the device is used without graphs.
void check_device(torch::Device device, const CudaGraphs* graphs,
                  const std::function<void(const DeviceCheck&)>& publish);

/// Elementwise. The tolerance is relative to the wanted number or to a tenth of the root mean square of all numbers,
/// whichever is larger. Empty if they agree, else one clause: "number 7 is 0.1 instead of 0.2".
std::string difference(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance);

}  // namespace ropelab
