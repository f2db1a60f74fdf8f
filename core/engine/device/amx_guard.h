#pragma once

#include <cstdint>

namespace ropelab {

/// CPUID announces AMX (leaf 7, EDX) without its tiles (leaf 0x1D, subleaf 1, EAX; 0 if the leaf is missing).
constexpr bool is_amx_broken(std::uint32_t leaf_7_edx, std::uint32_t leaf_1d_eax) {
    constexpr std::uint32_t amx_tile = 1U << 24;
    return (leaf_7_edx & amx_tile) != 0 && leaf_1d_eax == 0;
}

/// Keeps oneDNN, which computes LibTorch's bfloat16 products, from using AMX where is_amx_broken is true. Some virtual
/// machines hide leaf 0x1D, and oneDNN then ends the program with an illegal instruction. Sets ONEDNN_MAX_CPU_ISA,
/// unless the user has; call it before the first product.
void avoid_broken_amx();

}  // namespace ropelab
