#pragma once

#include <QObject>
#include <QString>
#include <string>
#include <vector>

#include "core/spec/event.h"
#include "core/spec/run_spec.h"
#include "core/store/lab_file.h"

namespace ropelab::ui {

/// What the user can do with the open lab and its runs from more than one place of the window. An action that fails
/// reports it with problem().
class SessionActions : public QObject {
    Q_OBJECT

 public:
    using QObject::QObject;

    /// Adds the experiment to the lab and starts training it.
    virtual void start() = 0;
    /// Starts a sweep that resumes these runs from their checkpoints.
    virtual void resumeRuns(const std::vector<RunId>& runs) = 0;
    /// Returns the runs that can be resumed with resumeRuns(): first those that had started, then those that waited,
    /// in the order of the queue. Empty while a sweep is active.
    virtual std::vector<RunId> unfinishedRuns() const = 0;
    /// Adds the experiment to the lab and its runs to the end of the queue; starts the sweep if none is active.
    virtual void enqueue() = 0;
    /// Removes a waiting cohort from the queue. Its runs are deleted from the lab if they have not trained a step (this
    /// can be undone); other runs stay in the lab as stopped.
    virtual void removeWaiting(std::int64_t cohort) = 0;
    /// Measures the time and memory of these cohorts on this machine. Does nothing while a sweep trains; starting a
    /// sweep stops the measurement.
    virtual void measure(std::vector<std::vector<RunSpec>> cohorts) = 0;
    /// Renames a run as an undoable step.
    virtual void renameRun(RunId id, const QString& name) = 0;
    /// Changes the note of a run as an undoable step.
    virtual void annotateRun(RunId id, const QString& note) = 0;
    /// Changes the colour or the pin of a setting as an undoable step named `text`.
    virtual void changeLook(const QString& text, const SettingLook& look) = 0;
    /// Gives a setting (RunView::setting) a name as an undoable step; "" removes it. Emits problem() if another setting
    /// of the lab's runs has this name.
    virtual void renameSetting(const std::string& setting, const QString& name) = 0;
    /// Deletes a run as an undoable step. Emits problem() instead if the run is training.
    virtual void deleteRun(RunId id) = 0;
    /// Opens the lab at `path`. Does not block: if a sweep is active, it is stopped first and the lab changes
    /// afterwards.
    virtual void openLab(const QString& path) = 0;

 signals:
    /// An operation failed. `sentence` says why; `id` identifies the message, for solved().
    void problem(const QString& id, const QString& sentence);
    /// The problem that was reported with this id no longer exists.
    void solved(const QString& id);
    /// The user asked to inspect `run`, and to compare it with the run `other` unless that is 0.
    void inspectAsked(ropelab::RunId run, ropelab::RunId other);
    /// The user asked to compare the rotary setup with that of `run`.
    void setupComparisonAsked(ropelab::RunId run);
};

}  // namespace ropelab::ui
