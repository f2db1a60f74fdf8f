#include "core/engine/device/accelerator.h"

namespace ropelab {

namespace {
Accelerator current_accelerator;
}

void use_accelerator(const Accelerator& accelerator) {
    current_accelerator = accelerator;
}
bool is_accelerated(const torch::Device& device) {
    return device.type() == current_accelerator.type;
}
const CudaGraphs* graphs_on(const torch::Device& device) {
    return is_accelerated(device) ? current_accelerator.graphs : nullptr;
}

}  // namespace ropelab
