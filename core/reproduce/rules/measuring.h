#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/forecast/time_model.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/sheet.h"
#include "core/run/checkpoint.h"
#include "core/spec/engine.h"
#include "core/store/lab_file.h"

namespace ropelab {

// Names of the measurements that a lab stores for the runs of a sheet.

/// Generation speed of the trained model in tokens per second: mean over the plan's samples (batch size 1, the prompt
/// is the newline or the first token of the vocabulary).
inline constexpr const char* generated_per_second = "generated_tokens_per_second";
/// Number of operations (Engine::count_operations) per training step, and per generated token after the first, without
/// CUDA graphs. NaN if the engine does not count operations.
inline constexpr const char* operations_per_training_step = "operations_per_training_step";
inline constexpr const char* operations_per_token = "operations_per_generated_token";
/// Loss at the longest of the plan's extensions minus the loss at the context, in nats per token; both on the same
/// beginning of the validation split.
inline constexpr const char* extension_rise = "extension_rise";
/// Largest number of validation tokens for the losses at longer contexts (extensions); enough for a few hundred
/// sequences.
inline constexpr std::int64_t extension_tokens = 32768;
/// 1 if the training loss spiked (first_spike), else 0; NaN if the run failed for another reason.
inline constexpr const char* spiked = "spiked";
/// 1 if the training loss spiked within the first `early` of the run's steps, else 0; NaN if the run failed for another
/// reason.
inline constexpr const char* spiked_early = "spiked_early";
/// Norm of the gradient of the last block's MLP at the first training step (ProbeResult::gradient_norm of the snapshot
/// at step 1), and its quotient by that of the first block. NaN if the run has no such snapshot.
inline constexpr const char* first_gradient_at_end = "first_gradient_of_last_mlp";
inline constexpr const char* first_gradient_ratio = "first_gradient_ratio";
/// Increase of the smoothed training loss over its previous minimum that counts as a spike, in nats per token.
inline constexpr double spike_nats = 0.5;
/// Fraction of a run's steps that counts as early.
inline constexpr double early = 0.2;
/// Returns the name of the loss at a multiple of the context: "loss_at_2x".
std::string loss_at(std::int64_t times);
/// Returns the name of the retrieval gain at a lag (see RetrievalRule): "retrieval_gain_at_lag_16". It is measured on
/// sequences of the context's length from the validation split; NaN if the split is too short.
std::string retrieval_gain(std::int64_t lag);
/// Returns the name of the standard error of the retrieval gain at a lag (RetrievalPoint::gain_standard_error):
/// "retrieval_gain_error_at_lag_16".
std::string retrieval_gain_error(std::int64_t lag);
/// Measure of a prediction whose groups are tested at lags of their own (RetrievalRule::probes).
inline constexpr const char* retrieval_gains = "retrieval_gain";
/// Returns the lags at which the plan measures a run's retrieval, ascending: those of retrieval_grid and of the
/// predictions' probes for the run's group. Empty if the context is too short.
std::vector<std::int64_t> measured_lags(const SheetPlan& plan, const RunSpec& spec);

/// Returns whether the plan measures the retrieval of this run, because a prediction with a retrieval rule concerns its
/// group.
bool measures_retrieval(const SheetPlan& plan, const RunSpec& spec);

/// Returns the step of the first loss spike, or nullopt if there is none. A spike is a loss or gradient that is not
/// finite, or, after the warm-up, a smoothed loss (weight 0.9, formula 36) more than spike_nats above its previous
/// minimum. The loss is smoothed because with small batches it varies by more than that from batch to batch.
std::optional<std::int64_t> first_spike(const RunMetrics::Steps& steps, std::int64_t warmup);

/// Returns the number of ended runs that still lack a measurement of the plan.
std::int64_t unmeasured_runs(const SheetPlan& plan, std::span<const SheetRun> runs);

/// Returns the work of the measurements that follow the training of one run: generated samples, the loss beyond the
/// context, and retrieval.
PartWork measuring_work(const SheetPlan& plan, const RunSpec& spec);

/// Measures every ended run of the experiment that lacks a measurement of the plan, and stores the values in the lab.
/// For failed runs only spikes are measured. Runs are measured seed by seed, and within a seed by timing_order, so that
/// a disturbance or drift of the machine affects all groups. `engine` is called when it is first needed, `cancelled`
/// between samples. Returns false if cancelled. Throws BadInput if a checkpoint or a data set is missing, or if a data
/// set's tokens have changed.
bool measure_runs(LabFile& lab, std::int64_t experiment, const SheetPlan& plan, const std::filesystem::path& data_dir,
                  const std::function<Engine&()>& engine, const std::function<bool()>& cancelled);

/// Sample standard deviation of a run's generation speed over its repetitions, in tokens per second; NaN for one
/// repetition. The other names are those of the settings: samples, length, temperature and top_k of GenerationSpeed,
/// and 1 if the mode is `rolling`, else 0.
inline constexpr const char* generated_per_second_std = "generated_tokens_per_second_std";
inline constexpr const char* generation_samples = "generation_samples";
inline constexpr const char* generation_length = "generation_length";
inline constexpr const char* generation_temperature = "generation_temperature";
inline constexpr const char* generation_top_k = "generation_top_k";
inline constexpr const char* generation_rolling = "generation_rolling";

/// Default settings of the generation speed of a sweep: the theta paper's samples, length, temperature and
/// top_k.
inline constexpr GenerationSpeed sweep_generation = {.samples = 10, .length = 500, .temperature = 0.8, .top_k = 200};

/// Times the generation of `settings.samples` samples by a trained model (batch size 1, the prompt is the first token
/// of the vocabulary), after one sample as warm-up. Stores mean, standard deviation and settings in the lab. Returns
/// false and stores nothing if `cancelled` returned true. Throws BadInput if a setting is invalid.
bool measure_generation(LabFile& lab, RunId id, Engine& engine, const Checkpoint& checkpoint,
                        const GenerationSpeed& settings, const std::function<bool()>& cancelled);

/// Returns the settings of a run's generation speed from its measurements; nullopt if they are not stored.
std::optional<GenerationSpeed> stored_generation(const std::map<std::string, double>& measurements);

/// Returns the finished runs whose generation speed is not measured at these settings, in the order in which they are
/// timed: by seed, and within a seed by timing_order. A sheet that measures the generation speed does so at its own
/// preregistered settings, so its runs are left out. `experiment`: id of an experiment; nullopt: all experiments.
std::vector<RunId> runs_without_generation_speed(const LabFile& lab, const GenerationSpeed& settings,
                                                 std::optional<std::int64_t> experiment = std::nullopt);

/// Measures the generation speed of all runs of runs_without_generation_speed, sequentially. Returns false if
/// cancelled. `on_progress`: called with the number of measured runs after each run. Throws BadInput if a setting is
/// invalid or a checkpoint is missing.
bool measure_generations(LabFile& lab, const GenerationSpeed& settings, std::optional<std::int64_t> experiment,
                         const std::function<Engine&()>& engine, const std::function<bool()>& cancelled,
                         const std::function<void(std::int64_t)>& on_progress = {});

/// Returns one sentence with the settings: "Generation speed: 5 samples of 500 tokens per run, batch size 1,
/// temperature 0.8, top_k 200, mode recompute, after a warm-up."
std::string generation_words(const GenerationSpeed& settings);

/// Returns generation_words for the measured runs, or a warning if their settings differ; "" if no run has a measured
/// speed with settings.
std::string generation_note(const LabFile& lab);

}  // namespace ropelab
