#pragma once

// Large blocks are reused: each step allocates the same sizes, and the system would unmap and clear them each time.

namespace ropelab {

/// Call this before the first tensor is created.
void keep_tensor_memory();

/// Call this between phases with different sizes, such as steps and evaluations; otherwise their blocks add up.
void release_tensor_memory();

}  // namespace ropelab
