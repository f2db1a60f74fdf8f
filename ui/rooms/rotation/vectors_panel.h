#pragma once

#include <QWidget>

#include "ui/rooms/rotation/rotation_state.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace ropelab::ui {

/// Chooses the source of q and k: random, equal or aimed. It also samples them again and describes the current source.
class VectorsPanel : public QWidget {
    Q_OBJECT

 public:
    explicit VectorsPanel(QWidget* parent = nullptr);

    /// Shows the source of q and k.
    void show(const RotationState& state);
    /// Returns the button of a source, or null for sources that have none.
    QToolButton* button(VectorSource source) const;
    QPushButton* sampleButton() const { return m_sample; }
    /// Returns the sentence that describes the current source.
    QString text() const;

 signals:
    /// The user chose another source of q and k.
    void chosen(ropelab::ui::VectorSource source);
    /// The user wants to sample q and k again.
    void sampleRequested();

 private:
    QToolButton* m_random;
    QToolButton* m_equal;
    QToolButton* m_aimed;
    QPushButton* m_sample;
    QLabel* m_text;
};

}  // namespace ropelab::ui
