#pragma once

#include <QWidget>
#include <optional>

#include "core/contract/event.h"
#include "ui/common/latest_job.h"
#include "ui/controls/form.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/rotation_state.h"
#include "ui/session/run_access.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

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
    QLabel* text() const { return m_text; }

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

/// Builds an attention head by hand from q and k of the room. Buttons build a head that attends 0, 1 or 3 tokens back;
/// fields set the norm and the phase of one pair, scale all norms and remove those of the slow pairs. The page shows
/// the attention of the head on a typed text, and the head inside a trained model.
class CircuitPage : public QWidget {
    Q_OBJECT

 public:
    /// Adds the views of its figures to its layout, and its fields to the column of `fields`, which the panel of the
    /// room shows. `attention` may contain the views of two setups.
    CircuitPage(QWidget* attention, const QWidgetList& distances, const RunAccess& access, QWidget* fields,
                QWidget* parent = nullptr);

    /// `sentence` is the text below the fields.
    void show(const RotationScene& scene, const QString& sentence);

    QToolButton* headButton(std::int64_t distance) const;
    /// "scale", "fast-pairs", and "norm" and "phase" of the enlarged pair.
    Form& form() { return m_form; }
    QLineEdit* textField() const { return m_text; }
    CircuitRuns* runs() const { return m_runs; }
    QLabel* sentence() const { return m_sentence; }

 signals:
    void headRequested(qint64 distance);
    /// The user set the largest norm of all pairs.
    void scaled(double norm);
    void fastPairsRequested(int pairs);
    /// The user set the norm, or the phase in radians, of the enlarged pair.
    void pairEdited(double norm, double phase);
    void textEdited(const QString& text);
    /// The user ended a drag or typed a number.
    void finished();

 private:
    void makeFields(QWidget* fields);

    QToolButton* m_heads[3] = {};
    Form m_form{this};
    QLabel* m_pairTitle = nullptr;
    QLineEdit* m_text = nullptr;
    QLabel* m_sentence = nullptr;
    CircuitRuns* m_runs = nullptr;
};

}  // namespace ropelab::ui
