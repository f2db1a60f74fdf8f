#pragma once

#include <QWidget>

#include "core/experiment/head_vectors.h"
#include "core/spec/event.h"
#include "ui/rotary/latest_job.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace ropelab::ui {

class Workspace;

/// Query and key of a trained run's first layer: which run, which head, at which symbols.
class RunVectors : public QWidget {
    Q_OBJECT

 public:
    explicit RunVectors(Workspace& workspace, QWidget* parent = nullptr);

    /// As the fields say; what cannot be read is said beneath.
    void take();
    QComboBox* runs() const { return m_runs; }
    QSpinBox* head() const { return m_head; }
    QLineEdit* query() const { return m_query; }
    QLineEdit* key() const { return m_key; }
    QString problem() const;

 signals:
    /// `origin` tells where they are from: "θ 10k, 25 %, head 0, q of "a", k of "t"".
    void taken(const ropelab::RotarySetup& setup, const ropelab::HeadVectors& vectors, const QString& origin);

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void renewRuns();

    Workspace& m_workspace;
    QComboBox* m_runs;
    QSpinBox* m_head;
    QLineEdit* m_query;
    QLineEdit* m_key;
    QPushButton* m_take;
    QLabel* m_text;
    QString m_problem;
    LatestJob m_job;  // last, so that it ends first
};

}  // namespace ropelab::ui
