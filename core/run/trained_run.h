#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/device_trust.h"
#include "core/contract/engine.h"
#include "core/contract/event.h"
#include "core/data/corpus.h"
#include "core/experiment/stopping_rule.h"
#include "core/run/checkpoint.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// Called on the runner's thread.
using EventSink = std::function<void(const Event&)>;

struct PlannedRun {
    RunId id = 0;
    RunSpec spec;
    /// Empty for none. If `resume` is true and the file exists, the run resumes from it.
    std::filesystem::path checkpoint;
    bool resume = false;
    /// Those of the run's first start, if it resumes.
    std::optional<RunConditions> conditions;
    /// A cohort of its own, because its time is compared: runs of a cohort are timed together.
    bool alone = false;
    std::int64_t experiment = 0;  // number of the run's experiment in the lab; 0 without a lab
    /// With halving, all runs of the experiment train in one cohort, which stops the worse half of the settings at each
    /// rung. Sequential designs decide between trainings which runs a lab gets.
    std::optional<StoppingRule> stopping = std::nullopt;
};

/// nullopt if the experiment has no precision yet and `measured` is nullopt too.
using SettlePrecision = std::function<std::optional<ExperimentPrecision>(
    const PlannedRun&, const std::optional<ExperimentPrecision>& measured)>;

struct Plan {
    std::vector<PlannedRun> runs;
    std::filesystem::path data_dir;
    /// On the runner's thread, before a run's first event; if it throws, the run does not train. `begins`: does not
    /// resume.
    std::function<void(const PlannedRun&, const Corpus&, bool begins)> on_corpus;
    /// On the runner's thread: measurements after `iteration` must be discarded, because they are made again.
    std::function<void(RunId, std::int64_t iteration)> on_discard_after;
    /// On the runner's thread. Must store all events so far, so that resumed curves have no gap; false: no checkpoint.
    std::function<bool()> before_checkpoint;
    SettlePrecision settle_precision = {};
};

struct WaitingCohort {
    std::int64_t id = 0;
    std::vector<RunId> runs;
    bool operator==(const WaitingCohort&) const = default;
};

/// The checkpoint from which it resumes, if any, has no tensors.
struct TrainedRun {
    PlannedRun plan;
    std::optional<Checkpoint> checkpoint;
    RunSummary summary;
    /// The cohort is then not split again (core/forecast/cohort_width.h).
    bool width_settled = false;
    std::string width_message = {};    // the explanation of that width for the user; may be empty
    std::string device_message = {};   // a message about the CUDA device for the user; may be empty
    std::string halving_message = {};  // halving_begins_anew, or empty
    int device_faults = 0;             // how often the run's CUDA device failed
    /// On the CUDA device after it failed; nullopt if it did not fail.
    std::optional<DeviceTrust> device_trust = {};
    /// They replace the original ones after the device failed or is no longer trusted.
    std::optional<RunConditions> moved = {};
    /// The experiment's, instead of precision=auto; nullopt before it is settled.
    std::optional<ExperimentPrecision> settled_precision = {};

    std::int64_t iteration() const { return checkpoint ? checkpoint->iteration : 0; }
    /// Those of the run's first start or planned for it; nullopt if not chosen yet.
    std::optional<RunConditions> conditions() const {
        if (moved) return moved;
        return checkpoint ? std::optional(checkpoint->conditions) : plan.conditions;
    }
    /// The run begins with precision=auto, so that its experiment decides.
    bool chooses_precision() const { return plan.spec.precision == Precision::automatic && !conditions(); }
    /// The same step, last evaluation and conditions; runs that choose a precision must be of one experiment.
    bool starts_like(const TrainedRun& other) const;
    bool is_at_step_of(const TrainedRun& other) const;
};

/// With the settled precision of their experiment, and its reason. States and step are not set.
CohortStart start_of(const std::vector<TrainedRun>& runs);
/// For runs that choose one; `measured` is the precision that their cohort has measured, if it has.
void settle_precision(const Plan& plan, std::vector<TrainedRun>& runs,
                      const std::optional<ExperimentPrecision>& measured = std::nullopt);
/// The first measurement of each experiment decides.
SettlePrecision settle_precision_in_memory();

/// The conditions of such runs contain it.
inline constexpr const char* halving_begins_anew =
    "The runs of this successive halving begin anew together, because their checkpoints are of different steps.";
/// A kill between the checkpoints of a cohort leaves its runs at different steps. Those of a halving then begin anew,
/// because a rung compares all of them.
void begin_halvings_together(std::vector<TrainedRun>& runs);

/// In parts of these sizes, whose sum is the number of runs.
std::vector<std::vector<TrainedRun>> in_parts(std::vector<TrainedRun> runs, const std::vector<std::size_t>& sizes);

/// Throws BadInput if the checkpoint exists but cannot be read.
TrainedRun prepare(const PlannedRun& run);

}  // namespace ropelab
