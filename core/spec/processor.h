#pragma once

#include <string>

namespace ropelab {

/// Returns the processor's model name from the operating system, or "unknown". It is read once.
const std::string& processor_name();

/// Returns whether the CPU has instructions for products of bfloat16 numbers. Without them bfloat16 is emulated and
/// slower than float32.
bool processor_multiplies_bfloat16();

}  // namespace ropelab
