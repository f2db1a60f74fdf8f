#pragma once

#include <cstdint>

namespace ropelab {

/// Finalizer of SplitMix64, a bijection (Steele, Lea and Flood 2014).
constexpr std::uint64_t mix64(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/// Number i is mix64(key + (i + 1) * 0x9e3779b97f4a7c15), which is the sequence of SplitMix64 with the seed `key`. It
/// uses only integers, so that every machine generates the same numbers.
class CounterRandom {
 public:
    explicit CounterRandom(std::uint64_t key) : key_(key) {}

    std::uint64_t next() { return mix64(key_ + ++counter_ * 0x9e3779b97f4a7c15ULL); }

    /// Uniform in [0, bound), without bias, for bound >= 1. May consume more than one 64-bit number.
    std::uint32_t below(std::uint32_t bound) {
        // Lemire 2019: the top 32 bits are scaled to the bound; values that would make some results likelier are
        // rejected.
        const std::uint32_t surplus = (0U - bound) % bound;
        while (true) {
            const std::uint64_t product = (next() >> 32) * bound;
            if (static_cast<std::uint32_t>(product) >= surplus) return static_cast<std::uint32_t>(product >> 32);
        }
    }

 private:
    std::uint64_t key_;
    std::uint64_t counter_ = 0;
};

}  // namespace ropelab
