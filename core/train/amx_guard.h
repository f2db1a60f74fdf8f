#pragma once

#include <cstdint>

namespace ropelab {

/// Whether CPUID announces AMX (leaf 7, EDX) without a description of its tiles (leaf 0x1D, subleaf 1, EAX; 0 where the
/// leaf is missing).
constexpr bool is_amx_broken(std::uint32_t leaf_7_edx, std::uint32_t leaf_1d_eax) {
    constexpr std::uint32_t amx_tile = 1U << 24;
    return (leaf_7_edx & amx_tile) != 0 && leaf_1d_eax == 0;
}

/// Keeps oneDNN, which computes LibTorch's products in bfloat16, below AMX on processors for which is_amx_broken holds:
/// some virtual machines hide leaf 0x1D, and oneDNN then ends the program with an illegal instruction. Sets
/// ONEDNN_MAX_CPU_ISA, unless the user set it or its older name. oneDNN reads the variable once, at its first use, so
/// this must run before the first product.
void avoid_broken_amx();

}  // namespace ropelab
