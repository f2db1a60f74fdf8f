#pragma once

namespace ropelab {

/// Whether the processor multiplies bfloat16 by instruction. Without it bfloat16 is emulated and never pays.
bool processor_multiplies_bfloat16();

}  // namespace ropelab
