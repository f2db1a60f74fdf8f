#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/stats/sequential.h"
#include "core/store/lab_file.h"
#include "core/sweep/search.h"

class QUndoStack;

namespace ropelab::ui {

struct SweepOptions {
    std::optional<Search> search = std::nullopt;  // samples ranges of settings, or stops runs at rungs
    bool extends = false;                         // only the runs that the lab lacks are added
    bool anew = false;                            // added runs with more iterations begin from the beginning
    /// Seeds are added until the comparisons are settled. The experiment lists the first seeds of their order.
    std::optional<SequentialDesign> stopping = std::nullopt;
    bool operator==(const SweepOptions&) const = default;

    bool samples(std::string_view key) const { return search && search->samples_key(key); }
};

/// Reason why a sweep that extends a lab adds nothing.
inline constexpr const char* kNoRunIsMissing =
    "The lab already has all runs of this sweep, so there is nothing to add; add a value, a seed or iterations to the "
    "sweep.";

/// With the samples of the search and all seeds of the stopping rule. `search`, if given, receives the search with its
/// first rung. Throws BadInput if the search or the rule does not fit.
Experiment sampledExperiment(const Experiment& experiment, const SweepOptions& options, Search* search = nullptr);

/// `lab` may be null. A run that continues a shorter one has only the remaining iterations. With a stopping rule, the
/// runs of its first look. Throws BadInput if there is
/// no such sweep, and if the sweep extends a lab that has all its runs.
std::vector<RunSpec> runsToTrain(const Experiment& experiment, const SweepOptions& options, const LabFile* lab);

/// The experiment that the sweep panel edits and that the Start button trains.
class ExperimentModel : public QObject {
    Q_OBJECT

 public:
    /// Edits go onto the stack `undo`.
    ExperimentModel(Experiment first, QUndoStack* undo, QObject* parent = nullptr);

    const Experiment& value() const { return m_value; }
    /// Search and extension.
    const SweepOptions& options() const { return m_options; }
    /// The experiment before the user's edits: that of the open lab, or the first one.
    const Experiment& original() const { return m_original; }

    /// One undoable step named `text` ("add θ 1M"). If `edit` throws (BadInput), the experiment stays unchanged.
    void edit(const QString& text, const std::function<void(Experiment&)>& edit) {
        editOptions(text, [&edit](Experiment& experiment, SweepOptions&) { edit(experiment); });
    }
    void editOptions(const QString& text, const std::function<void(Experiment&, SweepOptions&)>& edit);
    /// Adds no undo step, because a lab was opened.
    void replace(const Experiment& value, const SweepOptions& options = {});

 signals:
    void changed();

 private:
    class Edit;
    void set(const Experiment& value, const SweepOptions& options);

    Experiment m_value;
    SweepOptions m_options;
    Experiment m_original;
    QUndoStack* m_undo;
};

}  // namespace ropelab::ui
