#pragma once

#include <cstdint>
#include <cstring>

namespace ropelab::kernels {

/// The upper 16 bits of a float32, only for storage; arithmetic is in float32.
struct Bfloat16 {
    std::uint16_t bits;
};

inline float to_float(Bfloat16 x) {
    const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

/// Rounds to nearest, ties to even. NaN becomes 0x7FFF.
inline Bfloat16 to_bfloat16(float x) {
    Bfloat16 result;
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
    const std::uint32_t rounded = bits + 0x7FFFU + ((bits >> 16) & 1U);
    result.bits = static_cast<std::uint16_t>(nan ? 0x7FFFU : rounded >> 16);
    return result;
}

}  // namespace ropelab::kernels
