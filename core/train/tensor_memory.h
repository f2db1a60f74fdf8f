#pragma once

// Allocator for CPU tensors that reuses large blocks. Each training step allocates the same sizes as the previous one,
// and the system would otherwise unmap and clear the blocks each time.

namespace ropelab {

/// Installs the allocator in LibTorch. Call this before the first tensor is created.
void keep_tensor_memory();

/// Returns unused blocks to the system. Call this between phases with different sizes, such as training steps and
/// evaluations; otherwise their blocks add up.
void release_tensor_memory();

}  // namespace ropelab
