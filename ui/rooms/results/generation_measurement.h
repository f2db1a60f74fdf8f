#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"

class QPushButton;

namespace ropelab::ui {

/// Measures the generation speed of the finished runs whose speed is not known, with a text on its progress. The engine
/// measures the runs one after another on another thread; the button then stops the measurement. Completed runs are
/// saved in the lab. It refuses with a sentence while a sweep trains and for a read-only lab.
class GenerationMeasurement : public QWidget {
    Q_OBJECT

 public:
    explicit GenerationMeasurement(RunAccess access, QWidget* parent = nullptr);

    /// One experiment, or all (ResultsChoices::kAllExperiments).
    void choose(std::int64_t experiment) { m_experiment = experiment; }
    void toggle();
    bool isMeasuring() const { return m_isMeasuring; }
    QPushButton& button() { return *m_button; }
    /// Progress, or why nothing was measured.
    QString words() const { return m_words->text(); }

 signals:
    /// Speeds were saved in the lab, so that the runs must be read again.
    void measured();

 private:
    void start();
    void stop(const QString& words);
    void finish(const QString& problem, bool interrupted);
    void setWords(const QString& words);
    /// "" if the runs can be measured.
    QString refusal() const;

    RunAccess m_access;
    std::int64_t m_experiment = 0;
    std::int64_t m_done = 0;
    std::int64_t m_runs = 0;
    bool m_isMeasuring = false;
    QPushButton* m_button;
    QLabel* m_words;
    LatestJob m_work;  // declared last, so that its thread ends first
};

}  // namespace ropelab::ui
