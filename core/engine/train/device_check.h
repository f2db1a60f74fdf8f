#pragma once

#include <torch/torch.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/device_trust.h"
#include "core/engine/device/accelerator.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// Compares LibTorch's products and attention with double precision on the CPU; eight training steps of each of
/// `checked_runs` with those of the CPU, in float32 and bfloat16; the same steps with a repetition, and with CUDA
/// graphs, bit by bit; and 64 greedily generated tokens with CUDA graphs with those without. `publish` receives each
/// check before and after it runs. After a failed check of the device there are no later checks. `graphs` may be null.
/// Afterwards the device is used without graphs.
void check_device(torch::Device device, const CudaGraphs* graphs,
                  const std::function<void(const DeviceCheck&)>& publish);

/// Name and settings of what the check trains: LibTorch's attention without dropout (with its causal flag, and with a
/// mask), attention in separate operations, grouped queries, both norms, and partial rotation.
std::vector<std::pair<std::string, RunSpec>> checked_runs(Precision precision);
/// Relative differences from the CPU that a device may have: of losses, and of the norms of mean gradients. They are
/// several times the differences between this precision and float64 on the CPU.
struct CheckTolerance {
    double losses = 0;
    double gradients = 0;
};
CheckTolerance check_tolerance(Precision precision);

/// Elementwise. The tolerance is relative to the wanted number or to a tenth of the root mean square of all numbers,
/// whichever is larger. Empty if they agree, else one clause: "number 7 is 0.1 instead of 0.2".
std::string difference(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance);

}  // namespace ropelab
