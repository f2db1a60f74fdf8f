#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/plan/step_cost.h"
#include "core/rope/context.h"

namespace ropelab::bench {

struct Spread {
    std::size_t repetitions = 0;
    double median = 0;
    double lower = 0;  // first quartile
    double upper = 0;  // third quartile
    double minimum = 0;
    double maximum = 0;
};

/// Quantiles are interpolated linearly between the sorted values. Throws std::invalid_argument if there are no values.
Spread spread_of(std::span<const double> values);
/// `numerator` divided by each of `seconds`, which must be positive.
Spread speed_of(std::span<const double> seconds, double numerator);
/// numerators[i] / denominators[i]. The two measurements of a pair should be made directly after one another, so that a
/// disturbance of both cancels. Throws std::invalid_argument for unequal lengths.
Spread ratio_of(std::span<const double> numerators, std::span<const double> denominators);

/// Number and duration of the rounds in which alternatives are measured.
struct MeasurementLimits {
    int least = 5;        // minimum number of rounds
    int most = 15;        // maximum number of rounds
    double seconds = 10;  // time limit; no round begins after it, except for the minimum number
    /// Seconds of one alternative per round; short alternatives are repeated within a round.
    double round_seconds = 0.15;
};

/// A B C A B C …, so that a disturbance affects all. The first round is not counted. Seconds of each alternative in
/// each round. Throws std::runtime_error if `cancelled`, which is called between measurements, returned true.
std::vector<std::vector<double>> measure_alternately(const std::vector<std::function<void()>>& alternatives,
                                                     const MeasurementLimits& patience,
                                                     const Cancelled& cancelled = {});

double seconds_of(const std::function<void()>& work);

// The text consists of random tokens, because speed does not depend on what a model learns.

struct TrainingSpeed {
    RunConditions conditions;
    int vocabulary = 0;  // vocabulary size
    Spread milliseconds_per_step;
    Spread tokens_per_second;
    Spread evaluated_per_second;  // tokens of an evaluation
};
/// Steps in alternation with evaluations of tokens_at_once(spec). Throws std::runtime_error if cancelled, as all
/// functions here do.
TrainingSpeed measure_training(Engine& engine, const RunSpec& spec, const MeasurementLimits& patience,
                               const Cancelled& cancelled = {});

/// Six runs of one shape with six thetas, once as a cohort and once sequentially.
struct CohortSpeed {
    RunConditions conditions;
    Spread milliseconds_as_cohort;   // per step of the cohort of six runs
    Spread milliseconds_sequential;  // per step of each of the six runs, summed
    Spread speedup;                  // milliseconds_sequential / milliseconds_as_cohort
};
CohortSpeed measure_cohort(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                           const Cancelled& cancelled = {});

struct SettingSpeed {
    double theta = 0;
    double fraction = 0;
    Spread milliseconds_per_step;
};
struct SettingsSpeed {
    std::vector<SettingSpeed> settings;
    /// Relative to the mean of their round, so that disturbances of a whole round cancel.
    double slowest_over_fastest = 0;
};
/// Alternates between theta from 100 to 1e6 at fraction 1, and fractions 0.25 and 0.5 at theta 10,000.
SettingsSpeed measure_settings(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled = {});

/// Tokens per second of one stream. `rolling` is nullopt for models without RoPE, which have no rolling KV cache.
struct GenerationSpeed {
    static constexpr std::int64_t together = 16;
    std::int64_t length = 0;  // number of generated tokens
    RunConditions conditions;
    std::optional<Spread> rolling;                 // with the KV cache
    Spread recompute;                              // without a cache: the whole context is recomputed for each token
    std::optional<Spread> rolling_over_recompute;  // ratio of the speeds
    std::optional<Spread> streams;                 // rolling, tokens of `together` streams (Model::generate_streams)
    std::optional<Spread> rolling_int8;            // with weights in int8, where the engine computes them
    std::optional<Spread> streams_int8;
    std::int64_t cache_bytes = 0;  // bytes that the KV cache of a generation occupied, counted by the cache
    /// That a token of one stream reads: the weights, and the keys and values of the tokens it attends to, on average.
    double bytes_per_token = 0;
    /// Of a token of a rolling stream, on average.
    double operations_per_token = 0;
};
/// `length` tokens, random weights.
GenerationSpeed measure_generation(Engine& engine, const RunSpec& spec, std::int64_t length,
                                   const MeasurementLimits& patience, const Cancelled& cancelled = {});

/// Operations per second of the fastest large matrix product of a forward pass on the CPU, with factors of this
/// precision; takes about a second. Throws as Engine::create_untrained_model and Model::stage_times.
double measure_products(Engine& engine, Precision precision, const Cancelled& cancelled = {});

/// For comparisons of cohorts and settings: 2 layers, width 64, context 128, batch size 16.
RunSpec small_shape();

struct Variant {
    std::string settings;  // "key=value", several joined by ", "
    RunSpec spec;
};
/// Position encodings, kinds of attention, feed-forward networks, norms and optimizers. They differ from `shape` only
/// in the settings that they name, and train another model. Requires two layers or more.
std::vector<Variant> variants_of(const RunSpec& shape);

/// Relative to that of the default.
struct VariantSpeed {
    Variant variant;
    Spread steps_per_second;
    Spread ratio;  // steps per second of the variant / steps per second of the default
};
struct VariantsSpeed {
    RunConditions conditions;
    int vocabulary = 0;  // vocabulary size
    std::vector<VariantSpeed> variants;
};
/// In alternation with `shape` itself. The limits apply to each variant.
VariantsSpeed measure_variants(Engine& engine, const RunSpec& shape, const MeasurementLimits& patience,
                               const Cancelled& cancelled = {});

/// After generation, beside the bytes of the formulas.
struct MeasuredCache {
    std::int64_t tokens = 0;  // generated tokens
    std::int64_t kv = 0;      // bytes that the KV cache occupied, counted by the cache; 0 without a KV cache
    CacheBytes formula;
};

/// The KV cache allocates all slots of the context with the first token, so a few tokens suffice. nullopt if cancelled.
std::optional<MeasuredCache> measure_cache(Model& model, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled = {});
/// Random weights. Throws BadInput if settings contradict each other or the model does not fit into memory.
std::optional<MeasuredCache> measure_cache(Engine& engine, const RunSpec& spec, std::int64_t tokens,
                                           const Cancelled& cancelled = {});

/// One thread, compared with a plain copy. Bytes per second, where reads and writes both count.
struct RotationSpeed {
    double bytes = 0;              // size of the array
    Spread half;                   // pairs of channel i and channel i + d/2
    Spread interleaved;            // pairs of channel 2i and channel 2i + 1
    Spread copy;                   // copy of the array
    Spread half_over_copy;         // ratio of the speeds
    Spread interleaved_over_copy;  // ratio of the speeds
};

/// `rows` heads (batch size · heads · 2 for queries and keys), each with `time` positions of `head_dim` channels.
RotationSpeed measure_rotation(std::size_t rows, std::size_t time, int head_dim, double fraction,
                               const MeasurementLimits& patience, const Cancelled& cancelled = {});

}  // namespace ropelab::bench
