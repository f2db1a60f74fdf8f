#pragma once

#include <torch/torch.h>

#include <vector>

namespace ropelab {

/// Returns an uninitialized tensor for a kernel's output. While a MemoryMargins exists, the memory has a margin before
/// and after it.
torch::Tensor fresh_memory(at::IntArrayRef sizes, const torch::TensorOptions& options);
/// Returns an uninitialized tensor with the shape and type of `like`.
inline torch::Tensor fresh_memory_like(const torch::Tensor& like) {
    return fresh_memory(like.sizes(), like.options());
}

/// While an object of this class exists, fresh_memory adds margins to its allocations, which reveal a kernel that
/// writes beyond its memory. Only one object may exist at a time, and nothing else may compute on the device meanwhile.
class MemoryMargins {
 public:
    MemoryMargins();
    ~MemoryMargins();
    MemoryMargins(const MemoryMargins&) = delete;
    MemoryMargins& operator=(const MemoryMargins&) = delete;

    /// Returns whether no margin has been overwritten since the object was created.
    bool intact() const;

 private:
    friend torch::Tensor fresh_memory(at::IntArrayRef sizes, const torch::TensorOptions& options);
    std::vector<torch::Tensor> margins_;
};

}  // namespace ropelab
