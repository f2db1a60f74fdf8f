#pragma once

#include <ATen/record_function.h>

#include <cstdint>
#include <functional>

/// Counts as one operation where count_operations counts: a pass of the engine's own over some numbers, from here to
/// the end of the block. Costs nothing to speak of while nobody counts.
#define ROPELAB_OWN_PASS(name) RECORD_USER_SCOPE(name)

namespace ropelab {

/// While one with `eager` lives, what core/model calculates in this thread goes operation by operation, as LibTorch's
/// own; gradients follow the way that was taken forwards. Else as the guard around it says, and fused where there is
/// none.
class EagerGuard {
 public:
    explicit EagerGuard(bool eager);
    ~EagerGuard();
    EagerGuard(const EagerGuard&) = delete;
    EagerGuard& operator=(const EagerGuard&) = delete;

 private:
    bool before_;
};
bool is_eager();

/// Does `work` and counts the operations that this thread, and its backward passes, start meanwhile, as
/// Engine::count_operations has them. One count at a time.
std::int64_t count_operations(const std::function<void()>& work);

}  // namespace ropelab
