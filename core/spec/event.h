#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

struct ProbeResult;  // core/spec/probe.h

/// Number that identifies a run: its number in the lab file (the file that stores experiments), or, without a lab file,
/// its number in the sweep, counted from 1.
using RunId = std::int64_t;

/// State of a run. A run ends as `finished`, `failed` or `stopped`; a stopped run can be resumed.
enum class RunState { waiting, running, paused, finished, failed, stopped };

/// Results of a run when it ends. Losses are in nats per token and NaN before the first evaluation.
struct RunSummary {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t iterations = 0;            // number of finished steps
    double best_validation_loss = unknown;  // lowest validation loss of all evaluations
    std::int64_t best_iteration = 0;        // iteration of the lowest validation loss
    double final_validation_loss = unknown;
    /// Loss over every non-overlapping sequence of the validation split after the last step; nullopt if the run ended
    /// early.
    std::optional<double> whole_validation_loss;
    double final_training_loss = unknown;
    /// Training time per run in seconds: the wall-clock training time of the cohort, without evaluations, divided by
    /// the number of its runs.
    double seconds = 0;
    /// Number of training tokens of the run divided by `seconds`.
    double tokens_per_second = 0;
    /// Generation speed of the trained model: the lab's measurement of this name, taken after training; NaN if it was
    /// not measured.
    double generated_tokens_per_second = unknown;
    /// Mean number of bytes of the validation split's tokens; NaN if it is unknown (older labs).
    double bytes_per_token = unknown;
    /// True if tokens are subwords or words, so that a loss per token is not a loss per character.
    bool subwords = false;
    /// Loss over every non-overlapping sequence of the test split after the last step; nullopt if the split has no test
    /// part or the run ended early. It is evaluated once, so that nothing is chosen by it.
    std::optional<double> test_loss = {};
};

/// Precision, device and CUDA graphs that were chosen when a run started for the first time. A resumed run uses them
/// again, so that its results are bit-identical to those of an uninterrupted run.
struct RunConditions {
    std::string precision;  // "float32" or "bfloat16"
    std::string device;     // "cpu" or "cuda"
    std::int64_t threads = 0;
    /// Sentence on why the precision was chosen, such as "bfloat16: 1.4 × as fast as float32 here.", and on why the
    /// device setting `auto` chose the CPU, if it did.
    std::string reason;
    /// Whether CUDA graphs are used, as to_text(DeviceTrust) formats it: "graphs" or "off". Earlier versions stored
    /// which CUDA kernels of their own they used: "all but norm". Empty on the CPU, and in lab files of versions that
    /// did not store it.
    std::string graphs = {};
    /// Clock that timed the run (to_text(TrainingClock)); empty for a run that resumed, and in lab files of versions
    /// that did not store it.
    std::string clock = {};
};

/// Returns the precision of a run that trained under these conditions.
inline Precision precision_of(const RunConditions& conditions) {
    return conditions.precision == "bfloat16" ? Precision::bfloat16 : Precision::float32;
}

/// Precision in which all runs with precision=auto of one experiment train, and why: "1.4 × as fast as float32 on this
/// machine.".
struct ExperimentPrecision {
    Precision precision = Precision::float32;
    std::string reason;
    bool operator==(const ExperimentPrecision&) const = default;
};
/// Returns the precision and the first sentence of the reason of the conditions that a cohort has chosen.
ExperimentPrecision experiment_precision(const RunConditions& conditions);

namespace event {

/// A cohort starts training, or resumes after `iteration` steps.
struct CohortStarted {
    std::vector<RunId> runs;
    std::int64_t iteration = 0;
    std::int64_t iterations = 0;
    RunConditions conditions;
    /// Mean number of bytes of the validation split's tokens, which the runs share; NaN if it is unknown.
    double bytes_per_token = RunSummary::unknown;
};

/// One training step of one run. Iterations are counted from 1. The gradient norm is measured before clipping.
struct Step {
    RunId run = 0;
    std::int64_t iteration = 0;
    double training_loss = 0;
    double gradient_norm = 0;
    double learning_rate = 0;
    double time = std::numeric_limits<double>::quiet_NaN();  // end of the step: seconds since 1970 (UTC); NaN: unknown
};

/// Losses of one run after `iteration` steps (0: before training), in nats per token.
struct Evaluated {
    RunId run = 0;
    std::int64_t iteration = 0;
    double training_loss = 0;
    double validation_loss = 0;
    double time = std::numeric_limits<double>::quiet_NaN();  // end of the evaluation, as in Step
};

/// Sample of text that a run generates after `iteration` steps.
struct Sampled {
    RunId run = 0;
    std::int64_t iteration = 0;
    std::string text;
};

/// Result of probing a run with its fixed probe batch after `iteration` steps. Copies of the event share the result.
struct Probed {
    RunId run = 0;
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
};

/// Progress of the sweep; at most ten of these events are published per second.
struct Progress {
    std::int64_t iteration = 0;   // finished steps of the current cohort
    std::int64_t iterations = 0;  // all steps of the current cohort
    int cohort = 1;               // number of the current cohort, counted from 1
    int cohorts = 1;              // number of cohorts of the sweep
    double done = 0;              // finished fraction of the whole sweep, 0 to 1
    double seconds = 0;           // time that the sweep has taken, without pauses
    /// Estimated remaining time of the sweep; NaN until some steps after the first have been measured.
    double seconds_left = std::numeric_limits<double>::quiet_NaN();
    double tokens_per_second = 0;  // training speed of all runs of the cohort together
    bool paused = false;
};

/// A run ends with the state `finished`, `failed` (`message` says why) or `stopped`.
struct RunEnded {
    RunId run = 0;
    RunState state = RunState::finished;
    std::string message;
    RunSummary summary;
};

/// The sweep ends with the state `finished`, `failed` (`message` says why) or `stopped`. Every Runner publishes this
/// event exactly once, as its last event.
struct SweepEnded {
    RunState state = RunState::finished;
    std::string message;
    /// Peak memory of training, in bytes. It includes the engine (LibTorch), but not the memory that the program used
    /// before training. 0 if the system does not report it.
    std::int64_t peak_memory_bytes = 0;
};

}  // namespace event

/// Event that a Runner publishes while it trains a sweep.
using Event = std::variant<event::CohortStarted, event::Step, event::Evaluated, event::Sampled, event::Probed,
                           event::Progress, event::RunEnded, event::SweepEnded>;

/// Returns the word for a state: "waiting", "running", "paused", "finished", "failed" or "stopped".
std::string to_string(RunState state);
/// Returns the state for a word that to_string(RunState) returns. Throws BadInput for any other word.
RunState run_state(const std::string& word);

}  // namespace ropelab
