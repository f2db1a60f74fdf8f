#include "ui/rotary/context/logit_draws.h"

#include <algorithm>
#include <cmath>

namespace ropelab::ui {
namespace {

/// Two samples as one: means by weight, and the sums of squares with what lies between the means (Chan et al.).
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

LogitDraws startDraws(const RotarySetup& setup, std::uint64_t seed, std::int64_t end) {
    constexpr int places = 40;
    LogitDraws draws;
    draws.setup = setup;
    draws.seed = seed;
    draws.distances = spreadDistances(end, places);
    return draws;
}

LogitDraws withMoreDraws(LogitDraws draws, std::int64_t count, const Cancelled& cancelled) {
    const Frequencies now = frequencies(frequency_settings(draws.setup));
    // A seed for every round and series; rounds are told apart by how many draws came before.
    const std::uint64_t seed = (draws.seed << 32U) + 2 * static_cast<std::uint64_t>(draws.draws);
    const int dim = draws.setup.head_dim;
    draws.independent = merged(draws.independent, draws.draws,
                               sampled_logits(now, dim, draws.distances, count, seed, false, cancelled), count);
    draws.equal = merged(draws.equal, draws.draws,
                         sampled_logits(now, dim, draws.distances, count, seed + 1, true, cancelled), count);
    draws.draws += count;
    return draws;
}

std::int64_t nextRound(const LogitDraws& draws) {
    return std::min(std::max(kFirstDraws, draws.draws), kMostDraws - draws.draws);
}

}  // namespace ropelab::ui
