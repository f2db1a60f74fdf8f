#pragma once

#include <ATen/record_function.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Makes the rest of the block one operation for count_operations. The cost is negligible when nobody counts.
#define ROPELAB_OWN_PASS(name) RECORD_USER_SCOPE(name)

namespace ropelab {

/// Empty for an undefined tensor, as LibTorch's functions take it.
inline std::optional<torch::Tensor> given(const torch::Tensor& tensor) {
    return tensor.defined() ? std::optional(tensor) : std::nullopt;
}

/// float32, but float64 numbers stay as they are.
inline torch::Tensor in_float(const torch::Tensor& x) {
    return x.scalar_type() == torch::kFloat64 ? x : x.to(torch::kFloat32);
}

/// (runs, …) run by run: LibTorch computes functions such as exp for the last numbers of a tensor in another way than
/// for the others, so that the place of a run in a batch would change its last bits.
template <typename F>
torch::Tensor run_by_run(const torch::Tensor& x, F f) {
    if (x.size(0) == 1) return f(x);
    std::vector<torch::Tensor> results;
    for (std::int64_t run = 0; run < x.size(0); ++run) results.push_back(f(x.narrow(0, run, 1)));
    return torch::cat(results, 0);
}

/// cap·tanh(x/cap), which is near x where x is small.
inline torch::Tensor capped(const torch::Tensor& x, double cap) {
    return torch::tanh(x / cap) * cap;
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
