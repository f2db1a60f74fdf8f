#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/corpus.h"
#include "core/spec/probe.h"
#include "core/spec/run_spec.h"
#include "core/store/lab_file.h"

namespace ropelab::ui {

/// What a run's fixed probe batch showed after `iteration` steps. The numbers are shared, not copied.
struct Snapshot {
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> result;
};

/// A run as the Inspect room reads it: all its snapshots and its losses.
struct InsideRun {
    RunId id = 0;
    QString name;
    RunSpec spec;
    std::string vocabulary;  // Vocabulary::to_text, "" until the run has started
    std::filesystem::path checkpoint;
    bool wroteCheckpoint = false;     // once: it ended after a step, or was stopped
    std::vector<Snapshot> snapshots;  // by iteration, ascending
    QList<double> iterations;         // of its evaluations, ascending
    QList<double> validationLoss;     // nats, one each

    int colorIndex() const { return static_cast<int>(id - 1); }
    std::int64_t pairs() const { return spec.head_dim() / 2; }
    /// The newest snapshot at or before that iteration, else the first; null without any.
    const Snapshot* at(std::int64_t iteration) const;
    /// Puts a snapshot at its place; a newer one of its iteration stands.
    void take(Snapshot snapshot);
    /// Drops what was seen after that iteration.
    void cutBack(std::int64_t iteration);
    /// Symbols for people: spaces and line ends as signs; "?" where there is no vocabulary.
    QStringList symbols(std::span<const std::int32_t> tokens) const;
};

/// Reads a run with all its snapshots: milliseconds, so beside the window's thread. Throws BadInput, naming the runs
/// that the lab has, for one that it has not.
InsideRun readInsideRun(const LabFile& lab, RunId id);
/// The same for 0, the lab's first.
InsideRun readInsideRunOrFirst(const LabFile& lab, RunId id);

/// The numbers of one layer and head of a layers × heads × columns array. `layer` or `head` −1: the mean over them.
/// Groups of heads share their keys and values, so a query head's number is taken to its group. Empty where the array
/// is.
std::vector<double> meanRow(const ProbeArray& array, std::int64_t layer, std::int64_t head, std::int64_t heads);

}  // namespace ropelab::ui
