#pragma once

#include <QLabel>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/reproduce/sheet_lab.h"
#include "ui/common/latest_job.h"

class QPushButton;
#include "ui/session/run_access.h"

namespace ropelab::ui {

class TextList;
class TextTable;

/// Shows what each theory predicted about the lab's sweeps before they began, and whether the prediction was right. A
/// button starts missing measurements. While the page is watched it is updated when the lab changes; loading and
/// measuring run on another thread.
class PredictionsPage : public QWidget {
    Q_OBJECT

 public:
    explicit PredictionsPage(RunAccess access, QWidget* parent = nullptr);

    /// One sweep, or all (ResultsChoices::kAllExperiments).
    void choose(std::int64_t experiment);
    const std::vector<SweepPredictions>& sweeps() const { return m_shown; }
    bool isEmpty() const { return m_shown.empty(); }

    void watch(bool on);
    void loadNow();
    bool isLoading() const { return m_loading.isRunning(); }

    /// Starts the missing measurements of the chosen sweeps; stops them if they are running.
    void measure();
    bool isMeasuring() const { return m_isMeasuring; }
    QPushButton& button() { return *m_button; }
    TextTable& table();
    /// The number of right predictions and the runs that are still to be measured.
    QString words() const { return m_words->text(); }

 signals:
    void changed();

 private:
    void scheduleLoad();
    void load();
    void setPredictions(std::vector<SweepPredictions> sweeps);
    void renew();
    std::int64_t endedRuns() const;

    RunAccess m_access;
    std::int64_t m_experiment = 0;
    std::vector<SweepPredictions> m_all;
    std::vector<SweepPredictions> m_shown;
    QString m_failure;          // why measuring stopped; "" if it did not fail
    std::int64_t m_known = -1;  // endedRuns() at the last load
    bool m_watched = false;
    bool m_stale = true;
    bool m_isMeasuring = false;
    QLabel* m_words;
    QPushButton* m_button;
    TextList* m_list;
    QTimer m_timer;
    LatestJob m_loading;  // the jobs are declared last, so that their threads end first
    LatestJob m_work;
};

}  // namespace ropelab::ui
