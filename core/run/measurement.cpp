#include "core/run/measurement.h"

#include <algorithm>
#include <chrono>

#include "core/data/corpus.h"
#include "core/forecast/cohort_width.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_vocabulary.h"
#include "core/machine/clock.h"
#include "core/machine/process_memory.h"
#include "core/plan/step_cost.h"
#include "core/run/device_choice.h"

namespace ropelab {

namespace {

// Returns the median of a few steps after the warm-up, so that disturbances by other programs do not count; 0 if it was
// cancelled before a step was counted.
double seconds_per_step(Cohort& cohort, std::int64_t iterations, const std::function<bool()>& cancelled) {
    constexpr double enough = 1.0;  // seconds
    const auto begin = Clock::now();
    const std::int64_t warm_up =
        std::min(timed_steps(cohort.conditions().device == "cuda").warm_up, std::max<std::int64_t>(1, iterations - 1));
    std::vector<double> taken;
    for (std::int64_t i = 0; i < warm_up && !cancelled(); ++i) {
        const auto warming = Clock::now();
        cohort.step();
        if (iterations == 1) taken.push_back(seconds_since(warming));
    }
    while (!cancelled() && cohort.iteration() < std::min<std::int64_t>(warm_up + 5, iterations) &&
           (taken.empty() || seconds_since(begin) < enough)) {
        const auto step = Clock::now();
        cohort.step();
        taken.push_back(seconds_since(step));
    }
    if (taken.empty()) return 0;
    const auto middle = taken.begin() + std::ssize(taken) / 2;
    std::nth_element(taken.begin(), middle, taken.end());
    return *middle;
}

}  // namespace

Measurement measure_cohort(Engine& engine, const std::vector<RunSpec>& runs, const std::filesystem::path& data_dir,
                           std::int64_t memory_before, const std::function<bool()>& cancelled) {
    const RunSpec& spec = runs.front();
    const auto corpus = open_corpus(spec, data_dir);
    reset_peak_memory();
    CohortStart start;
    start.runs = runs;
    Measurement result;
    choose_device_trust(engine, spec, std::nullopt, {.cancelled = cancelled});
    {
        const auto cohort = engine.create_cohort(start, corpus->token_data());
        result.conditions = cohort->conditions();
        const double step = seconds_per_step(*cohort, spec.iterations, cancelled);
        int batches = 0;
        cohort->evaluate([&] { return ++batches > 2 || cancelled(); });
        const double with_evaluations = operations_per_step(spec) / training_operations(spec, likely_vocabulary(spec));
        result.seconds = step * with_evaluations * static_cast<double>(spec.iterations);
    }
    if (result.conditions.device == "cpu") {
        result.bytes = std::max<std::int64_t>(0, process_memory().peak - memory_before);
    }
    return result;
}

}  // namespace ropelab
