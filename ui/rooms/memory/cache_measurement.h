#pragma once

#include <QWidget>

#include "core/bench/benchmarks.h"
#include "ui/common/latest_job.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace ropelab::ui {

class ExperimentModel;

/// Measures the bytes of the KV cache while a model generates text, and shows them beside the formula. The model is
/// that of a run with a checkpoint, or one with random weights and the settings of the sweep. The engine works on
/// another thread; training has priority.
class CacheMeasurement : public QWidget {
    Q_OBJECT

 public:
    CacheMeasurement(RunAccess access, const ExperimentModel& experiment, QWidget* parent = nullptr);

    void measure();
    bool isMeasuring() const { return m_job.isRunning(); }
    QComboBox& choice() { return *m_choice; }
    QPushButton& button() { return *m_button; }
    QString words() const;

 private:
    void renewChoice();
    /// "" if the model can be measured.
    QString refusal() const;

    RunAccess m_access;
    const ExperimentModel& m_experiment;
    QComboBox* m_choice;
    QPushButton* m_button;
    QLabel* m_words;
    LatestJob m_job;  // declared last, so that its thread ends first
};

QString measuredCacheSentence(const QString& name, const RunSpec& spec, const bench::MeasuredCache& measured);

}  // namespace ropelab::ui
