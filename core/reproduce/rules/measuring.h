#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/contract/engine.h"
#include "core/forecast/time_model.h"
#include "core/reproduce/rules/sheet_row.h"
#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Validation tokens for the losses at extensions; enough for a few hundred sequences.
inline constexpr std::int64_t extension_tokens = 32768;
/// Rise of the smoothed training loss over its previous minimum, in nats per token.
inline constexpr double spike_nats = 0.5;
/// Fraction of a run's steps.
inline constexpr double early = 0.2;
/// "loss_at_2x", a multiple of the context.
std::string loss_at(std::int64_t times);
/// "retrieval_gain_at_lag_16" (see RetrievalRule), on sequences of the context's length; NaN if the split is too short.
std::string retrieval_gain(std::int64_t lag);
/// "retrieval_gain_error_at_lag_16" (RetrievalPoint::gain_standard_error).
std::string retrieval_gain_error(std::int64_t lag);
inline constexpr const char* retrieval_gains = "retrieval_gain";
/// Ascending: retrieval_grid and the predictions' probes for the run's group. Empty if the context is too short.
std::vector<std::int64_t> measured_lags(const SheetPlan& plan, const RunSpec& spec);

/// A prediction with a retrieval rule concerns the run's group.
bool measures_retrieval(const SheetPlan& plan, const RunSpec& spec);

/// A spike is a loss or gradient that is not finite, or, after the warm-up, a smoothed loss (weight 0.9, formula 36)
/// more than spike_nats above its previous minimum. With small batches the raw loss varies by more than that.
std::optional<std::int64_t> first_spike(const RunMetrics::Steps& steps, std::int64_t warmup);

std::int64_t unmeasured_runs(const SheetPlan& plan, std::span<const SheetRun> runs);

PartWork measuring_work(const SheetPlan& plan, const RunSpec& spec);

/// Measures ended runs that lack a measurement, and stores the values in the lab. For failed runs only spikes are
/// measured. Runs are measured seed by seed, and within a seed by timing_order, so that a disturbance or drift of the
/// machine affects all groups. `engine` is called when it is first needed, `cancelled` between samples. Returns false
/// if cancelled. Throws BadInput if a checkpoint or a data set is missing, or if a data set's tokens have changed.
bool measure_runs(LabFile& lab, std::int64_t experiment, const SheetPlan& plan, const std::filesystem::path& data_dir,
                  const std::function<Engine&()>& engine, const std::function<bool()>& cancelled);

/// Sample standard deviation over repetitions, in tokens per second; NaN for one. The other names are those of the
/// settings: samples, length, temperature and top_k of GenerationSpeed, and 1 if the mode is `rolling`, else 0.
inline constexpr const char* generated_per_second_std = "generated_tokens_per_second_std";
inline constexpr const char* generation_samples = "generation_samples";
inline constexpr const char* generation_length = "generation_length";
inline constexpr const char* generation_temperature = "generation_temperature";
inline constexpr const char* generation_top_k = "generation_top_k";
inline constexpr const char* generation_rolling = "generation_rolling";

/// The theta paper's samples, length, temperature and top_k, for sweeps.
inline constexpr GenerationSpeed sweep_generation = {.samples = 10, .length = 500, .temperature = 0.8, .top_k = 200};

/// Batch size 1, the prompt is the first token of the vocabulary, one sample as warm-up. Stores mean, standard
/// deviation and settings in the lab. False, storing nothing, if cancelled. Throws BadInput for invalid settings.
bool measure_generation(LabFile& lab, RunId id, Engine& engine, const Checkpoint& checkpoint,
                        const GenerationSpeed& settings, const std::function<bool()>& cancelled);

/// nullopt if the settings are not stored.
std::optional<GenerationSpeed> stored_generation(const std::map<std::string, double>& measurements);

/// In the order of timing: by seed, then by timing_order. Sheets measure at their own preregistered settings, so their
/// runs are left out. `experiment`: nullopt means all.
std::vector<RunId> runs_without_generation_speed(const LabFile& lab, const GenerationSpeed& settings,
                                                 std::optional<std::int64_t> experiment = std::nullopt);

/// Sequentially. Returns false if cancelled. `on_progress`: called with the number of measured runs after each run.
/// Throws BadInput if a setting is invalid or a checkpoint is missing.
bool measure_generations(LabFile& lab, const GenerationSpeed& settings, std::optional<std::int64_t> experiment,
                         const std::function<Engine&()>& engine, const std::function<bool()>& cancelled,
                         const std::function<void(std::int64_t)>& on_progress = {});

/// "Generation speed: 5 samples of 500 tokens per run, batch size 1, temperature 0.8, top_k 200, …"
std::string generation_words(const GenerationSpeed& settings);

/// A warning if the settings of the measured runs differ; "" if no run has a measured speed with settings.
std::string generation_note(const LabFile& lab);

}  // namespace ropelab
