#pragma once

namespace ropelab {

/// Whether the processor multiplies bfloat16 by instruction. Without it bfloat16 is emulated and never pays.
bool processor_multiplies_bfloat16();

/// Some virtual machines announce AMX but hide its tile palette; oneDNN believes them and dies of an illegal
/// instruction. Where this is such a machine, tells oneDNN to stay below AMX, unless the user set ONEDNN_MAX_CPU_ISA.
/// To be called before the first product.
void avoid_broken_amx();

}  // namespace ropelab
