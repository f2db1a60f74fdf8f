#pragma once

#include <cstdint>

namespace ropelab {

/// Returns the finalizer of SplitMix64, a bijection of the 64-bit numbers (Steele, Lea and Flood 2014).
std::uint64_t mix64(std::uint64_t value);

/// A counter-based random number generator: number i is mix64(key + (i + 1) * 0x9e3779b97f4a7c15), which is the
/// sequence of SplitMix64 with the seed `key`. It uses only integers, so that every machine generates the same numbers.
class CounterRandom {
 public:
    explicit CounterRandom(std::uint64_t key) : key_(key) {}

    /// Returns the next 64-bit number.
    std::uint64_t next();
    /// Returns a uniformly distributed number in [0, bound), without bias, for bound >= 1. May consume more than one
    /// 64-bit number.
    std::uint32_t below(std::uint32_t bound);

 private:
    std::uint64_t key_;
    std::uint64_t counter_ = 0;
};

}  // namespace ropelab
