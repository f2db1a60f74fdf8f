#pragma once

#include <cstdint>

namespace ropelab {

/// SplitMix64's finaliser: a bijection of 64-bit numbers (Steele, Lea and Flood 2014).
std::uint64_t mix64(std::uint64_t value);

/// A counter-based stream: number i is mix64(key + (i + 1) * 0x9e3779b97f4a7c15), the sequence of SplitMix64 started at
/// `key`. Integers only, so that every machine draws the same.
class CounterRandom {
 public:
    explicit CounterRandom(std::uint64_t key) : key_(key) {}

    std::uint64_t next();
    /// Uniform in [0, bound), without bias; bound of at least 1. May use up more than one number of the stream.
    std::uint32_t below(std::uint32_t bound);

 private:
    std::uint64_t key_;
    std::uint64_t counter_ = 0;
};

}  // namespace ropelab
