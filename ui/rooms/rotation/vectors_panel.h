#pragma once

#include <QHash>
#include <QWidget>

#include "core/study/head_vectors.h"
#include "ui/common/latest_job.h"
#include "ui/controls/form.h"
#include "ui/rooms/rotation/rotation_state.h"
#include "ui/rotary/run_chooser.h"

class QLabel;
class QPushButton;
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

/// Loads the query of one token of a text and the key of another, of any layer and head of a trained run or of an
/// opened model.
class RunVectors : public QWidget {
    Q_OBJECT

 public:
    explicit RunVectors(RunAccess access, QWidget* parent = nullptr);

    /// An error appears below the fields, and in problem().
    void load();
    /// "run", "layer", "head", "text", "query" and "key".
    Form& form() { return m_form; }
    /// The error of the last load(), or "".
    const QString& problem() const { return m_problem; }

 signals:
    /// `origin` describes the vectors, for example "θ 10k, 25 %, layer 0, head 0, q of “a”, k of “t”".
    void loaded(const ropelab::RotarySetup& setup, const ropelab::HeadVectors& vectors, const QString& origin);

 private:
    void fitRuns();
    void fitFields();

    RunAccess m_access;
    RunChooser* m_chooser;
    Form m_form{this};
    QPushButton* m_load;
    QLabel* m_text;
    QString m_problem;
    LatestJob m_job;  // declared last, so that it is destroyed first
};

}  // namespace ropelab::ui
