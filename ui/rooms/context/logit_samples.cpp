#include "ui/rooms/context/logit_samples.h"

#include <algorithm>
#include <cmath>

namespace ropelab::ui {
namespace {

/// The weighted mean, and the standard error from the merged sum of squares (Chan et al.).
SampledLogits merged(const SampledLogits& a, std::int64_t countA, const SampledLogits& b, std::int64_t countB) {
    if (countA == 0) {
        return b;
    }
    const auto n = static_cast<double>(countA);
    const auto m = static_cast<double>(countB);
    const double all = n + m;
    SampledLogits result = a;
    for (std::size_t i = 0; i < a.mean.size(); ++i) {
        const double between = b.mean[i] - a.mean[i];
        const double squaresA = a.standard_error[i] * a.standard_error[i] * n * (n - 1);
        const double squaresB = b.standard_error[i] * b.standard_error[i] * m * (m - 1);
        const double squares = squaresA + squaresB + between * between * n * m / all;
        result.mean[i] += between * m / all;
        result.standard_error[i] = std::sqrt(squares / (all - 1) / all);
    }
    return result;
}

}  // namespace

std::vector<double> spreadDistances(std::int64_t end, int count) {
    std::vector<double> distances;
    const auto last = static_cast<double>(std::max<std::int64_t>(2, end));
    for (int i = 0; i < count; ++i) {
        const double here = std::round(std::pow(last, static_cast<double>(i) / (count - 1)));
        if (distances.empty() || here > distances.back()) {
            distances.push_back(here);
        }
    }
    return distances;
}

RandomVectors equalVectors(const RandomVectors& vectors) {
    return {.mean = vectors.mean, .correlation = 1};
}

LogitSamples startSampling(const RotarySetup& setup, std::uint64_t seed, std::int64_t end,
                           const RandomVectors& vectors) {
    constexpr int places = 40;
    LogitSamples samples;
    samples.setup = setup;
    samples.seed = seed;
    samples.vectors = vectors;
    samples.distances = spreadDistances(end, places);
    return samples;
}

LogitSamples withMoreSamples(LogitSamples samples, std::int64_t count, const Cancelled& cancelled) {
    const Frequencies now = frequencies(frequency_settings(samples.setup));
    // Every round and each of the two series has its own seed, which depends on the number of samples so far.
    const std::uint64_t seed = (samples.seed << 32U) + 2 * static_cast<std::uint64_t>(samples.count);
    const int dim = samples.setup.head_dim;
    samples.chosen =
        merged(samples.chosen, samples.count,
               sampled_logits(now, dim, samples.distances, count, seed, samples.vectors, cancelled), count);
    const RandomVectors equal = equalVectors(samples.vectors);
    samples.equal = merged(samples.equal, samples.count,
                           sampled_logits(now, dim, samples.distances, count, seed + 1, equal, cancelled), count);
    samples.count += count;
    return samples;
}

std::int64_t nextRound(const LogitSamples& samples) {
    return std::min(std::max(kFirstSamples, samples.count), kMaxSamples - samples.count);
}

}  // namespace ropelab::ui
