#pragma once

#include <cstdint>
#include <cstring>

#include "core/cuda/host_device.h"

namespace ropelab::cuda {

/// The upper half of a float32. Data is held in it, arithmetic is not done in it.
struct Bfloat16 {
    std::uint16_t bits;
};

ROPELAB_HOST_DEVICE float to_float(float x) {
    return x;
}
ROPELAB_HOST_DEVICE float to_float(Bfloat16 x) {
    const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

/// Rounded to the nearest, ties to even; NaN becomes 0x7FFF, as the processor of the device has it.
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

/// from_float<T>: for code that is written once for both types of data.
template <typename T>
ROPELAB_HOST_DEVICE T from_float(float x) {
    return x;
}
template <>
ROPELAB_HOST_DEVICE Bfloat16 from_float<Bfloat16>(float x) {
    return to_bfloat16(x);
}

}  // namespace ropelab::cuda
