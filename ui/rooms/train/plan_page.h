#pragma once

#include <QFrame>
#include <QLabel>

#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "core/sweep/preview.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"
#include "ui/shell/notices/banners.h"

class QListWidget;
class QPushButton;
class QTreeWidget;

namespace ropelab::ui {

class ExperimentModel;
class SessionActions;

/// A table of the sweep's runs before it starts, grouped by cohort, with a column for each setting that differs. It
/// shows the estimated time and memory of each cohort, or measures them on request. The user can exclude runs.
class SweepPreview : public QFrame {
    Q_OBJECT

 public:
    SweepPreview(SessionActions& actions, RunAccess access, ExperimentModel& experiment, QWidget* parent = nullptr);

    /// Empty if the experiment is invalid.
    const Preview& preview() const { return m_preview; }
    /// "6 runs in 1 cohort, about 55 s, 180 MB (estimated)", or why the experiment is invalid.
    QString summary() const { return m_title->text(); }
    /// Warns of runs that repeat another run and of missing data sets; "" if there are none.
    QString notes() const { return m_notes->isHidden() ? QString() : m_notes->text(); }
    QTreeWidget& table() { return *m_table; }
    QPushButton& excludeButton() { return *m_exclude; }
    /// Duplicates would train exactly the same model as another run.
    void excludeDuplicates();
    /// Also excludes all runs with equal values of the settings that differ. Does nothing if no setting differs.
    void exclude(std::size_t run);

 public slots:
    /// Trains each cohort for a few steps on a background thread. Stops a measurement that is active.
    void measure();

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void renew();
    void fill();
    void fillCosts();
    void renewButton();
    void applyMeasurement(const Measurement& measurement);
    void openMenu(const QPoint& where);

    SessionActions& m_actions;
    RunAccess m_access;
    ExperimentModel& m_experiment;
    Preview m_preview;
    bool m_stale = true;      // the experiment changed while this view was hidden
    bool m_measures = false;  // the active measurement is of the sweep that is shown
    QLabel* m_title;
    QLabel* m_notes;
    QTreeWidget* m_table;
    QPushButton* m_measure;
    QPushButton* m_exclude;
};

/// "about 55 s, 180 MB (measured)", or "(estimated)" if not `measured`.
QString costText(double seconds, std::int64_t bytes, bool measured);

/// The cohorts that wait while another cohort trains, in the order in which they will train. The user can move or
/// remove the selected one.
class QueueView : public QFrame {
    Q_OBJECT

 public:
    QueueView(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    QListWidget& list() { return *m_list; }

 public slots:
    void moveEarlier() { move(-1); }
    void moveLater() { move(1); }
    void removePicked();

 private:
    void renew();
    void renewButtons();
    /// 0 if no cohort is selected.
    std::int64_t picked() const;
    void move(int by);
    QString textOf(const WaitingCohort& cohort) const;

    SessionActions& m_actions;
    RunAccess m_access;
    QListWidget* m_list;
    QPushButton* m_earlier;
    QPushButton* m_later;
    QPushButton* m_remove;
};

/// Reports runs of the lab that a program on another machine was training. This program cannot check whether it still
/// runs; a user who knows that it has ended can take the runs over and resume them.
class TakeOver : public BannerArea {
    Q_OBJECT

 public:
    TakeOver(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    const std::vector<ClaimedRun>& runs() const { return m_runs; }
    /// Resumes the unfinished ones of these runs, unless a sweep trains already.
    void takeOver();

 private:
    /// A large lab is read on another thread.
    void renew();
    void offer(std::vector<ClaimedRun> claimed);

    SessionActions& m_actions;
    RunAccess m_access;
    std::vector<ClaimedRun> m_runs;
    LatestJob m_job;
};

}  // namespace ropelab::ui
