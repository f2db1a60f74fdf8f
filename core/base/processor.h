#pragma once

#include <string>

namespace ropelab {

/// From the operating system, or "unknown". It is read once.
const std::string& processor_name();

/// Without instructions for products of bfloat16 it is emulated and slower than float32.
bool processor_multiplies_bfloat16();

}  // namespace ropelab
