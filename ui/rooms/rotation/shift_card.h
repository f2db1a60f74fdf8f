#pragma once

#include <QList>
#include <QWidget>

#include "ui/rooms/rotation/logit_figure.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace ropelab::ui {

/// Shifts m and n by kShift positions and shows the logit before and after in float64, float32 and bfloat16.
class ShiftCard : public QWidget {
    Q_OBJECT

 public:
    static constexpr int kShift = 1000;

    explicit ShiftCard(QWidget* parent = nullptr);

    /// Shows the table only while m and n are shifted. With `other`, two setups are compared.
    void show(const RotationScene& scene, const std::optional<RotationScene>& other = {}, bool editsB = false);
    QPushButton* shiftButton() const { return m_shift; }
    QPushButton* undoButton() const { return m_undo; }
    /// The rows of the table and the sentences below it; "" while m and n are not shifted.
    QString text() const;

 signals:
    void shiftRequested();
    void undoRequested();

 private:
    QPushButton* m_shift;
    QPushButton* m_undo;
    QWidget* m_table;
    QList<QList<QLabel*>> m_cells;  // one list per row: name, before, after, change
    QLabel* m_sentence;
    QLabel* m_angles;  // what the shift does to the angles of the enlarged pair
};

}  // namespace ropelab::ui
