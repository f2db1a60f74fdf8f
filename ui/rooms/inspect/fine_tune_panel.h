#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include "core/study/extrapolation.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

struct FineTuneState {
    bool hasRun = false;  // a run is selected
    QString trainingRun;  // name of the run whose copy is being trained; "" if there is none
    QString refusal;      // why fine-tuning with these settings cannot start; "" if it can
    QString problem;      // why the last fine-tuning of the run failed; "" if it did not
    QStringList results;  // losses before and after earlier fine-tunings, one line each
};

/// Settings of fine-tuning a copy of a run, a button that starts or cancels it, and its progress and results.
class FineTunePanel : public QWidget {
    Q_OBJECT

 public:
    explicit FineTunePanel(QWidget* parent = nullptr);

    /// `factor` is that of the context. An invalid learning rate gives 0, the default.
    FineTuning chosen(std::int64_t factor) const;
    /// Shows the run's default learning rate in grey in the empty field.
    void fit(const RunSpec& spec);
    void showState(const FineTuneState& state);
    void showProgress(std::int64_t done, std::int64_t steps);

    QComboBox* methods() const { return m_method; }
    QSpinBox* steps() const { return m_steps; }
    QLineEdit* learningRate() const { return m_learningRate; }
    QPushButton* button() const { return m_button; }
    QProgressBar* progress() const { return m_bar; }
    QLabel* words() const { return m_words; }
    QLabel* training() const { return m_training; }

 signals:
    void changed();
    /// Start fine-tuning, or cancel it if it runs.
    void toggleRequested();

 private:
    QLabel* addLabel(const QString& name);
    QString whyInvalidRate() const;
    void renew();

    FineTuneState m_state;
    QComboBox* m_method;
    QSpinBox* m_steps;
    QLineEdit* m_learningRate;
    QPushButton* m_button;
    QLabel* m_training;
    QProgressBar* m_bar;
    QLabel* m_words;
    QLabel* m_numbers;
};

}  // namespace ropelab::ui
