#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/settings/run_spec.h"

// What LibTorch and its libraries must know of this processor before they compute. Includes no torch header.

namespace ropelab {

/// Returns `requested`, or the smaller number that OpenMP allows (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS). oneDNN
/// gives incomplete results if it gets fewer threads than LibTorch announces. Call this on the thread that will
/// compute, because it also prevents OpenMP from reducing the number on that thread (OMP_DYNAMIC).
std::int64_t use_threads(std::int64_t requested);

/// CPUID announces AMX (leaf 7, EDX) without its tiles (leaf 0x1D, subleaf 1, EAX; 0 if the leaf is missing).
constexpr bool is_amx_broken(std::uint32_t leaf_7_edx, std::uint32_t leaf_1d_eax) {
    constexpr std::uint32_t amx_tile = 1U << 24;
    return (leaf_7_edx & amx_tile) != 0 && leaf_1d_eax == 0;
}

/// Keeps oneDNN, which computes LibTorch's bfloat16 products, from using AMX where is_amx_broken is true. Some virtual
/// machines hide leaf 0x1D, and oneDNN then ends the program with an illegal instruction. Sets ONEDNN_MAX_CPU_ISA,
/// unless the user has; call it before the first product.
void avoid_broken_amx();

/// float32 or bfloat16, and its reason: "as requested."
struct SettledPrecision {
    Precision precision;
    std::string reason;
};
/// For precision=auto. `obstacle` is why bfloat16 cannot be faster, or empty; only then `seconds`, which measures one
/// pass, is called.
SettledPrecision faster_precision(const std::string& obstacle, const std::function<double(Precision)>& seconds);
/// Empty if the processor multiplies bfloat16.
std::string bfloat16_obstacle();

}  // namespace ropelab
