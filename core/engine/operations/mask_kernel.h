#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>

namespace torch::jit::tensorexpr {
class CodeGen;
}

namespace ropelab {

/// Dropout masks in one pass that stores nothing but the mask: LibTorch's fuser compiles the arithmetic of all rounds
/// for the device.
class MaskKernel {
 public:
    /// On the CPU, LibTorch interprets the arithmetic, which is slow. Throws c10::Error if LibTorch cannot compile it.
    MaskKernel(std::int64_t runs, std::int64_t groups, double rate, torch::Device device);
    ~MaskKernel();
    MaskKernel(const MaskKernel&) = delete;
    MaskKernel& operator=(const MaskKernel&) = delete;

    /// keys and step as in DeviceStreams → (runs, 4·groups) float32: the masks from number 4·first on.
    torch::Tensor operator()(const torch::Tensor& keys, const torch::Tensor& step, std::int64_t first) const;

 private:
    std::int64_t runs_;
    std::int64_t groups_;
    std::unique_ptr<torch::jit::tensorexpr::CodeGen> code_;
};

}  // namespace ropelab
