#pragma once

#include <QList>
#include <QWidget>

#include "ui/rotary/rotation/logit_figure.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace ropelab::ui {

/// "m + 1000, n + 1000": what becomes of the logit when both positions move alike, in three arithmetics, and a way
/// back.
class ShiftCard : public QWidget {
    Q_OBJECT

 public:
    static constexpr int kShift = 1000;

    explicit ShiftCard(QWidget* parent = nullptr);

    void show(const RotationScene& scene);
    QPushButton* shiftButton() const { return m_shift; }
    QPushButton* backButton() const { return m_back; }
    /// The table row by row, and the sentence beneath it; "" while nothing is shifted.
    QString text() const;

 signals:
    void shiftAsked();
    void backAsked();

 private:
    QPushButton* m_shift;
    QPushButton* m_back;
    QWidget* m_table;
    QList<QList<QLabel*>> m_cells;  // a row each: name, before, after, change
    QLabel* m_sentence;
};

}  // namespace ropelab::ui
