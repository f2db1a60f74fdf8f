#include "ui/window/controllers/control_strip.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>
#include <algorithm>
#include <utility>

#include "ui/common/scaled.h"
#include "ui/controls/number_slider.h"

namespace ropelab::ui {

namespace {

constexpr int kMostColumns = 3;

/// The layout, among those inside of `layout`, that contains the widget itself; null if there is none.
QLayout* layoutOf(QLayout* layout, const QWidget* widget) {
    if (!layout) return nullptr;
    if (layout->indexOf(widget) >= 0) return layout;
    for (int i = 0; i < layout->count(); ++i) {
        if (QLayout* inside = layoutOf(layout->itemAt(i)->layout(), widget)) return inside;
    }
    return nullptr;
}

QLabel* labelOf(const QWidget* field) {
    for (QLabel* label : field->parentWidget()->findChildren<QLabel*>(Qt::FindDirectChildrenOnly)) {
        if (label->buddy() == field) return label;
    }
    return nullptr;
}

}  // namespace

ControlStrip::ControlStrip(QWidget* parent) : QFrame(parent), m_grid(new QGridLayout(this)) {
    setObjectName(QStringLiteral("controlStrip"));
    setProperty("panel", true);
    scaleLayout(m_grid, {12, 4, 12, 4}, 12);
    hide();
}

void ControlStrip::takeOne(QWidget* widget, int row, int column, int columns) {
    QWidget* parent = widget->parentWidget();
    Taken taken{widget, parent, layoutOf(parent->layout(), widget)};
    if (taken.layout) {
        taken.index = taken.layout->indexOf(widget);
        if (auto* grid = qobject_cast<QGridLayout*>(taken.layout)) {
            grid->getItemPosition(taken.index, &taken.place[0], &taken.place[1], &taken.place[2], &taken.place[3]);
        }
        if (auto* box = qobject_cast<QBoxLayout*>(taken.layout)) taken.stretch = box->stretch(taken.index);
        taken.layout->removeWidget(widget);
    }
    const bool isHidden = widget->isHidden();
    m_grid->addWidget(widget, row, column, 1, columns);
    widget->setHidden(isHidden);
    m_taken.append(std::move(taken));
}

void ControlStrip::take(const QList<QWidget*>& fields) {
    const int columns = std::min<int>(kMostColumns, static_cast<int>(fields.size()));
    for (int i = 0; i < fields.size(); ++i) {
        const int row = i / columns;
        const int column = 2 * (i % columns);
        QLabel* label = labelOf(fields[i]);
        if (label) takeOne(label, row, column, 1);
        takeOne(fields[i], row, label ? column + 1 : column, label ? 1 : 2);
        // Sliders take the width; other fields need no more than their text.
        m_grid->setColumnStretch(column + 1, 1);
    }
    setHidden(fields.isEmpty());
}

void ControlStrip::giveBack() {
    hide();
    const QList<Taken> taken = std::exchange(m_taken, {});
    for (auto each = taken.crbegin(); each != taken.crend(); ++each) {
        if (!each->widget || !each->parent) continue;
        const bool isHidden = each->widget->isHidden();
        m_grid->removeWidget(each->widget);
        if (auto* grid = qobject_cast<QGridLayout*>(each->layout)) {
            grid->addWidget(each->widget, each->place[0], each->place[1], each->place[2], each->place[3]);
        } else if (auto* box = qobject_cast<QBoxLayout*>(each->layout)) {
            box->insertWidget(each->index, each->widget, each->stretch);
        } else {
            each->widget->setParent(each->parent);
        }
        each->widget->setHidden(isHidden);
    }
    for (int column = 0; column < m_grid->columnCount(); ++column) m_grid->setColumnStretch(column, 0);
}

}  // namespace ropelab::ui
