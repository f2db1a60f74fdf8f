#pragma once

#include <torch/torch.h>

#include <vector>

namespace ropelab {

/// Memory that a kernel is going to write, not initialized. While a MemoryMargins lives, with a margin
/// before and after it.
torch::Tensor fresh_memory(at::IntArrayRef sizes, const torch::TensorOptions& options);
inline torch::Tensor fresh_memory_like(const torch::Tensor& like) {
    return fresh_memory(like.sizes(), like.options());
}

/// While this lives, fresh_memory gives margins to what it allocates, so that a kernel that writes beyond
/// its memory is found. One at a time, while nothing else computes on the device.
class MemoryMargins {
 public:
    MemoryMargins();
    ~MemoryMargins();
    MemoryMargins(const MemoryMargins&) = delete;
    MemoryMargins& operator=(const MemoryMargins&) = delete;

    /// Whether no margin was written since this was made.
    bool intact() const;

 private:
    friend torch::Tensor fresh_memory(at::IntArrayRef sizes, const torch::TensorOptions& options);
    std::vector<torch::Tensor> margins_;
};

}  // namespace ropelab
