#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bench/spread.h"
#include "core/spec/engine.h"

namespace ropelab::bench {

// Measures the engine's speed through the same interface that training uses. The text consists of random tokens,
// because speed does not depend on what a model learns.

/// Training speed of a single run.
struct TrainingSpeed {
    RunConditions conditions;
    int vocabulary = 0;  // vocabulary size
    Spread milliseconds_per_step;
    Spread tokens_per_second;
};
/// Measures the training speed of one run. Throws std::runtime_error if cancelled, as all functions here do.
TrainingSpeed measure_training(Engine& engine, const RunSpec& spec, const MeasurementLimits& patience,
                               const Cancelled& cancelled = {});

/// Training speed of six runs of one shape with six thetas, once as a cohort and once sequentially.
struct CohortSpeed {
    RunConditions conditions;
    Spread milliseconds_as_cohort;   // per step of the cohort of six runs
    Spread milliseconds_sequential;  // per step of each of the six runs, summed
    Spread speedup;                  // milliseconds_sequential / milliseconds_as_cohort
};
/// Measures the speedup of training six runs of the given shape as a cohort.
CohortSpeed measure_cohort(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                           const Cancelled& cancelled = {});

/// Training speed for one theta and one fraction.
struct SettingSpeed {
    double theta = 0;
    double fraction = 0;
    Spread milliseconds_per_step;
};
/// Training speeds of runs that differ only in theta and fraction.
struct SettingsSpeed {
    std::vector<SettingSpeed> settings;
    /// Largest median time divided by the smallest. Times are relative to the mean of their round, so that disturbances
    /// of a whole round cancel.
    double slowest_over_fastest = 0;
};
/// Measures training with theta from 100 to 1e6 at fraction 1 and with fractions 0.25 and 0.5 at theta 10,000,
/// alternating between these settings.
SettingsSpeed measure_settings(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled = {});

/// Generation speed at batch size 1, in tokens per second. `rolling` is nullopt for models without RoPE, which cannot
/// generate with a rolling KV cache.
struct GenerationSpeed {
    std::int64_t length = 0;  // number of generated tokens
    std::string precision;
    std::optional<Spread> rolling;                 // with the KV cache
    Spread recompute;                              // without a cache: the whole context is recomputed for each token
    std::optional<Spread> rolling_over_recompute;  // ratio of the speeds
    std::int64_t cache_bytes = 0;  // bytes that the KV cache of a generation occupied, counted by the cache
};
/// Measures the generation of `length` tokens with a model of random weights.
GenerationSpeed measure_generation(Engine& engine, const RunSpec& spec, std::int64_t length,
                                   const MeasurementLimits& patience, const Cancelled& cancelled = {});

/// Returns the small model shape that the comparisons of cohorts and settings use: 2 layers, width 64, context 128,
/// batch size 16.
RunSpec small_shape();

}  // namespace ropelab::bench
