#pragma once

// Where the numbers of tensors on the CPU lie: large blocks are kept when a tensor lets go of them. A step asks for the
// sizes of the step before, and the system would take blocks back and clear them each time.

namespace ropelab {

/// Makes LibTorch ask here. Call before the first tensor is made.
void keep_tensor_memory();

/// Gives what is kept back to the system: between phases that ask for different sizes, as training steps and
/// evaluations do, whose blocks would add up.
void release_tensor_memory();

}  // namespace ropelab
