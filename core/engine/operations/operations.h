#pragma once

#include <ATen/record_function.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>

/// Makes the rest of the block one operation for count_operations. The cost is negligible when nobody counts.
#define ROPELAB_OWN_PASS(name) RECORD_USER_SCOPE(name)

namespace ropelab {

/// Empty for an undefined tensor, as LibTorch's functions take it.
inline std::optional<torch::Tensor> given(const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// With `eager`, core/engine uses LibTorch's operations one by one in this thread; backward passes use the
/// implementation of their forward pass. Otherwise the enclosing guard decides; the default is fused.
class EagerGuard {
 public:
    explicit EagerGuard(bool eager);
    ~EagerGuard();
    EagerGuard(const EagerGuard&) = delete;
    EagerGuard& operator=(const EagerGuard&) = delete;

 private:
    bool previous_;
};
bool is_eager();

/// As Engine::count_operations, backward passes included. Only one count may run at a time.
std::int64_t count_operations(const std::function<void()>& work);

}  // namespace ropelab
