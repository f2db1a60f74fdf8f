#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>

class QGridLayout;
class QLayout;
class QSlider;

namespace ropelab::ui {

/// Shows single fields of a panel with their labels side by side, for a presentation, whose figure is as wide as the
/// window. The fields are taken out of their layouts and given back to the same places.
class ControlStrip : public QFrame {
 public:
    explicit ControlStrip(QWidget* parent);

    /// Hidden without fields. giveBack() first.
    void take(const QList<QWidget*>& fields);
    void giveBack();

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    struct Taken {
        QPointer<QWidget> widget;
        QPointer<QWidget> parent;
        QPointer<QLayout> layout;
        int index = 0;
        int place[4] = {};  // of a grid: row, column, and how many of each
        int stretch = 0;
    };
    void takeOne(QWidget* widget);
    /// As many as fit into the width: fields in a strip that is narrower than they need would cover each other.
    int fittingColumns(bool withSliders) const;
    /// Beside a question, fields show no sliders where this saves a row of the figure's height.
    void fit();
    QSlider* sliderOf(const QWidget* field) const;
    void arrange(int columns);
    void stretch();

    QGridLayout* m_grid;
    QList<Taken> m_taken;
    QList<QWidget*> m_fields;
    QList<QPointer<QSlider>> m_sliders;  // those of the fields
    int m_columns = 0;
};

}  // namespace ropelab::ui
