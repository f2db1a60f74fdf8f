#include "core/base/random_stream.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <immintrin.h>
#define ROPELAB_HAS_LEVELS
#endif

#include "core/base/dropout_factors.h"

namespace ropelab {

namespace {

constexpr std::uint32_t multiplier_a = 0xD2511F53;
constexpr std::uint32_t multiplier_b = 0xCD9E8D57;
constexpr std::uint32_t weyl_a = 0x9E3779B9;
constexpr std::uint32_t weyl_b = 0xBB67AE85;

using Key = std::array<std::uint32_t, 2>;

// The compiler vectorizes loops over arrays of this size.
constexpr std::size_t width = counters_at_once;

__attribute__((always_inline)) inline void factors(Key key, std::uint64_t first, std::uint64_t step,
                                                   std::uint32_t threshold, float kept_factor, float* out) {
    std::uint32_t a[width];
    std::uint32_t b[width];
    std::uint32_t c[width];
    std::uint32_t d[width];
    for (std::size_t i = 0; i < width; ++i) {
        a[i] = static_cast<std::uint32_t>(first + i);
        b[i] = static_cast<std::uint32_t>((first + i) >> 32);
        c[i] = static_cast<std::uint32_t>(step);
        d[i] = static_cast<std::uint32_t>(step >> 32);
    }
    for (int round = 0; round < 10; ++round) {  // as philox() does for one counter
        for (std::size_t i = 0; i < width; ++i) {
            const std::uint64_t p = static_cast<std::uint64_t>(multiplier_a) * a[i];
            const std::uint64_t q = static_cast<std::uint64_t>(multiplier_b) * c[i];
            a[i] = static_cast<std::uint32_t>(q >> 32) ^ b[i] ^ key[0];
            b[i] = static_cast<std::uint32_t>(q);
            c[i] = static_cast<std::uint32_t>(p >> 32) ^ d[i] ^ key[1];
            d[i] = static_cast<std::uint32_t>(p);
        }
        key[0] += weyl_a;
        key[1] += weyl_b;
    }
    for (std::size_t i = 0; i < width; ++i) {
        out[4 * i] = a[i] < threshold ? 0.0F : kept_factor;
        out[4 * i + 1] = b[i] < threshold ? 0.0F : kept_factor;
        out[4 * i + 2] = c[i] < threshold ? 0.0F : kept_factor;
        out[4 * i + 3] = d[i] < threshold ? 0.0F : kept_factor;
    }
}

void factors_on_any_processor(Key key, std::uint64_t first, std::uint64_t step, std::uint32_t threshold,
                              float kept_factor, float* out) {
    factors(key, first, step, threshold, kept_factor, out);
}

#ifdef ROPELAB_HAS_LEVELS
__attribute__((target("arch=x86-64-v4"))) void factors_by_avx512(Key key, std::uint64_t first, std::uint64_t step,
                                                                 std::uint32_t threshold, float kept_factor,
                                                                 float* out) {
    factors(key, first, step, threshold, kept_factor, out);
}

// AVX2 multiplies pairs of 32-bit numbers in 64-bit lanes only: the compiler would move each factor and product between
// lanes. What stays in the upper half of a lane does not count.
__attribute__((target("avx2"))) void factors_by_avx2(Key key, std::uint64_t first, std::uint64_t step,
                                                     std::uint32_t threshold, float kept_factor, float* out) {
    constexpr std::size_t groups = 2;           // of 4 counters each, whose products do not wait for each other
    constexpr std::uint32_t sign = 0x80000000;  // AVX2 compares signed numbers only
    const __m256i signs = _mm256_set1_epi32(static_cast<int>(sign));
    const __m256i limit = _mm256_set1_epi32(static_cast<int>(threshold ^ sign));
    const __m256 kept = _mm256_set1_ps(kept_factor);
    for (std::size_t i = 0; i < width; i += groups * 4, out += groups * 16) {
        __m256i a[groups], b[groups], c[groups], d[groups];
#pragma GCC unroll 2
        for (std::size_t g = 0; g < groups; ++g) {
            a[g] = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(first + i + 4 * g)),
                                    _mm256_setr_epi64x(0, 1, 2, 3));
            b[g] = _mm256_srli_epi64(a[g], 32);
            c[g] = _mm256_set1_epi64x(static_cast<long long>(step));
            d[g] = _mm256_set1_epi64x(static_cast<long long>(step >> 32));
        }
        Key now = key;
        for (int round = 0; round < 10; ++round, now[0] += weyl_a, now[1] += weyl_b) {
#pragma GCC unroll 2
            for (std::size_t g = 0; g < groups; ++g) {
                const __m256i p = _mm256_mul_epu32(a[g], _mm256_set1_epi64x(multiplier_a));
                const __m256i q = _mm256_mul_epu32(c[g], _mm256_set1_epi64x(multiplier_b));
                a[g] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(q, 32), b[g]), _mm256_set1_epi64x(now[0]));
                b[g] = q;
                c[g] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p, 32), d[g]), _mm256_set1_epi64x(now[1]));
                d[g] = p;
            }
        }
#pragma GCC unroll 2
        for (std::size_t g = 0; g < groups; ++g) {
            const __m256i ab = _mm256_blend_epi32(a[g], _mm256_slli_epi64(b[g], 32), 0xAA);
            const __m256i cd = _mm256_blend_epi32(c[g], _mm256_slli_epi64(d[g], 32), 0xAA);
            const __m256i even = _mm256_unpacklo_epi64(ab, cd);  // of the counters 0 and 2
            const __m256i odd = _mm256_unpackhi_epi64(ab, cd);
            const __m256i counters[] = {_mm256_permute2x128_si256(even, odd, 0x20),
                                        _mm256_permute2x128_si256(even, odd, 0x31)};
#pragma GCC unroll 2
            for (std::size_t half = 0; half < 2; ++half) {
                const __m256i drops = _mm256_cmpgt_epi32(limit, _mm256_xor_si256(counters[half], signs));
                _mm256_storeu_ps(out + g * 16 + half * 8, _mm256_andnot_ps(_mm256_castsi256_ps(drops), kept));
            }
        }
    }
}
#endif

// Finalizer of SplitMix64: every bit of the result depends on every bit of x.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = static_cast<std::uint64_t>(multiplier_a) * counter[0];
        const std::uint64_t b = static_cast<std::uint64_t>(multiplier_b) * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
        key[0] += weyl_a;
        key[1] += weyl_b;
    }
    return counter;
}

std::vector<DropoutFactors> dropout_factors() {
    std::vector<DropoutFactors> supported;
#ifdef ROPELAB_HAS_LEVELS
    if (__builtin_cpu_supports("x86-64-v4")) supported.push_back(factors_by_avx512);
    if (__builtin_cpu_supports("avx2")) supported.push_back(factors_by_avx2);
#endif
    supported.push_back(factors_on_any_processor);
    return supported;
}

RandomStream::RandomStream(std::int64_t seed, std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
    for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    const std::uint64_t key = mix(mix(static_cast<std::uint64_t>(seed) + 0x9E3779B97F4A7C15ULL) ^ hash);
    key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

std::array<std::uint32_t, 4> RandomStream::block(std::uint64_t low, std::uint64_t high) const {
    return philox({static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                   static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)},
                  key_);
}

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t step, std::uint64_t index) const {
    const auto numbers = block(index, step);
    const std::uint64_t wide = (static_cast<std::uint64_t>(numbers[0]) << 32) | numbers[1];
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(wide) * bound) >> 64);
}

double RandomStream::uniform(std::uint64_t step, std::uint64_t index) const {
    const auto numbers = block(index, step);
    const std::uint64_t wide = (static_cast<std::uint64_t>(numbers[0]) << 21) ^ (numbers[1] >> 11);
    return (static_cast<double>(wide) + 0.5) * 0x1p-53;
}

void RandomStream::fill_normal(std::span<float> values, double deviation) const {
    for (std::size_t i = 0; i < values.size(); i += 4) {
        const auto numbers = block(i / 4, 0);
        for (std::size_t pair = 0; pair < 2; ++pair) {
            const double u = (static_cast<double>(numbers[2 * pair]) + 0.5) * 0x1p-32;
            const double v = (static_cast<double>(numbers[2 * pair + 1]) + 0.5) * 0x1p-32;
            const double radius = deviation * std::sqrt(-2.0 * std::log(u));
            const std::size_t at = i + 2 * pair;
            if (at < values.size()) values[at] = static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * v));
            if (at + 1 < values.size())
                values[at + 1] = static_cast<float>(radius * std::sin(2.0 * std::numbers::pi * v));
        }
    }
}

void RandomStream::fill_dropout(std::span<float> values, double rate, std::uint64_t step, std::uint64_t first) const {
    const DropoutRate parts(rate);
    static const DropoutFactors fill = dropout_factors().front();
    std::size_t done = 0;
    while (done < values.size()) {
        const std::uint64_t number = first + done;
        const std::size_t skipped = number % 4;  // a mask may begin inside a block of four numbers
        const std::size_t left = values.size() - done;
        if (skipped == 0 && left >= 4 * width) {
            fill(key_, number / 4, step, parts.threshold, parts.kept_factor, values.data() + done);
            done += 4 * width;
            continue;
        }
        std::array<float, 4 * width> factors;
        fill(key_, number / 4, step, parts.threshold, parts.kept_factor, factors.data());
        const std::size_t count = std::min(left, factors.size() - skipped);
        std::copy_n(factors.data() + skipped, count, values.data() + done);
        done += count;
    }
}

}  // namespace ropelab
