#pragma once

#include <ATen/record_function.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>

/// Marks the rest of the block as one operation for count_operations: a pass of the engine's own code over some
/// numbers. The cost is negligible when nobody counts.
#define ROPELAB_OWN_PASS(name) RECORD_USER_SCOPE(name)

namespace ropelab {

/// Returns the tensor as an optional, which is empty for an undefined tensor, as LibTorch's functions take it.
inline std::optional<torch::Tensor> given(const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// While an object with `eager` exists, core/model computes operation by operation with LibTorch's operations in this
/// thread; backward passes use the implementation of their forward pass. Otherwise the enclosing guard decides; the
/// default is fused.
class EagerGuard {
 public:
    explicit EagerGuard(bool eager);
    ~EagerGuard();
    EagerGuard(const EagerGuard&) = delete;
    EagerGuard& operator=(const EagerGuard&) = delete;

 private:
    bool previous_;
};
/// Returns whether this thread computes operation by operation.
bool is_eager();

/// Runs `work` and returns the number of operations that this thread and its backward passes start meanwhile, as
/// Engine::count_operations defines them. Only one count may run at a time.
std::int64_t count_operations(const std::function<void()>& work);

}  // namespace ropelab
