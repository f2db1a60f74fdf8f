#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Draws of q and k that accumulate (F16): independent, and equal.
struct LogitDraws {
    RotarySetup setup;
    std::uint64_t seed = 1;
    std::vector<double> distances;  // tokens, ascending
    SampledLogits independent;
    SampledLogits equal;
    std::int64_t draws = 0;
};

/// So many draws are enough: the standard error is then a 256th of a single draw's deviation.
constexpr std::int64_t kMostDraws = 65536;
constexpr std::int64_t kFirstDraws = 16;

/// About `count` distances with a constant ratio, whole tokens, from 1 to `end`.
std::vector<double> spreadDistances(std::int64_t end, int count);
/// No draw yet; distances from 1 to `end`.
LogitDraws startDraws(const RotarySetup& setup, std::uint64_t seed, std::int64_t end);
/// Adds `count` (2 or more) draws; with the same seed and the same counts the same result. Cancelled, what it returns
/// is of no use.
LogitDraws withMoreDraws(LogitDraws draws, std::int64_t count, const Cancelled& cancelled = {});
/// How many to add next, so that rounds double the number.
std::int64_t nextRound(const LogitDraws& draws);

}  // namespace ropelab::ui
