#pragma once

#include <cstdint>
#include <string_view>

#include "core/cuda/host_device.h"

// The counter-based random numbers of core/spec/random_stream.h: Philox 4×32-10 (Salmon et al. 2011). Both
// implementations generate the same numbers.

namespace ropelab::cuda {

/// Key of a random stream, derived from a run's seed and the stream's purpose.
struct StreamKey {
    std::uint32_t low;
    std::uint32_t high;
};

/// Returns the key of RandomStream(seed, what). It is computed once on the host and then stored in device memory.
inline StreamKey stream_key(std::int64_t seed, std::string_view what) {
    const auto mix = [](std::uint64_t x) {  // finalizer of SplitMix64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
        return x ^ (x >> 31);
    };
    std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
    for (char c : what) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    const std::uint64_t key = mix(mix(static_cast<std::uint64_t>(seed) + 0x9E3779B97F4A7C15ULL) ^ hash);
    return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

/// Four random 32-bit numbers.
struct FourNumbers {
    std::uint32_t n[4];
};

/// Returns the four random numbers at counter (low, high), as RandomStream::block does.
ROPELAB_HOST_DEVICE FourNumbers philox(StreamKey key, std::uint64_t low, std::uint64_t high) {
    std::uint32_t a = static_cast<std::uint32_t>(low);
    std::uint32_t b = static_cast<std::uint32_t>(low >> 32);
    std::uint32_t c = static_cast<std::uint32_t>(high);
    std::uint32_t d = static_cast<std::uint32_t>(high >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p = static_cast<std::uint64_t>(0xD2511F53U) * a;
        const std::uint64_t q = static_cast<std::uint64_t>(0xCD9E8D57U) * c;
        a = static_cast<std::uint32_t>(q >> 32) ^ b ^ key.low;
        b = static_cast<std::uint32_t>(q);
        c = static_cast<std::uint32_t>(p >> 32) ^ d ^ key.high;
        d = static_cast<std::uint32_t>(p);
        key.low += 0x9E3779B9U;
        key.high += 0xBB67AE85U;
    }
    return {{a, b, c, d}};
}

/// Returns random number `index` of step `step`, uniform in [0, bound), as RandomStream::below does.
ROPELAB_HOST_DEVICE std::uint64_t below(StreamKey key, std::uint64_t bound, std::uint64_t step, std::uint64_t index) {
    const FourNumbers numbers = philox(key, index, step);
    const std::uint64_t wide = (static_cast<std::uint64_t>(numbers.n[0]) << 32) | numbers.n[1];
#ifdef __CUDA_ARCH__
    return __umul64hi(wide, bound);
#else
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(wide) * bound) >> 64);
#endif
}

/// A dropout rate in the form that `dropout_factors` needs.
struct DropoutRate {
    std::uint32_t threshold;  // elements whose random number is below it are dropped
    float scale;              // 1/(1 − rate), the factor of the other elements
};
/// Converts a dropout rate.
inline DropoutRate dropout_rate(double rate) {
    return {static_cast<std::uint32_t>(rate * 4294967296.0), static_cast<float>(1.0 / (1.0 - rate))};
}

/// The dropout factors of four consecutive elements.
struct FourFactors {
    float f[4];
};
/// Returns the dropout factors (0 or 1/(1 − rate)) of the elements 4·group … 4·group + 3 in a step, as
/// RandomStream::fill_dropout does.
ROPELAB_HOST_DEVICE FourFactors dropout_factors(StreamKey key, std::uint64_t step, std::uint64_t group,
                                                DropoutRate rate) {
    const FourNumbers numbers = philox(key, group, step);
    FourFactors result;
    for (int i = 0; i < 4; ++i) result.f[i] = numbers.n[i] < rate.threshold ? 0.0F : rate.scale;
    return result;
}

}  // namespace ropelab::cuda
