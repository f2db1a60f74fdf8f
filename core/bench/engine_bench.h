#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/bench/spread.h"
#include "core/spec/engine.h"

namespace ropelab::bench {

// What the engine does in a second, through the interface that training goes through. The text is made of symbols
// without pattern: speed does not depend on what is learned.

/// How one run trains alone.
struct TrainingSpeed {
    RunConditions conditions;
    int vocabulary = 0;
    Spread milliseconds_per_step;
    Spread tokens_per_second;
};
TrainingSpeed measure_training(Engine& engine, const RunSpec& spec, const Patience& patience,
                               const Cancelled& cancelled = {});

/// Six runs of one shape and six thetas as a cohort, beside the same six one after another.
struct CohortSpeed {
    RunConditions conditions;
    Spread milliseconds_together;    // a step of all six
    Spread milliseconds_one_by_one;  // six steps
    Spread speedup;                  // the second over the first
};
CohortSpeed measure_cohort(Engine& engine, const RunSpec& shape, const Patience& patience,
                           const Cancelled& cancelled = {});

/// Runs that differ in theta and fraction alone, measured in turns.
struct SettingSpeed {
    double theta = 0;
    double fraction = 0;
    Spread milliseconds_per_step;
};
struct SettingsSpeed {
    std::vector<SettingSpeed> settings;
    /// Of the medians, each round's times taken relative to that round's mean: what disturbs a round drops out.
    double slowest_over_fastest = 0;
};
/// Theta 100 … 1e6 at fraction 1, and fractions 0.25 and 0.5 at theta 10,000.
SettingsSpeed measure_settings(Engine& engine, const RunSpec& shape, const Patience& patience,
                               const Cancelled& cancelled = {});

/// Generation at batch 1, in tokens per second; `rolling` is missing where positions are learned or none are rotated.
struct GenerationSpeed {
    std::int64_t length = 0;
    std::string precision;
    std::optional<Spread> rolling;
    Spread recompute;
    std::optional<Spread> rolling_over_recompute;
};
GenerationSpeed measure_generation(Engine& engine, const RunSpec& spec, std::int64_t length, const Patience& patience,
                                   const Cancelled& cancelled = {});

/// The small shape that cohorts and settings are compared at: 2 layers, width 64, context 128, batch 16.
RunSpec small_shape();

}  // namespace ropelab::bench
