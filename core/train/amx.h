#pragma once

namespace ropelab {

/// Whether LibTorch's bfloat16 products run on the processor's matrix tiles (Intel AMX), made so at the first call;
/// to be called before the first product.
///
/// Some virtual machines pass AMX on but not its description: CPUID leaf 0x1D is missing or zero. oneDNN, which
/// multiplies for LibTorch, then configures no tiles and dies of an illegal instruction. Where the tiles do multiply,
/// that leaf is answered for it while it asks; each thing it asks for once, and keeps the answer (so it was in the
/// versions of LibTorch 2.8 to 2.11). Where they do not, or the system does not let a program answer, oneDNN is told
/// to stay below AMX. Where the user did so (ONEDNN_MAX_CPU_ISA), nothing is done.
bool prepare_amx();

}  // namespace ropelab
