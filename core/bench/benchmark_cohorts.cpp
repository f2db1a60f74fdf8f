#include "core/bench/benchmark_cohorts.h"

#include <algorithm>
#include <cmath>

#include "core/forecast/likely_vocabulary.h"

namespace ropelab::bench {

namespace {

// Returns random tokens: enough for the run's context and for both splits of a cohort.
std::vector<std::int32_t> random_tokens(int vocabulary, std::int64_t context) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(std::max<std::int64_t>(100000, 4 * context)));
    std::uint32_t state = 1;
    for (std::int32_t& token : tokens) {
        state = state * 1664525U + 1013904223U;
        token = static_cast<std::int32_t>((state >> 16) % static_cast<std::uint32_t>(vocabulary));
    }
    return tokens;
}

}  // namespace

BenchmarkCohorts::BenchmarkCohorts(Engine& engine, const RunSpec& shape)
    : engine_(engine),
      vocabulary_(static_cast<int>(likely_vocabulary(shape))),
      tokens_(random_tokens(vocabulary_, shape.context)) {}

Cohort& BenchmarkCohorts::cohort(std::vector<RunSpec> runs) {
    CohortStart start;
    start.runs = std::move(runs);
    // All cohorts of a comparison train under the same conditions.
    if (!cohorts_.empty()) start.conditions = cohorts_.front()->conditions();
    cohorts_.push_back(engine_.create_cohort(start, {vocabulary_, tokens_, tokens_}));
    return *cohorts_.back();
}

int steps_per_round(Cohort& cohort, const MeasurementLimits& patience) {
    cohort.step();
    const double seconds = seconds_of([&] { cohort.step(); });
    return std::clamp(static_cast<int>(std::ceil(patience.round_seconds / std::max(seconds, 1e-6))), 1, 200);
}

std::function<void()> steps_of(Cohort& cohort, int steps) {
    return [&cohort, steps] {
        for (int i = 0; i < steps; ++i) cohort.step();
    };
}

}  // namespace ropelab::bench
