#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/contract/probe.h"
#include "core/data/corpus.h"
#include "core/interop/model_steps.h"
#include "core/run/checkpoint.h"
#include "core/run/probing.h"
#include "core/settings/run_spec.h"
#include "core/store/lab_file.h"
#include "core/study/extrapolation.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Probe result on a fixed batch of sequences. Copies share the numbers.
struct Snapshot {
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
};

/// Newest snapshot of another run of the lab that differs only in its seed.
struct OtherSeed {
    RunId id = 0;
    std::int64_t seed = 0;
    Ink ink;
    Snapshot snapshot;
};

/// The checkpoints of a training of others, and what was measured of them so far. Any thread may use it.
class OpenedTraining {
 public:
    OpenedTraining(std::vector<ModelStep> steps, RunMetrics logged)
        : m_steps(std::move(steps)), m_logged(std::move(logged)) {}

    const std::vector<ModelStep>& steps() const { return m_steps; }
    /// Empty if its files have no losses.
    const RunMetrics& logged() const { return m_logged; }
    void add(const Snapshot& measured);
    /// In ascending order of the step.
    std::vector<Snapshot> measured() const;

 private:
    std::vector<ModelStep> m_steps;
    RunMetrics m_logged;
    mutable std::mutex m_mutex;
    std::map<std::int64_t, Snapshot> m_measured;  // by step
};

/// A run of a lab, or a model that others trained (core/interop/external_model.h), whose id is not above 0
/// and whose `spec` has only sizes.
struct InsideRun {
    RunId id = 0;
    QString name;
    RunSpec spec;
    ModelPlan plan;
    Ink ink;                 // as in every room
    std::string vocabulary;  // as Vocabulary::to_text() returns it; "" until the run has started
    RunCheckpoint checkpoint;
    std::vector<Snapshot> snapshots;                  // in ascending order of the step
    std::vector<OtherSeed> otherSeeds;                // in the order of the lab, at most 20
    QList<double> iterations;                         // steps of the evaluations, ascending
    QList<double> validationLoss;                     // one per evaluation, in nats per token
    std::vector<ExtrapolationResult> extrapolations;  // that the lab stores
    /// Of an opened folder of checkpoints, whose last one is `checkpoint`; null for another model and for a run.
    std::shared_ptr<OpenedTraining> training = nullptr;
    /// A run of a lab that another program trained: only its curves and measurements are known.
    bool isImported = false;

    /// Per head.
    std::int64_t pairs() const { return pairs_of(plan); }
    bool isOpened() const { return checkpoint.external != nullptr; }
    /// False for a model of one moment.
    bool hasSteps() const { return isOpened() ? training != nullptr : !isImported; }
    /// False for a gated DeltaNet layer.
    bool hasWeights(std::int64_t layer) const {
        return plan.layers.at(static_cast<std::size_t>(layer)).scores() != nullptr;
    }
    /// Of the snapshots and evaluations; −1 if the run has none.
    std::int64_t lastKnownStep() const;
    /// The newest snapshot at or before this step, else the first one; null if there are no snapshots.
    const Snapshot* snapshotAt(std::int64_t iteration) const;
    bool hasSnapshot(std::int64_t step) const {
        return std::ranges::binary_search(snapshots, step, {}, &Snapshot::iteration);
    }
    /// In the order of steps; replaces an existing one of the same step.
    void addSnapshot(Snapshot snapshot);
    void truncateAfter(std::int64_t iteration);
    /// "step 50: run"; "model on text" for an opened model, after "step 50: " if it has steps.
    QString at(std::int64_t step) const;
    /// "the run … after 50 steps", "the model … on …".
    QString words(std::int64_t step) const;
    QStringList tokenTexts(std::span<const std::int32_t> tokens) const;
};

/// As Vocabulary::to_text(), with visible signs for spaces, tabs and line ends; each "?" without a vocabulary.
QStringList visibleTokens(const std::string& vocabulary, std::span<const std::int32_t> tokens);

/// Takes milliseconds: call it outside the window's thread. Throws BadInput, with the lab's runs, for an unknown id.
InsideRun readInsideRun(const LabFile& lab, RunId id);
/// Without snapshots, as those of a run that has not trained. Reads the headers of its files: takes milliseconds to
/// seconds. Throws BadInput as external_run does.
InsideRun openModel(const QString& path, const QString& text, const std::filesystem::path& dataDir);
/// Id 0 selects the lab's first run. Throws BadInput if the lab has no such run.
InsideRun readInsideRunOrFirst(const LabFile& lab, RunId id);

/// One layer and head of an array of layers × heads × columns; −1 selects the mean over layers or heads. `heads` is the
/// number of query heads; with fewer heads in the array (grouped-query attention), `head` is mapped to its group.
/// Layers without these numbers (gated DeltaNet) are left out of a mean. Empty if the array is empty or no selected
/// layer has numbers.
std::vector<double> meanRow(const ProbeArray& array, std::int64_t layer, std::int64_t head, std::int64_t heads);

}  // namespace ropelab::ui
