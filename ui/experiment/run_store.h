#pragma once

#include <QObject>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"
#include "core/store/lab_file.h"
#include "ui/experiment/event_queue.h"

namespace ropelab::ui {

/// What the window knows of one run.
struct RunView {
    RunRecord record;
    RunSpec spec;
    std::optional<event::Evaluated> last;  // its newest evaluation
    std::optional<event::Evaluated> best;  // the one with the lowest validation loss
    RunMetrics::Evaluations evaluations;   // all of them
    QString sample;                        // what it wrote last
    std::int64_t sampleIteration = 0;
    bool visible = true;

    /// The run's colour and dash pattern, the same in every room and whatever runs are deleted.
    int colorIndex() const { return static_cast<int>(record.id - 1); }
};

/// The runs of the lab as the window shows them: read from the file once, then kept up to date by what is delivered.
/// The steps of a run are too many to be kept here: who draws them takes them while reloaded() is told.
class RunStore : public QObject {
    Q_OBJECT

 public:
    explicit RunStore(QObject* parent = nullptr);

    const std::vector<RunView>& runs() const { return m_runs; }
    /// Null for a run that is not there (deleted while its events were on the way).
    const RunView* find(RunId id) const;

    /// What the file has of a run that was not there before. Only while reloaded() is told, else null: each run is read
    /// once, whoever wants its steps.
    const RunMetrics* arrived(RunId id) const;

    /// Reads the runs anew. Those of the latest experiment are visible, and those that were visible before.
    void reload(const LabFile* file, bool keepVisibility);
    void apply(const std::vector<Delivery>& deliveries);
    void setVisible(RunId id, bool visible);
    /// Takes states, summaries and names from the file, as when a sweep has ended and all is recorded.
    void refreshRecords(const LabFile& file);

 signals:
    /// Runs were added or removed.
    void reloaded();
    /// A run's state, losses or sample changed.
    void runChanged(ropelab::RunId id);
    /// A run was hidden or is shown again.
    void visibilityChanged(ropelab::RunId id);

 private:
    RunView* entry(RunId id);
    std::vector<RunView> m_runs;
    std::map<RunId, RunMetrics> m_arrived;
};

}  // namespace ropelab::ui
