#pragma once

#include <QScrollArea>

#include "ui/rooms/rotation/circuit_runs.h"
#include "ui/rooms/rotation/rotation_state.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace ropelab::ui {

class NumberSlider;

/// Builds an attention head by hand from q and k of the room. Buttons build a head that attends 0, 1 or 3 tokens back;
/// fields set the norm and the phase of one pair and scale all norms. The page shows the attention of the head on a
/// typed text, and the head inside a trained model.
class CircuitPage : public QScrollArea {
    Q_OBJECT

 public:
    /// Adds the views of its figures to its layout. `attention` may contain the views of two setups.
    CircuitPage(QWidget* attention, QWidget* distance, const RunAccess& access, QWidget* parent = nullptr);

    /// `sentence` is the text above the fields.
    void show(const RotationScene& scene, const QString& sentence);

    QToolButton* headButton(std::int64_t distance) const;
    NumberSlider* scale() const { return m_scale; }
    NumberSlider* norm() const { return m_norm; }
    NumberSlider* phase() const { return m_phase; }
    QLineEdit* textField() const { return m_text; }
    CircuitRuns* runs() const { return m_runs; }
    QString sentence() const;

 signals:
    void headRequested(qint64 distance);
    /// The user set the largest norm of all pairs.
    void scaled(double norm);
    /// The user set the norm, or the phase in radians, of the enlarged pair.
    void pairEdited(double norm, double phase);
    void textEdited(const QString& text);
    /// The user ended a drag or typed a number.
    void finished();

 private:
    void makeFields(QWidget* side);

    QToolButton* m_heads[3] = {};
    NumberSlider* m_scale = nullptr;
    QLabel* m_pairTitle = nullptr;
    NumberSlider* m_norm = nullptr;
    NumberSlider* m_phase = nullptr;
    QLineEdit* m_text = nullptr;
    QLabel* m_sentence = nullptr;
    CircuitRuns* m_runs = nullptr;
};

}  // namespace ropelab::ui
