#pragma once

#include <array>

#include "core/settings/run_spec.h"

namespace ropelab {

/// A precision of Computing (core/contract/engine.h), and no enumerator, because no run trains in it: matrices have one
/// scale per row and are in memory as bytes only. On the CPU, for plans with token_kernels_support
/// (core/plan/kernels.h), else BadInput. Cached keys and values are bfloat16, everything else is float32.
inline constexpr auto int8_weights = static_cast<Precision>(3);

/// By the number of the precision.
inline constexpr std::array<const char*, 4> precision_words = {"auto", "float32", "bfloat16", "int8"};

}  // namespace ropelab
