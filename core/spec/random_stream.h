#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ropelab {

/// The generator itself: ten rounds of Philox 4×32 on a counter under a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Counter-based random numbers (Philox 4×32-10, Salmon et al. 2011): the n-th number of a stream depends on the seed,
/// the stream's name and n only, so that a run draws the same numbers whatever its cohort mates, the order of calls, or
/// the thread do.
class RandomStream {
 public:
    /// `what` names what is drawn ("init:layers.0.attention.query", "batches", "dropout:3:attention").
    RandomStream(std::int64_t seed, std::string_view what);

    /// Four 32-bit numbers for counter (low, high).
    std::array<std::uint32_t, 4> block(std::uint64_t low, std::uint64_t high) const;

    /// Uniform integer in [0, bound) from number `index` of step `step`; bound ≥ 1. The bias is below bound / 2^64.
    std::uint64_t below(std::uint64_t bound, std::uint64_t step, std::uint64_t index) const;
    /// Uniform in (0, 1] from number `index` of step `step`.
    double uniform(std::uint64_t step, std::uint64_t index) const;

    /// Fills with normal numbers of mean 0 and the given standard deviation (Box–Muller on numbers 0 … size − 1).
    void fill_normal(std::span<float> values, double deviation) const;
    /// Fills with 0 (with probability `rate`) or 1/(1 − rate): numbers first … first + size − 1 of step `step`.
    /// Parts of one mask may be filled apart.
    void fill_dropout(std::span<float> values, double rate, std::uint64_t step, std::uint64_t first) const;

 private:
    std::array<std::uint32_t, 2> key_;
};

}  // namespace ropelab
