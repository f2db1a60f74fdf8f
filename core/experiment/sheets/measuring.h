#pragma once

#include <functional>
#include <span>

#include "core/experiment/sheets/evaluate.h"
#include "core/spec/engine.h"
#include "core/store/lab_file.h"

namespace ropelab {

// What sheets measure of a run besides its summary, kept in the lab under these names.

/// Symbols a second that the trained model writes, the mean over a plan's samples (batch 1, a newline or the first
/// symbol to begin with).
inline constexpr const char* written_per_second = "written_symbols_per_second";
/// Operations (Engine::count_operations) that a training step of the run starts, and that each further generated token
/// starts, without CUDA graphs. NaN where the engine does not count.
inline constexpr const char* operations_of_step = "operations_of_a_training_step";
inline constexpr const char* operations_of_symbol = "operations_of_a_written_symbol";
/// How much higher the loss is at the longest of a plan's extensions than at the context, in nats per symbol, over the
/// same beginning of the validation split.
inline constexpr const char* extension_rise = "extension_rise";
/// Of the validation split; enough for a few hundred windows, and the same symbols at every length.
inline constexpr std::int64_t extension_symbols = 32768;
/// 1 where the training loss spiked (first_spike), else 0; NaN where the run failed for another reason.
inline constexpr const char* spiked = "spiked";
/// The same of a spike within the first `early` of the run's steps.
inline constexpr const char* spiked_early = "spiked_early";
inline constexpr double spike_nats = 0.5;
inline constexpr double early = 0.2;
/// "loss_at_2x": at a multiple of the context.
std::string loss_at(std::int64_t times);
/// "retrieval_gain_at_lag_16": as RetrievalRule has it, of every lag in windows of the context's length from the
/// validation split; NaN where that is too short.
std::string retrieval_gain(std::int64_t lag);

/// Whether a plan measures the retrieval of such a run: whether it is of a group of which a prediction says whether it
/// fails in it.
bool measures_retrieval(const SheetPlan& plan, const RunSpec& spec);

/// The step of the first spike: a loss or gradient that is not finite, where a run ends as diverged, or after the
/// warm-up a smoothed loss (weight 0.9, F36) of more than spike_nats over its lowest before. Smoothed, because with few
/// windows a step the loss goes up and down by more than that with the text alone. nullopt without any.
std::optional<std::int64_t> first_spike(const RunMetrics::Steps& steps, std::int64_t warmup);

/// How many of a sheet's runs have ended without what measure_runs will measure of them.
std::int64_t unmeasured_runs(const SheetPlan& plan, std::span<const SheetRun> runs);

/// Measures what a plan asks for of every finished run of its experiment that lacks it, seed by seed, so that a
/// disturbance of the machine meets all groups, and keeps it in the lab; spikes of runs that failed, too. `engine` is
/// asked for once it is needed; `cancelled` between samples. Returns false where cancelled. Throws BadInput where a
/// checkpoint or a text is not there any more, and where a text has other symbols by now.
bool measure_runs(LabFile& lab, std::int64_t experiment, const SheetPlan& plan, const std::filesystem::path& data_dir,
                  const std::function<Engine&()>& engine, const std::function<bool()>& cancelled);

}  // namespace ropelab
