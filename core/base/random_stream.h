#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ropelab {

/// Philox 4×32-10 (Salmon et al. 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// 32-bit numbers below `threshold` drop their element; others are multiplied by `kept_factor`, 1/(1 − rate).
struct DropoutRate {
    explicit DropoutRate(double rate)
        : threshold(static_cast<std::uint32_t>(rate * 0x1p32)), kept_factor(static_cast<float>(1.0 / (1.0 - rate))) {}
    std::uint32_t threshold;
    float kept_factor;
};

/// Counter-based (Philox 4×32-10): the n-th number depends only on the seed, the name of the stream and n. They depend
/// on no other run of the cohort, order of calls or number of threads.
class RandomStream {
 public:
    /// The name says what is sampled, such as "init:layers.0.attention.query", "batches" or "dropout:3:attention".
    RandomStream(std::int64_t seed, std::string_view name);

    std::array<std::uint32_t, 4> block(std::uint64_t low, std::uint64_t high) const;

    /// Uniform in [0, bound); `bound` is at least 1. The probabilities differ from 1/bound by less than 2^−64.
    std::uint64_t below(std::uint64_t bound, std::uint64_t step, std::uint64_t index) const;
    /// Uniform in (0, 1].
    double uniform(std::uint64_t step, std::uint64_t index) const;

    /// Mean 0; Box–Muller transform of the numbers 0 … size − 1 of the stream.
    void fill_normal(std::span<float> values, double deviation) const;
    /// 0 with probability `rate`, else 1/(1 − rate), from numbers first … first + size − 1: calls can fill parts of a
    /// mask.
    void fill_dropout(std::span<float> values, double rate, std::uint64_t step, std::uint64_t first) const;

    /// For code that computes the same numbers elsewhere.
    std::array<std::uint32_t, 2> key() const { return key_; }

 private:
    std::array<std::uint32_t, 2> key_;
};

}  // namespace ropelab
