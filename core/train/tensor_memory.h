#pragma once

// Large blocks of CPU tensors are reused: each training step allocates the sizes of the previous one, and the system
// would otherwise unmap and clear the blocks each time.

namespace ropelab {

/// Call this before the first tensor is created.
void keep_tensor_memory();

/// Call this between phases with different sizes, such as training steps and evaluations; otherwise their blocks add
/// up.
void release_tensor_memory();

}  // namespace ropelab
