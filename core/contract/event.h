#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

struct ProbeResult;  // core/contract/probe.h

/// Number of a run in the lab file or, without a lab file, in the sweep, counted from 1.
using RunId = std::int64_t;

/// A run ends as `finished`, `failed` or `stopped`; a stopped run can be resumed.
enum class RunState { waiting, running, paused, finished, failed, stopped };

/// Losses are in nats per token and NaN before the first evaluation.
struct RunSummary {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t iterations = 0;            // number of finished steps
    double best_validation_loss = unknown;  // lowest validation loss of all evaluations
    std::int64_t best_iteration = 0;        // iteration of the lowest validation loss
    double final_validation_loss = unknown;
    /// Over every non-overlapping sequence, after the last step; nullopt if the run ended early.
    std::optional<double> whole_validation_loss;
    double final_training_loss = unknown;
    /// Wall-clock training time of the cohort, without evaluations, divided by the number of its runs.
    double seconds = 0;
    /// Training tokens divided by `seconds`.
    double tokens_per_second = 0;
    /// The lab's measurement of this name, taken after training; NaN if it was not measured.
    double generated_tokens_per_second = unknown;
    /// Mean over the validation split's tokens; NaN if unknown (older labs).
    double bytes_per_token = unknown;
    /// True if tokens are subwords or words, so that a loss per token is not a loss per character.
    bool subwords = false;
    /// Over every non-overlapping sequence, after the last step; nullopt if the split has no test part or the run ended
    /// early. It is evaluated once, so that nothing is chosen by it.
    std::optional<double> test_loss = {};
};
/// Whether a loss is the best so far; `best` is NaN if there was none yet. A loss that is not finite never is.
inline bool improves(double best, double loss) {
    return std::isfinite(loss) && !(best <= loss);
}

/// Chosen when a run started for the first time. A resumed run uses them again, so that its results are bit-identical.
struct RunConditions {
    std::string precision;  // "float32" or "bfloat16"
    std::string device;     // "cpu" or "cuda"
    std::int64_t threads = 0;
    /// Reason for the precision, "bfloat16: 1.4 × as fast as float32 here.", and for the CPU with device=auto.
    std::string reason;
    /// As to_text(DeviceTrust) formats it; earlier versions stored their own CUDA kernels ("all but norm"). Empty on
    /// the CPU, and in lab files of versions that did not store it.
    std::string graphs = {};
    /// to_text(TrainingClock); empty for a run that resumed, and in lab files of earlier versions.
    std::string clock = {};
};

inline Precision precision_of(const RunConditions& conditions) {
    return conditions.precision == "bfloat16" ? Precision::bfloat16 : Precision::float32;
}

/// Precision of all runs with precision=auto of one experiment, and why: "1.4 × as fast as float32 on this machine.".
struct ExperimentPrecision {
    Precision precision = Precision::float32;
    std::string reason;
    bool operator==(const ExperimentPrecision&) const = default;
};
/// Takes the first sentence of the reason.
ExperimentPrecision experiment_precision(const RunConditions& conditions);

namespace event {

struct CohortStarted {
    std::vector<RunId> runs;
    std::int64_t iteration = 0;
    std::int64_t iterations = 0;
    RunConditions conditions;
    /// Mean over the validation split's tokens, which the runs share; NaN if unknown.
    double bytes_per_token = RunSummary::unknown;
};

/// Iterations are counted from 1. The gradient norm is measured before clipping.
struct Step {
    RunId run = 0;
    std::int64_t iteration = 0;
    double training_loss = 0;
    double gradient_norm = 0;
    double learning_rate = 0;
    double time = std::numeric_limits<double>::quiet_NaN();  // end of the step: seconds since 1970 (UTC); NaN: unknown
};

/// After `iteration` steps (0: before training), in nats per token.
struct Evaluated {
    RunId run = 0;
    std::int64_t iteration = 0;
    double training_loss = 0;
    double validation_loss = 0;
    double time = std::numeric_limits<double>::quiet_NaN();  // end of the evaluation, as in Step
};

struct Sampled {
    RunId run = 0;
    std::int64_t iteration = 0;
    std::string text;
};

/// Copies of the event share the result.
struct Probed {
    RunId run = 0;
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
};

/// At most ten per second.
struct Progress {
    std::int64_t iteration = 0;   // finished steps of the current cohort
    std::int64_t iterations = 0;  // all steps of the current cohort
    int cohort = 1;               // number of the current cohort, counted from 1
    int cohorts = 1;              // number of cohorts of the sweep
    double done = 0;              // finished fraction of the sweep, 0 to 1; steps before a resume count
    double seconds = 0;           // time that the sweep has taken, without pauses
    /// An estimate; NaN until some steps after the first have been measured.
    double seconds_left = std::numeric_limits<double>::quiet_NaN();
    double tokens_per_second = 0;  // training speed of all runs of the cohort together
    bool paused = false;
    /// What precedes the first step of the cohort: "loading the training engine"; "" afterwards.
    std::string phase = {};
};

/// `message` says why a run failed.
struct RunEnded {
    RunId run = 0;
    RunState state = RunState::finished;
    std::string message;
    RunSummary summary;
};

/// `message` says why it failed. Every Runner publishes this event exactly once, as its last event.
struct SweepEnded {
    RunState state = RunState::finished;
    std::string message;
    /// Engine included, but without what the program used before training; 0 if the system does not report it.
    std::int64_t peak_memory_bytes = 0;
};

}  // namespace event

using Event = std::variant<event::CohortStarted, event::Step, event::Evaluated, event::Sampled, event::Probed,
                           event::Progress, event::RunEnded, event::SweepEnded>;

std::string to_string(RunState state);
/// Throws BadInput for an unknown word.
RunState run_state(const std::string& word);

}  // namespace ropelab
