#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Accumulated logits at several distances (F16), for the chosen distribution and for k = q.
struct LogitSamples {
    RotarySetup setup;
    std::uint64_t seed = 1;
    RandomVectors vectors;          // distribution of `chosen`; `equal` has the same mean and the correlation 1
    std::vector<double> distances;  // tokens, ascending
    SampledLogits chosen;
    SampledLogits equal;     // k = q
    std::int64_t count = 0;  // number of samples so far
};

/// Sampling stops here: the standard error is then 1/256 of the standard deviation.
constexpr std::int64_t kMaxSamples = 65536;
constexpr std::int64_t kFirstSamples = 16;

/// Largest absolute mean of the components that the room and the command line accept.
constexpr double kMaxMean = 2;

/// At most `count` whole tokens from 1 to `end` with an almost constant ratio.
std::vector<double> spreadDistances(std::int64_t end, int count);
/// The distances extend from 1 to `end` tokens.
LogitSamples startSampling(const RotarySetup& setup, std::uint64_t seed, std::int64_t end,
                           const RandomVectors& vectors = {});
/// k = q with the same mean: the correlation is 1.
RandomVectors equalVectors(const RandomVectors& vectors);
/// Adds `count` (2 or more) samples. The same seed and the same sequence of counts give the same result. If the
/// computation is cancelled, the result is incomplete and must be discarded.
LogitSamples withMoreSamples(LogitSamples samples, std::int64_t count, const Cancelled& cancelled = {});
/// Each round doubles the total, up to kMaxSamples.
std::int64_t nextRound(const LogitSamples& samples);

}  // namespace ropelab::ui
