#pragma once

#include "ui/common/text.h"
#include "ui/session/engine_lock.h"
#include "ui/session/lab_document.h"
#include "ui/session/run_store.h"
#include "ui/session/sweep_session.h"

namespace ropelab::ui {

/// Actions on the open lab and its runs from more than one place of the window. Failures are reported with problem().
class SessionActions : public QObject {
    Q_OBJECT

 public:
    using QObject::QObject;

    virtual void start() = 0;
    virtual void resumeRuns(const std::vector<RunId>& runs) = 0;
    /// First runs that had started, then those that waited, in the order of the queue. Empty while a sweep is active.
    virtual std::vector<RunId> unfinishedRuns() const = 0;
    /// Adds the experiment's runs to the end of the queue; starts the sweep if none is active.
    virtual void enqueue() = 0;
    /// Deletes the cohort's untrained runs from the lab (this can be undone); other runs stay as stopped.
    virtual void removeWaiting(std::int64_t cohort) = 0;
    /// Time and memory on this machine. Does nothing while a sweep trains; starting a sweep stops the measurement.
    virtual void measure(std::vector<std::vector<RunSpec>> cohorts) = 0;
    /// An undoable step, as the changes of notes, looks and names and the deletion.
    virtual void renameRun(RunId id, const QString& name) = 0;
    virtual void annotateRun(RunId id, const QString& note) = 0;
    /// Colour or pin of a setting; `text` names the step.
    virtual void changeLook(const QString& text, const SettingLook& look) = 0;
    /// `setting` is RunView::setting; "" removes its name. Emits problem() if another setting of the lab has this name.
    virtual void renameSetting(const std::string& setting, const QString& name) = 0;
    /// Emits problem() instead if the run is training.
    virtual void deleteRun(RunId id) = 0;
    /// Does not block: an active sweep is stopped first and the lab changes afterwards.
    virtual void openLab(const QString& path) = 0;

    /// Returns false and emits problem() with its message if `work` throws, else emits solved().
    bool attempt(const QString& id, const std::function<void()>& work) {
        const QString why = problemOf(work);
        why.isEmpty() ? emit solved(id) : emit problem(id, why);
        return why.isEmpty();
    }

 signals:
    /// `id` identifies the message, for solved().
    void problem(const QString& id, const QString& sentence);
    void solved(const QString& id);
    /// Compares with the run `other` unless that is 0.
    void inspectAsked(ropelab::RunId run, ropelab::RunId other);
    /// A sweep is about to begin; its runs replace those that the plots show.
    void starting();
    /// A sweep was asked for, but lacks_libtorch().
    void libTorchMissing();
    /// With the rotary setup of `run`.
    void setupComparisonAsked(ropelab::RunId run);
};

/// For a view that evaluates the checkpoints of the open lab's runs while nothing trains.
struct RunAccess {
    LabDocument& lab;
    RunStore& runs;
    SweepSession& session;
    SweepMeter& meter;
    EngineLock& engineLock;
    std::filesystem::path dataDir;
};

}  // namespace ropelab::ui
