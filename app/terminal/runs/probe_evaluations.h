#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/study/ablation.h"
#include "core/study/extrapolation.h"
#include "core/spec/event.h"

namespace ropelab::terminal {

// The flags of `probe` that evaluate a run's checkpoint several times: --ablation-curve
// (app/terminal/runs/ablation_output.h) and --extrapolate. They compute what the Inspect room shows, display progress, and
// print text or JSON. They throw BadInput for bad input and std::runtime_error if a signal interrupts them.

/// The run whose checkpoint is evaluated.
struct ProbedRun {
    RunId run = 0;
    Checkpoint checkpoint;
    std::filesystem::path data_dir;
    bool json = false;  // print JSON instead of text
};

/// The settings of `probe --extrapolate`: an evaluation of length extrapolation, before and optionally after
/// fine-tuning.
struct ExtrapolationFlags {
    std::int64_t factor = 4;                // evaluated length divided by the run's context
    std::optional<ScalingMethod> method;    // nullopt: every scaling method
    std::optional<std::int64_t> sequences;  // number of sequences; see evaluate_extrapolation
    std::optional<std::int64_t> steps;      // fine-tuning steps; nullopt: no fine-tuning
    double learning_rate = 0;               // learning rate of fine-tuning; 0: a tenth of the run's
    std::vector<double> long_factors;       // divisors of longrope; empty: a search finds them
};
/// Prints the loss inside and beyond the context, and the retrieval accuracy, per scaling method.
void show_extrapolation(const ProbedRun& run, const ExtrapolationFlags& flags);

/// The part of `probe --help` that describes the JSON keys of --ablation-curve and --extrapolate.
extern const char* const evaluation_keys;

}  // namespace ropelab::terminal
