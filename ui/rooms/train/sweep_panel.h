#pragma once

#include <QFrame>
#include <QLabel>
#include <functional>
#include <optional>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/forecast/estimate.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"

class QComboBox;
class QSpinBox;
class QGridLayout;
class QPushButton;
class QScrollArea;

namespace ropelab::ui {

class ChipListEdit;
class DataOffer;
class ExperimentModel;
class KeyField;
class SearchGroup;
class SessionActions;

/// Edits the experiment of the workspace: the most important settings at the top, all others behind "More settings",
/// the estimated time and memory and the Start button at the bottom.
class SweepPanel : public QFrame {
    Q_OBJECT

 public:
    SweepPanel(SessionActions& actions, RunAccess access, ExperimentModel& experiment, QWidget* parent = nullptr);

    /// Runs, time and memory, with the effect of a considered change ("6 runs → 12 runs, …"), or why the sweep cannot
    /// start.
    QString estimateText() const { return m_problem->isHidden() ? m_estimate->text() : m_problem->text(); }
    /// The power before training; "" for fewer than two settings or seeds.
    QString powerText() const;
    bool isBusy() const { return m_powerJob.isRunning(); }
    QComboBox* stopping() const { return m_stop; }
    QSpinBox* largestSeeds() const { return m_cap; }
    DataOffer& dataOffer() const { return *m_data; }
    SearchGroup& search() const { return *m_search; }
    void setMoreShown(bool shown);
    /// Updates the button "Show runs and queue" / "Show curves".
    void setPlanShown(bool shown);

 signals:
    void planAsked(bool shown);

 private:
    QWidget* makeSimple();
    QWidget* makeMore();
    QWidget* makeFooter();
    void addCombining(QGridLayout* grid);
    /// The values of a setting.
    ChipListEdit* addSwept(QGridLayout* grid, const char* key, const QString& title, QString (*parse)(const QString&),
                           QString (*display)(const QString&), const QStringList& suggestions, const QString& why);
    void addChips(QGridLayout* grid, const QString& title, ChipListEdit* edit, const QString& why);
    /// Whether the number of seeds is fixed, and its largest value if it is not.
    void addStopping(QGridLayout* grid);
    void adoptStopping();
    void renew();
    void renewEstimate();
    /// What the comparisons can show, on a background thread.
    void renewPower();
    /// Shows in the estimate what a change would do to the sweep, before the user makes it.
    void consider(const std::function<void(Experiment&)>& change);
    void stopConsidering() {
        if (m_considering) renewEstimate();
    }
    void considerFor(KeyField* field);
    void pickPreset(int index);

    SessionActions& m_actions;
    RunAccess m_access;
    ExperimentModel& m_experiment;
    QScrollArea* m_area;
    QComboBox* m_preset;
    bool m_wasIdle = true;  // no sweep was active at the last renewEstimate()
    ChipListEdit* m_runs;
    ChipListEdit* m_theta;
    ChipListEdit* m_fraction;
    ChipListEdit* m_seed;
    QComboBox* m_stop;
    QSpinBox* m_cap;
    QLabel* m_power;
    std::string m_powerAsked;  // what the power depends on, at the last time it was asked for
    QPushButton* m_moreButton;
    QWidget* m_more;
    QLabel* m_estimate;
    QLabel* m_problem;
    DataOffer* m_data;
    QPushButton* m_plan;
    QPushButton* m_start;
    SearchGroup* m_search;
    ChipListEdit* m_zips;
    ChipListEdit* m_exclusions;
    QPushButton* m_continue;
    std::optional<Estimate> m_now;  // of the experiment as it is; nullopt if it is not valid
    bool m_considering = false;     // the estimate shows a change that the user considers
    LatestJob m_powerJob;           // declared last so that it ends first
};

/// "6 runs in about 55 s, 180 MB".
QString estimateSentence(const Estimate& cost);
/// Uses the times of earlier sweeps on this machine (machine_time_model). Throws BadInput if the data of a run are
/// unknown.
QString estimateSentence(const std::vector<RunSpec>& runs, const std::filesystem::path& dataDir);

}  // namespace ropelab::ui
