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

/// The state of fine-tuning that FineTunePanel shows.
struct FineTuneState {
    bool hasRun = false;  // a run is selected
    QString trainingRun;  // name of the run whose copy is being trained; "" if there is none
    QString refusal;      // why fine-tuning with these settings cannot start; "" if it can
    QString problem;      // why the last fine-tuning of the run failed; "" if it did not
    QStringList results;  // losses before and after earlier fine-tunings, one line each
};

/// The settings of fine-tuning a copy of a run, a button that starts or cancels it, and its progress and results.
class FineTunePanel : public QWidget {
    Q_OBJECT

 public:
    explicit FineTunePanel(QWidget* parent = nullptr);

    /// Returns the chosen settings with this factor of the context. An invalid learning rate gives 0, the default.
    FineTuning chosen(std::int64_t factor) const;
    /// Shows the default learning rate of such a run in grey in the empty field.
    void fit(const RunSpec& spec);
    /// Shows the state of fine-tuning.
    void showState(const FineTuneState& state);
    /// Shows how many of the steps are done.
    void showProgress(std::int64_t done, std::int64_t steps);

    QComboBox* methods() const { return m_method; }
    QSpinBox* steps() const { return m_steps; }
    QLineEdit* learningRate() const { return m_learningRate; }
    QPushButton* button() const { return m_button; }
    QProgressBar* progress() const { return m_bar; }
    QLabel* words() const { return m_words; }
    QLabel* training() const { return m_training; }

 signals:
    /// A setting has changed.
    void changed();
    /// The button was clicked: start fine-tuning, or cancel it if it runs.
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
