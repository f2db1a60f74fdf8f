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

/// A run's number in its lab file; without a lab file, its number in the sweep from 1.
using RunId = std::int64_t;

/// Where a run stands. `finished`, `failed` and `stopped` are the three endings; a stopped run can be continued.
enum class RunState { waiting, running, paused, finished, failed, stopped };

/// What is known of a run when it ends. Losses in nats per symbol, NaN before the first evaluation.
struct RunSummary {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t iterations = 0;
    double best_validation_loss = unknown;
    std::int64_t best_iteration = 0;
    double final_validation_loss = unknown;
    /// Over every non-overlapping window of the validation split, at the end; nullopt where the run ended early.
    std::optional<double> whole_validation_loss;
    double final_training_loss = unknown;
    /// The run's share of its cohort's training time: wall-clock seconds, evaluations left out, over the cohort's runs.
    double seconds = 0;
    /// Trained symbols per second of that share.
    double tokens_per_second = 0;
};

/// What was measured or chosen when a run started first; used again on resume, so that a continued run keeps its bits.
struct RunConditions {
    std::string precision;  // "float32" or "bfloat16"
    std::string device;     // "cpu" or "cuda"
    std::int64_t threads = 0;
    /// How it was chosen: "bfloat16: 1.4 × as fast as float32 here." and, where `auto` took the processor, why.
    std::string reason;
    /// Which of the project's CUDA kernels train, in the words of core/spec/device_trust.h: "all", "off",
    /// "all but graphs, norm". Empty on the CPU, and in labs that were written before this was stored.
    std::string kernels = {};
};

/// What a run would ask for to be calculated so.
inline Precision precision_of(const RunConditions& conditions) {
    return conditions.precision == "bfloat16" ? Precision::bfloat16 : Precision::float32;
}

namespace event {

/// A cohort begins (or goes on from `iteration`).
struct CohortStarted {
    std::vector<RunId> runs;
    std::int64_t iteration = 0;
    std::int64_t iterations = 0;
    RunConditions conditions;
};

/// One iteration of one run. Iterations count from 1; the learning rate and the gradient norm are those of this step,
/// the norm before clipping.
struct Step {
    RunId run = 0;
    std::int64_t iteration = 0;
    double training_loss = 0;
    double gradient_norm = 0;
    double learning_rate = 0;
};

/// Losses of one run after `iteration` steps (0: before training).
struct Evaluated {
    RunId run = 0;
    std::int64_t iteration = 0;
    double training_loss = 0;
    double validation_loss = 0;
};

/// What a run writes after `iteration` steps.
struct Sampled {
    RunId run = 0;
    std::int64_t iteration = 0;
    std::string text;
};

/// What the run's fixed probe batch showed after `iteration` steps. The numbers are shared, not copied.
struct Probed {
    RunId run = 0;
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
};

/// How far the sweep is; at most ten a second.
struct Progress {
    std::int64_t iteration = 0;   // of the present cohort
    std::int64_t iterations = 0;  // of the present cohort
    int cohort = 1;               // from 1
    int cohorts = 1;
    double done = 0;  // of the whole sweep, 0 to 1
    double seconds = 0;
    double seconds_left = 0;
    /// Of all runs of the cohort together.
    double tokens_per_second = 0;
    bool paused = false;
};

/// A run ends: finished, failed (message says why) or stopped.
struct RunEnded {
    RunId run = 0;
    RunState state = RunState::finished;
    std::string message;
    RunSummary summary;
};

/// The sweep ends: finished, failed (message says why) or stopped. Always the last event of a Runner, exactly once.
struct SweepEnded {
    RunState state = RunState::finished;
    std::string message;
    /// Most memory that training took at any time, the engine itself included and the program without it left out; 0
    /// where the system does not tell.
    std::int64_t peak_memory_bytes = 0;
};

}  // namespace event

using Event = std::variant<event::CohortStarted, event::Step, event::Evaluated, event::Sampled, event::Probed,
                           event::Progress, event::RunEnded, event::SweepEnded>;

/// "waiting", "running", "paused", "finished", "failed", "stopped".
std::string to_string(RunState state);
/// The inverse. Throws BadInput for any other word.
RunState run_state(const std::string& word);

}  // namespace ropelab
