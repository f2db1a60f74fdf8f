#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/terminal/runs/probe_evaluations.h"
#include "core/study/ablation.h"

namespace ropelab::terminal {

/// Prints loss and retrieval accuracy against the number of ablated pairs, counted from the fastest and from the
/// slowest pair, with the controls. `controls`: number of controls per ablation.
void show_ablations(const ProbedRun& run, Ablation::Kind kind, std::int64_t controls);

/// Returns {"low": …, "high": …}, or null if there is no interval.
nlohmann::json json_of(const Interval95& interval);
/// Returns {"contribution": …, "draws": [{"pairs", "contribution", "loss", "accuracy"}, …]}.
nlohmann::json json_of(const AblationControls& controls);
/// Returns the controls of one ablation as lines of text; `whole`: the loss without ablation.
std::string text_of(const AblationControls& controls, double whole);
/// Returns a sentence with the numbers of sequences and tokens of the losses and accuracies, and an empty line.
std::string counts_of(const ProbeResult& result);

/// Returns the number right-aligned in a column of `width` characters, or a dash if it is not finite.
std::string cell(double value, int decimals, std::size_t width);
/// Throws std::runtime_error if a signal has interrupted the evaluation.
void end_if_interrupted();

}  // namespace ropelab::terminal
