#pragma once

#include <cstdint>
#include <cstring>

#include "core/cuda/host_device.h"

namespace ropelab::cuda {

/// A bfloat16 number: the upper 16 bits of a float32. It is only a storage type; arithmetic is in float32.
struct Bfloat16 {
    std::uint16_t bits;
};

/// Returns x; for code that is generic over both data types.
ROPELAB_HOST_DEVICE float to_float(float x) {
    return x;
}
/// Converts a bfloat16 number to float32, which is exact.
ROPELAB_HOST_DEVICE float to_float(Bfloat16 x) {
    const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

/// Converts to bfloat16 by rounding to nearest, ties to even. NaN becomes 0x7FFF, as in NVIDIA GPUs.
ROPELAB_HOST_DEVICE Bfloat16 to_bfloat16(float x) {
    Bfloat16 result;
#ifdef __CUDA_ARCH__
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
#else
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t rounded = bits + 0x7FFFU + ((bits >> 16) & 1U);
    result.bits = static_cast<std::uint16_t>(nan ? 0x7FFFU : rounded >> 16);
#endif
    return result;
}

/// Converts a float to T, for code that is generic over both data types.
template <typename T>
ROPELAB_HOST_DEVICE T from_float(float x) {
    return x;
}
template <>
ROPELAB_HOST_DEVICE Bfloat16 from_float<Bfloat16>(float x) {
    return to_bfloat16(x);
}

}  // namespace ropelab::cuda
