#pragma once

#include <QWidget>
#include <optional>

#include "core/spec/event.h"
#include "ui/common/latest_job.h"
#include "ui/rooms/rotation/circuit_figure.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

/// Puts the head that the scene's q and k build into a layer of a trained run and shows the loss before and after, and
/// finds the trained head that is most like it.
class CircuitRuns : public QWidget {
    Q_OBJECT

 public:
    explicit CircuitRuns(RunAccess access, QWidget* parent = nullptr);

    /// Results of another head disappear.
    void show(const RotationScene& scene);
    /// Measures the loss of the chosen run with its own heads and with the built head in the chosen place.
    void measure();
    /// Compares the built head with all heads of the chosen run.
    void find();
    /// nullopt unless find() found the most similar trained head for the current head.
    const std::optional<TrainedHead>& similar() const { return m_similar; }
    bool isWorking() const { return m_job.isRunning(); }

    QComboBox* runs() const { return m_runs; }
    QSpinBox* layer() const { return m_layer; }
    QSpinBox* head() const { return m_head; }
    QPushButton* measureButton() const { return m_measure; }
    QPushButton* findButton() const { return m_find; }
    /// The result, or why there is none.
    QString text() const;

 signals:
    /// The head must be built with these settings, those of the chosen run, before it is measured. The receiver changes
    /// the setup and calls show().
    void setupNeeded(const ropelab::RotarySetup& setup);
    void similarChanged();

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void renewRuns();
    void renewPlaces();
    void say(const QString& text);

    RunAccess m_access;
    QComboBox* m_runs;
    QSpinBox* m_layer;
    QSpinBox* m_head;
    QPushButton* m_measure;
    QPushButton* m_find;
    QLabel* m_text;
    QString m_about;  // what the section does; shown while there is no result
    std::optional<RotationScene> m_scene;
    std::optional<TrainedHead> m_similar;
    LatestJob m_job;  // declared last, so that it is destroyed first
};

}  // namespace ropelab::ui
