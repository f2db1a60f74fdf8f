#pragma once

#include <torch/types.h>

namespace ropelab {

struct CudaGraphs;  // core/engine/device/device_graph.h

/// Device on which LibTorch's operations compute everything, without the loops of core/kernels, and on which whole
/// training steps stay (core/engine/train/device_trainer.h). Tests, and the check of the CPU itself, set it to the CPU.
struct Accelerator {
    torch::DeviceType type = torch::kCUDA;
    const CudaGraphs* graphs = nullptr;  // null: operations start one by one
};

/// Must not be called while something trains.
void use_accelerator(const Accelerator& accelerator);
bool is_accelerated(const torch::Device& device);
/// Null if there are none.
const CudaGraphs* graphs_on(const torch::Device& device);

}  // namespace ropelab
