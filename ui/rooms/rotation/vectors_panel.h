#pragma once

#include <QHash>
#include <QWidget>

#include "core/contract/event.h"
#include "core/run/checkpoint.h"
#include "core/study/head_vectors.h"
#include "ui/common/latest_job.h"
#include "ui/rooms/rotation/rotation_state.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace ropelab::ui {

/// Chooses the source of q and k, samples them again and describes the current source.
class VectorsPanel : public QWidget {
    Q_OBJECT

 public:
    explicit VectorsPanel(QWidget* parent = nullptr);

    void show(const RotationState& state);
    /// Stands last, because its height changes.
    QLabel* text() const { return m_text; }
    /// Null for sources that have no button.
    QToolButton* button(VectorSource source) const { return m_buttons.value(source); }
    QPushButton* sampleButton() const { return m_sample; }

 signals:
    void chosen(ropelab::ui::VectorSource source);
    void sampleRequested();

 private:
    QHash<VectorSource, QToolButton*> m_buttons;
    QPushButton* m_sample;
    QLabel* m_text;
};

/// Throws BadInput if there is none.
Checkpoint checkpointOf(const RunCheckpoint& run);

/// Loads a query and a key of the first layer of a trained run: the user chooses the run, the head and two tokens.
class RunVectors : public QWidget {
    Q_OBJECT

 public:
    explicit RunVectors(RunAccess access, QWidget* parent = nullptr);

    /// An error appears below the fields, and in problem().
    void load();
    QComboBox* runs() const { return m_runs; }
    QSpinBox* head() const { return m_head; }
    QLineEdit* query() const { return m_query; }
    QLineEdit* key() const { return m_key; }
    /// The error of the last load(), or "".
    const QString& problem() const { return m_problem; }

 signals:
    /// `origin` describes the vectors, for example "θ 10k, 25 %, head 0, q of “a”, k of “t”".
    void loaded(const ropelab::RotarySetup& setup, const ropelab::HeadVectors& vectors, const QString& origin);

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void renewRuns();

    RunAccess m_access;
    QComboBox* m_runs;
    QSpinBox* m_head;
    QLineEdit* m_query;
    QLineEdit* m_key;
    QPushButton* m_load;
    QLabel* m_text;
    QString m_problem;
    LatestJob m_job;  // declared last, so that it is destroyed first
};

}  // namespace ropelab::ui
