#pragma once

#include <QWidget>

#include "ui/rooms/rotation/rotation_state.h"

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
    /// Null for sources that have no button.
    QToolButton* button(VectorSource source) const;
    QPushButton* sampleButton() const { return m_sample; }
    QString text() const;

 signals:
    void chosen(ropelab::ui::VectorSource source);
    void sampleRequested();

 private:
    QToolButton* m_random;
    QToolButton* m_equal;
    QToolButton* m_aimed;
    QPushButton* m_sample;
    QLabel* m_text;
};

}  // namespace ropelab::ui
