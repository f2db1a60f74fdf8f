#include "core/bench/engine_bench.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/bench/benchmark_cohorts.h"

namespace ropelab::bench {

namespace {

// Converts the seconds of rounds of `steps` steps to milliseconds per step.
Spread milliseconds(std::vector<double> seconds, double steps) {
    for (double& value : seconds) value *= 1000.0 / steps;
    return spread_of(seconds);
}

}  // namespace

RunSpec small_shape() {
    RunSpec spec;
    spec.layers = 2;
    spec.heads = 2;
    spec.width = 64;
    spec.context = 128;
    spec.batch = 16;
    return spec;
}

TrainingSpeed measure_training(Engine& engine, const RunSpec& spec, const MeasurementLimits& patience,
                               const Cancelled& cancelled) {
    BenchmarkCohorts cohorts(engine, spec);
    Cohort& cohort = cohorts.cohort({spec});
    const int steps = steps_per_round(cohort, patience);
    const auto seconds = measure_alternately({steps_of(cohort, steps)}, patience, cancelled).front();
    TrainingSpeed result;
    result.conditions = cohort.conditions();
    result.vocabulary = cohorts.vocabulary();
    result.milliseconds_per_step = milliseconds(seconds, steps);
    result.tokens_per_second = speed_of(seconds, static_cast<double>(steps * spec.batch * spec.context));
    return result;
}

CohortSpeed measure_cohort(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                           const Cancelled& cancelled) {
    BenchmarkCohorts cohorts(engine, shape);
    std::vector<RunSpec> runs;
    for (const double theta : {500.0, 1000.0, 5000.0, 10000.0, 20000.0, 50000.0}) {
        runs.push_back(shape);
        runs.back().theta = theta;
    }
    Cohort& together = cohorts.cohort(runs);
    const int steps = steps_per_round(together, patience);
    std::vector<std::function<void()>> alone;
    alone.reserve(runs.size());
    for (const RunSpec& run : runs) alone.push_back(steps_of(cohorts.cohort({run}), steps));
    const auto sequential = [&] {
        for (const auto& train : alone) train();
    };
    const auto seconds = measure_alternately({steps_of(together, steps), sequential}, patience, cancelled);
    return {together.conditions(), milliseconds(seconds[0], steps), milliseconds(seconds[1], steps),
            ratio_of(seconds[1], seconds[0])};
}

SettingsSpeed measure_settings(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled) {
    BenchmarkCohorts cohorts(engine, shape);
    SettingsSpeed result;
    for (const double theta : {1e2, 1e3, 1e4, 1e5, 1e6}) result.settings.push_back({theta, 1.0, {}});
    for (const double fraction : {0.25, 0.5}) result.settings.push_back({1e4, fraction, {}});
    std::vector<std::function<void()>> alternatives;
    int steps = 0;
    for (const SettingSpeed& setting : result.settings) {
        RunSpec run = shape;
        run.theta = setting.theta;
        run.fraction = setting.fraction;
        Cohort& cohort = cohorts.cohort({run});
        if (steps == 0) steps = steps_per_round(cohort, patience);
        alternatives.push_back(steps_of(cohort, steps));
    }
    const auto seconds = measure_alternately(alternatives, patience, cancelled);
    std::vector<double> means(seconds.front().size(), 0.0);  // mean time of all settings in each round
    for (const auto& setting_seconds : seconds) {
        for (std::size_t round = 0; round < means.size(); ++round) {
            means[round] += setting_seconds[round] / static_cast<double>(seconds.size());
        }
    }
    std::vector<double> relative_times;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        result.settings[i].milliseconds_per_step = milliseconds(seconds[i], steps);
        relative_times.push_back(ratio_of(seconds[i], means).median);
    }
    const auto [fastest, slowest] = std::minmax_element(relative_times.begin(), relative_times.end());
    result.slowest_over_fastest = *slowest / *fastest;
    return result;
}

GenerationSpeed measure_generation(Engine& engine, const RunSpec& spec, std::int64_t length,
                                   const MeasurementLimits& patience, const Cancelled& cancelled) {
    RunSpec generating_spec = spec;
    generating_spec.batch = 1;  // the cohort is used only for its random weights
    generating_spec.micro_batch = 0;
    BenchmarkCohorts cohorts(engine, generating_spec);
    Cohort& cohort = cohorts.cohort({generating_spec});
    const std::unique_ptr<Model> model = cohort.model(0);
    const auto generation_task = [&](Generation::Mode mode) {
        return [&, mode] {
            Generation options;
            options.length = length;
            options.mode = mode;
            options.on_token = [&](std::int32_t) { return !cancelled || !cancelled(); };
            const std::vector<std::int32_t> prompt = {0};
            model->generate(prompt, options);
        };
    };
    std::vector<std::function<void()>> alternatives = {generation_task(Generation::Mode::recompute)};
    if (spec.rotates() && !spec.learns_positions()) {
        alternatives.emplace_back(generation_task(Generation::Mode::rolling));
    }
    const auto seconds = measure_alternately(alternatives, patience, cancelled);
    if (cancelled && cancelled()) throw std::runtime_error("The measurement was cancelled.");

    GenerationSpeed result;
    const std::vector<std::int32_t> one_token = {0};
    Generation few_tokens;
    few_tokens.length = 2;
    model->generate(one_token, few_tokens);
    result.cache_bytes = model->cache_bytes();
    result.length = length;
    result.precision = cohort.conditions().precision;
    result.recompute = speed_of(seconds[0], static_cast<double>(length));
    if (seconds.size() > 1) {
        result.rolling = speed_of(seconds[1], static_cast<double>(length));
        result.rolling_over_recompute = ratio_of(seconds[0], seconds[1]);
    }
    return result;
}

}  // namespace ropelab::bench
