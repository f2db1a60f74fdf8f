#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/reproduce/sheet.h"
#include "core/spec/engine.h"
#include "core/store/lab_file.h"

namespace ropelab {

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
