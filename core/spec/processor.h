#pragma once

namespace ropelab {

/// Returns whether the CPU has instructions for products of bfloat16 numbers. Without them bfloat16 is emulated and
/// slower than float32.
bool processor_multiplies_bfloat16();

}  // namespace ropelab
