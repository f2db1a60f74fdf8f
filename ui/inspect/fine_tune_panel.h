#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

#include "core/experiment/beyond.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

/// What the group shows of fine-tuning.
struct FineTuneState {
    bool hasRun = false;  // one that could be fine-tuned
    QString trains;       // the run whose copy trains now; "" where none does
    QString refusal;      // why a fine-tuning as chosen cannot be started; "" where it can
    QString problem;      // why the run's last one did not go
    QStringList numbers;  // what earlier ones gave
};

/// How a copy of a run is trained on, the button that begins and ends it, and how far it is.
class FineTunePanel : public QWidget {
    Q_OBJECT

 public:
    explicit FineTunePanel(QWidget* parent = nullptr);

    /// A learning rate that cannot be read is 0, the default.
    FineTuning chosen(std::int64_t factor) const;
    /// Shows the learning rate that such a run is fine-tuned with where none is chosen.
    void fit(const RunSpec& spec);
    void showState(const FineTuneState& state);
    void showProgress(std::int64_t done, std::int64_t steps);

    QComboBox* methods() const { return m_method; }
    QSpinBox* steps() const { return m_steps; }
    QLineEdit* rate() const { return m_rate; }
    QPushButton* button() const { return m_button; }
    QProgressBar* progress() const { return m_bar; }
    QLabel* words() const { return m_words; }
    QLabel* training() const { return m_training; }

 signals:
    void changed();
    /// To begin, or to end what goes on.
    void asked();

 private:
    QLabel* addLabel(const QString& name);
    QString whyNoRate() const;
    void renew();

    FineTuneState m_state;
    QComboBox* m_method;
    QSpinBox* m_steps;
    QLineEdit* m_rate;
    QPushButton* m_button;
    QLabel* m_training;
    QProgressBar* m_bar;
    QLabel* m_words;
    QLabel* m_numbers;
};

}  // namespace ropelab::ui
