#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "core/kernels/bfloat16.h"

namespace ropelab::kernels {

// SIMD types with 16 lanes on every processor, in one, two or four registers. Lanes are summed in a fixed order, so
// results do not depend on the registers. The compiler's own 64-byte vector type is not used, because with narrower
// registers the compiler splits most operations into scalar ones.

constexpr std::int64_t lane_count = 16;
#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif
constexpr std::size_t register_count = 64 / register_bytes;
constexpr std::size_t lanes_in_register = lane_count / register_count;

#define ROPELAB_INLINE inline __attribute__((always_inline))
// Forces a lambda to be inlined. Otherwise it may remain a function, whose arguments are passed in memory.
#define ROPELAB_LAMBDA __attribute__((always_inline))

using FloatRegister = float __attribute__((vector_size(register_bytes)));
using IntRegister = std::int32_t __attribute__((vector_size(register_bytes)));
using WordRegister = std::uint32_t __attribute__((vector_size(register_bytes)));
using HalfRegister = std::uint16_t __attribute__((vector_size(register_bytes / 2)));

template <typename F>
ROPELAB_INLINE void for_registers(F f) {
    [&]<std::size_t... i>(std::index_sequence<i...>) ROPELAB_LAMBDA {
        (f(i), ...);
    }
    (std::make_index_sequence<register_count>{});
}

struct Floats {
    std::array<FloatRegister, register_count> part = {};

    Floats() = default;
    ROPELAB_INLINE Floats(float number) {
        // Unlike 0 + number, number − 0 is the number even for −0, so that the compiler drops the operation.
        for_registers([&](std::size_t i) ROPELAB_LAMBDA { part[i] = number - FloatRegister{}; });
    }
    ROPELAB_INLINE void set(std::int64_t lane, float number) {
        const auto at = static_cast<std::size_t>(lane);
        part[at / lanes_in_register][at % lanes_in_register] = number;
    }

#define ROPELAB_OPERATOR(sign)                                                                           \
    friend ROPELAB_INLINE Floats operator sign(const Floats& a, const Floats& b) {                       \
        Floats result;                                                                                   \
        for_registers([&](std::size_t i) ROPELAB_LAMBDA { result.part[i] = a.part[i] sign b.part[i]; }); \
        return result;                                                                                   \
    }                                                                                                    \
    ROPELAB_INLINE Floats& operator sign##=(const Floats& other) {                                       \
        return *this = *this sign other;                                                                 \
    }
    ROPELAB_OPERATOR(+)
    ROPELAB_OPERATOR(-)
    ROPELAB_OPERATOR(*)
    ROPELAB_OPERATOR(/)
#undef ROPELAB_OPERATOR
    friend ROPELAB_INLINE Floats operator-(const Floats& a) {
        Floats result;
        for_registers([&](std::size_t i) ROPELAB_LAMBDA { result.part[i] = -a.part[i]; });
        return result;
    }
};

/// a < b ? yes : no.
ROPELAB_INLINE Floats where_less(const Floats& a, const Floats& b, const Floats& yes, const Floats& no) {
    Floats result;
    for_registers([&](std::size_t i)
                      ROPELAB_LAMBDA { result.part[i] = a.part[i] < b.part[i] ? yes.part[i] : no.part[i]; });
    return result;
}
/// b if one of them is NaN.
ROPELAB_INLINE Floats larger(const Floats& a, const Floats& b) {
    return where_less(b, a, a, b);
}

// Memory is copied by registers, because the compiler does not turn a larger memcpy into register loads.
ROPELAB_INLINE Floats load(const float* from) {
    Floats result;
    for_registers([&](std::size_t i)
                      ROPELAB_LAMBDA { std::memcpy(&result.part[i], from + i * lanes_in_register, register_bytes); });
    return result;
}
ROPELAB_INLINE void store(float* to, const Floats& values) {
    for_registers([&](std::size_t i)
                      ROPELAB_LAMBDA { std::memcpy(to + i * lanes_in_register, &values.part[i], register_bytes); });
}
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define ROPELAB_MASKED_ACCESS
/// The lowest `count` lanes, at most 16.
ROPELAB_INLINE __mmask16 first_lanes(std::int64_t count) {
    return static_cast<__mmask16>((1U << count) - 1U);
}
#elif defined(__AVX2__) && !defined(__AVX512F__)
/// The lanes of a register from `begin` on that are below `count`, at most 16.
ROPELAB_INLINE __m256i lanes_below(std::int64_t count, std::size_t begin) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<std::int32_t>(count) - static_cast<std::int32_t>(begin)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif
// Tells the compiler that `count` is below 16.
ROPELAB_INLINE std::size_t partial_bytes(std::int64_t count, std::size_t size) {
    if (count < 0 || count >= lane_count) __builtin_unreachable();
    return static_cast<std::size_t>(count) * size;
}
/// Fewer than 16 numbers; the other lanes are set to `rest`.
ROPELAB_INLINE Floats load_some(const float* from, std::int64_t count, float rest) {
    Floats result = rest;
#ifdef ROPELAB_MASKED_ACCESS
    result.part[0] = _mm512_mask_loadu_ps(result.part[0], first_lanes(count), from);
#elif defined(__AVX2__) && !defined(__AVX512F__)
    for_registers([&](std::size_t i) ROPELAB_LAMBDA {
        const __m256i mask = lanes_below(count, i * lanes_in_register);
        const __m256 loaded = _mm256_maskload_ps(from + i * lanes_in_register, mask);
        result.part[i] = _mm256_blendv_ps(result.part[i], loaded, _mm256_castsi256_ps(mask));
    });
#else
    std::memcpy(&result.part, from, partial_bytes(count, sizeof(float)));
#endif
    return result;
}
/// `count` is below 16.
ROPELAB_INLINE void store_some(float* to, const Floats& values, std::int64_t count) {
#ifdef ROPELAB_MASKED_ACCESS
    _mm512_mask_storeu_ps(to, first_lanes(count), values.part[0]);
#elif defined(__AVX2__) && !defined(__AVX512F__)
    for_registers([&](std::size_t i) ROPELAB_LAMBDA {
        _mm256_maskstore_ps(to + i * lanes_in_register, lanes_below(count, i * lanes_in_register), values.part[i]);
    });
#else
    std::memcpy(to, &values.part, partial_bytes(count, sizeof(float)));
#endif
}
// The lanes of a register, of which each half becomes a narrower register, whose operations are faster.
template <typename Register, typename Join>
ROPELAB_INLINE float folded_lanes(Register lanes, Join join) {
    constexpr std::size_t half = sizeof(Register) / sizeof(float) / 2;
    if constexpr (half == 1) {
        return join(lanes[0], lanes[1]);
    } else {
        return [&]<std::size_t... i>(std::index_sequence<i...>) ROPELAB_LAMBDA {
            return folded_lanes(
                join(__builtin_shufflevector(lanes, lanes, i...), __builtin_shufflevector(lanes, lanes, (i + half)...)),
                join);
        }
        (std::make_index_sequence<half>{});
    }
}
/// The upper half is joined with the lower half until one lane is left, whatever the width of the registers.
template <typename Join>
ROPELAB_INLINE float folded(Floats values, Join join) {
    for (std::size_t half = register_count / 2; half > 0; half /= 2) {
        for (std::size_t i = 0; i < half; ++i) values.part[i] = join(values.part[i], values.part[i + half]);
    }
    return folded_lanes(values.part[0], join);
}
ROPELAB_INLINE float sum_of(const Floats& values) {
    return folded(values, [](auto a, auto b) ROPELAB_LAMBDA { return a + b; });
}

/// With products of bfloat16 pairs (AVX-512 BF16). Their instructions are assembled by name, because this library is
/// compiled for processors without them too.
inline bool multiplies_pairs() {
#ifdef ROPELAB_MASKED_ACCESS
    static const bool has_instruction = __builtin_cpu_supports("avx512bf16");
    return has_instruction;
#else
    return false;
#endif
}

// Numbers are converted to float32 when loaded and rounded as to_bfloat16 does when stored.
using Halves = std::array<HalfRegister, register_count>;

ROPELAB_INLINE FloatRegister as_floats(WordRegister words) {
    FloatRegister result;
    std::memcpy(&result, &words, sizeof result);
    return result;
}
ROPELAB_INLINE Floats widened(const Halves& halves) {
    Floats result;
    for_registers([&](std::size_t i) ROPELAB_LAMBDA {
        result.part[i] = as_floats(__builtin_convertvector(halves[i], WordRegister) << 16);
    });
    return result;
}
ROPELAB_INLINE Halves rounded(const Floats& values) {
    Halves result;
    for_registers([&](std::size_t i) ROPELAB_LAMBDA {
        WordRegister words;
        std::memcpy(&words, &values.part[i], sizeof words);
        const WordRegister nearest = words + 0x7FFFU + ((words >> 16) & 1U);
        result[i] = __builtin_convertvector(
            (values.part[i] == values.part[i] ? nearest : WordRegister{} + 0x7FFF0000U) >> 16, HalfRegister);
    });
    return result;
}
ROPELAB_INLINE Floats load(const Bfloat16* from) {
    Halves halves;
    for_registers([&](std::size_t i)
                      ROPELAB_LAMBDA { std::memcpy(&halves[i], from + i * lanes_in_register, register_bytes / 2); });
    return widened(halves);
}
ROPELAB_INLINE void store(Bfloat16* to, const Floats& values) {
    const Halves halves = rounded(values);
    for_registers([&](std::size_t i)
                      ROPELAB_LAMBDA { std::memcpy(to + i * lanes_in_register, &halves[i], register_bytes / 2); });
}
ROPELAB_INLINE Floats load_some(const Bfloat16* from, std::int64_t count, float rest) {
    Halves halves = {};
#ifdef ROPELAB_MASKED_ACCESS
    const __m256i numbers = _mm256_maskz_loadu_epi16(first_lanes(count), from);
    std::memcpy(&halves, &numbers, sizeof halves);
    Floats result = rest;
    result.part[0] = _mm512_mask_mov_ps(result.part[0], first_lanes(count), widened(halves).part[0]);
#else
    std::memcpy(&halves, from, partial_bytes(count, sizeof(Bfloat16)));
    Floats result = widened(halves);
    for (std::int64_t lane = count; lane < lane_count; ++lane) result.set(lane, rest);
#endif
    return result;
}
ROPELAB_INLINE void store_some(Bfloat16* to, const Floats& values, std::int64_t count) {
    const Halves halves = rounded(values);
#ifdef ROPELAB_MASKED_ACCESS
    __m256i numbers;
    std::memcpy(&numbers, &halves, sizeof numbers);
    _mm256_mask_storeu_epi16(to, first_lanes(count), numbers);
#else
    std::memcpy(to, &halves, partial_bytes(count, sizeof(Bfloat16)));
#endif
}

/// to[c·to_stride + r] = from[r·from_stride + c] for 4 rows and columns.
ROPELAB_INLINE void transpose_4(const float* from, std::int64_t from_stride, float* to, std::int64_t to_stride) {
    using Four = float __attribute__((vector_size(16)));
    std::array<Four, 4> row;
    for (std::size_t r = 0; r < 4; ++r)
        std::memcpy(&row[r], from + static_cast<std::int64_t>(r) * from_stride, sizeof(Four));
    const Four low = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const Four high = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const Four next_low = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const Four next_high = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const std::array<Four, 4> column = {
        __builtin_shufflevector(low, next_low, 0, 1, 4, 5), __builtin_shufflevector(low, next_low, 2, 3, 6, 7),
        __builtin_shufflevector(high, next_high, 0, 1, 4, 5), __builtin_shufflevector(high, next_high, 2, 3, 6, 7)};
    for (std::size_t c = 0; c < 4; ++c)
        std::memcpy(to + static_cast<std::int64_t>(c) * to_stride, &column[c], sizeof(Four));
}

/// f(offset, count) for the offsets 0, 16, 32 … below `size`; `count` is 16, or fewer at the end.
template <typename F>
ROPELAB_INLINE void for_lanes(std::int64_t size, F f) {
    std::int64_t at = 0;
    for (; at + lane_count <= size; at += lane_count) f(at, lane_count);
    if (at < size) f(at, size - at);
}
/// `count` ≤ 16; the other lanes are set to `rest`.
template <typename T>
ROPELAB_INLINE Floats load_lanes(const T* from, std::int64_t count, float rest = 0) {
    return count == lane_count ? load(from) : load_some(from, count, rest);
}
/// `count` ≤ 16.
template <typename T>
ROPELAB_INLINE void store_lanes(T* to, const Floats& values, std::int64_t count) {
    if (count == lane_count) {
        store(to, values);
    } else {
        store_some(to, values, count);
    }
}

/// −∞ if `count` is 0; NaN values are ignored.
ROPELAB_INLINE float largest_number(const float* numbers, std::int64_t count) {
    Floats largest = -INFINITY;
    for_lanes(count, [&](std::int64_t i, std::int64_t some)
                         ROPELAB_LAMBDA { largest = larger(load_lanes(numbers + i, some, -INFINITY), largest); });
    return folded(largest, [](auto a, auto b) ROPELAB_LAMBDA { return a > b ? a : b; });
}

/// For x ≤ 0: at most two units in the last place for x ≥ −87, and 0 for x < −87; NaN for NaN.
ROPELAB_INLINE Floats exp_of_negative(const Floats& x) {
    Floats result;
    for_registers([&](std::size_t i) ROPELAB_LAMBDA {
        const FloatRegister low = FloatRegister{} - 87.0F;
        const FloatRegister clipped = x.part[i] < low ? low : x.part[i];
        // x = n ln 2 + r with |r| ≤ ln 2 / 2. ln 2 is split into two parts so that r is accurate.
        const IntRegister n = __builtin_convertvector(clipped * 1.44269504F - 0.5F, IntRegister);
        const FloatRegister whole = __builtin_convertvector(n, FloatRegister);
        const FloatRegister r = (clipped - whole * 0.693359375F) - whole * -2.12194440e-4F;
        FloatRegister p = FloatRegister{} + 1.9875691500e-4F;
        p = p * r + 1.3981999507e-3F;
        p = p * r + 8.3334519073e-3F;
        p = p * r + 4.1665795894e-2F;
        p = p * r + 1.6666665459e-1F;
        p = p * r + 5.0000001201e-1F;
        p = p * r * r + r + 1.0F;
        const IntRegister bits = (n + 127) << 23;
        FloatRegister power;
        std::memcpy(&power, &bits, sizeof power);
        result.part[i] = x.part[i] < low ? FloatRegister{} : p * power;
    });
    return result;
}

ROPELAB_INLINE Floats magnitude(Floats x) {
    return where_less(x, 0.0F, -x, x);
}
/// 1/(1 + e^−x).
ROPELAB_INLINE Floats logistic(Floats x) {
    const Floats power = exp_of_negative(-magnitude(x));
    return where_less(x, 0.0F, power, 1.0F) / (1.0F + power);
}

}  // namespace ropelab::kernels
