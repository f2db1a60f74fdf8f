#pragma once

#include <cstdint>
#include <cstring>

#include "core/cuda/bfloat16.h"

namespace ropelab::kernels {

// Sixteen numbers at a time, whatever the processor: the compiler makes one, two or four registers of them. Sums are
// made lane by lane and then over the lanes in order, so a result depends on neither.

constexpr std::int64_t lane_count = 16;
using Floats = float __attribute__((vector_size(64)));
using Ints = std::int32_t __attribute__((vector_size(64)));
using cuda::Bfloat16;

#define ROPELAB_INLINE inline __attribute__((always_inline))
// On a lambda: else it may stay a function of its own, compiled for the default processor whoever calls it.
#define ROPELAB_LAMBDA __attribute__((always_inline))

ROPELAB_INLINE Floats load(const float* from) {
    Floats result;
    std::memcpy(&result, from, sizeof result);
    return result;
}
ROPELAB_INLINE void store(float* to, Floats values) {
    std::memcpy(to, &values, sizeof values);
}
/// Fewer than sixteen; the other lanes are `rest`.
ROPELAB_INLINE Floats load_some(const float* from, std::int64_t count, float rest) {
    Floats result = Floats{} + rest;
    std::memcpy(&result, from, static_cast<std::size_t>(count) * sizeof(float));
    return result;
}
ROPELAB_INLINE void store_some(float* to, Floats values, std::int64_t count) {
    std::memcpy(to, &values, static_cast<std::size_t>(count) * sizeof(float));
}
ROPELAB_INLINE float sum_of(Floats values) {
    float total = 0;
    for (std::int64_t lane = 0; lane < lane_count; ++lane) total += values[lane];
    return total;
}

// The same of bfloat16 numbers: widened when they are read, rounded to the nearest when they are written, as
// cuda::to_bfloat16 does.
using Halves = std::uint16_t __attribute__((vector_size(32)));
using Words = std::uint32_t __attribute__((vector_size(64)));

ROPELAB_INLINE Floats widened(Halves halves) {
    const Words words = __builtin_convertvector(halves, Words) << 16;
    Floats result;
    std::memcpy(&result, &words, sizeof result);
    return result;
}
ROPELAB_INLINE Halves rounded(Floats values) {
    Words words;
    std::memcpy(&words, &values, sizeof words);
    const Words nearest = words + 0x7FFFU + ((words >> 16) & 1U);
    return __builtin_convertvector((values == values ? nearest : Words{} + 0x7FFF0000U) >> 16, Halves);
}
ROPELAB_INLINE Floats load(const Bfloat16* from) {
    Halves halves;
    std::memcpy(&halves, from, sizeof halves);
    return widened(halves);
}
ROPELAB_INLINE void store(Bfloat16* to, Floats values) {
    const Halves halves = rounded(values);
    std::memcpy(to, &halves, sizeof halves);
}
ROPELAB_INLINE Floats load_some(const Bfloat16* from, std::int64_t count, float rest) {
    Halves halves = {};
    std::memcpy(&halves, from, static_cast<std::size_t>(count) * sizeof(Bfloat16));
    Floats result = widened(halves);
    for (std::int64_t lane = count; lane < lane_count; ++lane) result[lane] = rest;
    return result;
}
ROPELAB_INLINE void store_some(Bfloat16* to, Floats values, std::int64_t count) {
    const Halves halves = rounded(values);
    std::memcpy(to, &halves, static_cast<std::size_t>(count) * sizeof(Bfloat16));
}

/// f(place, count) for 0, 16, 32 … of `size` numbers; count is 16, and at the end what is left.
template <typename F>
ROPELAB_INLINE void for_lanes(std::int64_t size, F f) {
    std::int64_t at = 0;
    for (; at + lane_count <= size; at += lane_count) f(at, lane_count);
    if (at < size) f(at, size - at);
}
template <typename T>
ROPELAB_INLINE Floats load_lanes(const T* from, std::int64_t count, float rest = 0) {
    return count == lane_count ? load(from) : load_some(from, count, rest);
}
template <typename T>
ROPELAB_INLINE void store_lanes(T* to, Floats values, std::int64_t count) {
    if (count == lane_count) {
        store(to, values);
    } else {
        store_some(to, values, count);
    }
}

/// e^x to two units in the last place for x ≤ 0 down to −87, 0 below. NaN stays NaN.
ROPELAB_INLINE Floats exp_of_negative(Floats x) {
    const Floats low = Floats{} - 87.0F;
    const Floats clipped = x < low ? low : x;
    // x = n ln 2 + r, |r| ≤ ln 2 / 2; ln 2 in two parts, so that r keeps its bits.
    const Ints n = __builtin_convertvector(clipped * 1.44269504F - 0.5F, Ints);
    const Floats whole = __builtin_convertvector(n, Floats);
    const Floats r = (clipped - whole * 0.693359375F) - whole * -2.12194440e-4F;
    Floats p = Floats{} + 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    const Ints bits = (n + 127) << 23;
    Floats power;
    std::memcpy(&power, &bits, sizeof power);
    return x < low ? Floats{} : p * power;
}

}  // namespace ropelab::kernels
