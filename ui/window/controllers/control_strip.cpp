#include "ui/window/controllers/control_strip.h"

#include <QAbstractItemModel>
#include <QBoxLayout>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSlider>
#include <algorithm>
#include <utility>

#include "ui/common/scaled.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

namespace {

constexpr int kMostColumns = 3;
constexpr int kLeastSlider = 90;  // pixels at 100 %: in a narrower one, the values are hard to set
constexpr double kBeside = 0.75;  // of the window's width: a narrower strip is beside a question

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

void ControlStrip::takeOne(QWidget* widget) {
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
    widget->setParent(this);
    widget->setHidden(isHidden);
    m_taken.append(std::move(taken));
}

void ControlStrip::take(const QList<QWidget*>& fields) {
    m_fields = fields;
    for (QWidget* field : fields) {
        if (QLabel* label = labelOf(field)) takeOne(label);
        takeOne(field);
        if (auto* list = qobject_cast<QComboBox*>(field)) {
            connect(list->model(), &QAbstractItemModel::rowsInserted, this, &ControlStrip::stretch);
        }
    }
    for (QWidget* field : fields) {
        for (QSlider* slider : field->findChildren<QSlider*>()) {
            if (!slider->isHidden()) m_sliders.append(slider);
        }
    }
    if (!fields.isEmpty()) fit();
    setHidden(fields.isEmpty());
}

QSlider* ControlStrip::sliderOf(const QWidget* field) const {
    const auto found = std::ranges::find_if(m_sliders, [&](QSlider* each) { return field->isAncestorOf(each); });
    return found == m_sliders.end() ? nullptr : *found;
}

int ControlStrip::fittingColumns(bool withSliders) const {
    const int least = ThemeManager::instance().pixels(kLeastSlider);
    const auto widthOf = [&](const QWidget* widget) {
        if (!widget) return 0;
        const QSlider* slider = sliderOf(widget);
        // A hidden slider also leaves out the space beside it.
        const int space = ThemeManager::instance().pixels(8);
        const int shown = slider && !slider->isHidden() ? slider->minimumWidth() + space : 0;
        const int wanted = slider && withSliders ? least + space : 0;
        return std::max(widget->minimumSizeHint().width(), widget->minimumWidth()) + wanted - shown;
    };
    int columns = std::min<int>(kMostColumns, static_cast<int>(m_fields.size()));
    for (; columns > 1; --columns) {
        const QMargins margins = m_grid->contentsMargins();
        int needed = margins.left() + margins.right() + (2 * columns - 1) * m_grid->horizontalSpacing();
        for (int column = 0; column < columns; ++column) {
            int label = 0;
            int field = 0;
            for (qsizetype i = column; i < m_fields.size(); i += columns) {
                label = std::max(label, widthOf(labelOf(m_fields[i])));
                field = std::max(field, widthOf(m_fields[i]));
            }
            needed += label + field;
        }
        if (needed <= width()) break;
    }
    return columns;
}

void ControlStrip::arrange(int columns) {
    m_columns = columns;
    for (const Taken& each : m_taken) m_grid->removeWidget(each.widget);
    for (int column = 0; column < m_grid->columnCount(); ++column) m_grid->setColumnStretch(column, 0);
    for (int i = 0; i < m_fields.size(); ++i) {
        const int row = i / columns;
        const int column = 2 * (i % columns);
        QLabel* label = labelOf(m_fields[i]);
        if (label) m_grid->addWidget(label, row, column);
        m_grid->addWidget(m_fields[i], row, label ? column + 1 : column, 1, label ? 1 : 2);
    }
    stretch();
}

void ControlStrip::stretch() {
    for (int column = 0; column < m_columns; ++column) {
        // Sliders take the width; other fields need no more than their text, and lists share it by their entries.
        int wanted = 0;
        for (qsizetype i = column; i < m_fields.size(); i += m_columns) {
            const auto* list = m_sliders.isEmpty() ? qobject_cast<QComboBox*>(m_fields[i]) : nullptr;
            for (int entry = 0; list && entry < std::min(list->count(), 100); ++entry) {
                wanted = std::max(wanted, list->fontMetrics().horizontalAdvance(list->itemText(entry)));
            }
            if (sliderOf(m_fields[i])) wanted = 1;
        }
        if (m_grid->columnStretch(2 * column + 1) == wanted) continue;
        m_grid->setColumnStretch(2 * column + 1, wanted);
        m_grid->update();
    }
}

void ControlStrip::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

void ControlStrip::fit() {
    if (m_fields.isEmpty()) return;
    const int wide = fittingColumns(true);
    const int bare = fittingColumns(false);
    const auto rowsOf = [this](int columns) { return (m_fields.size() + columns - 1) / columns; };
    const bool isBeside = width() < kBeside * window()->width();
    const bool withSliders = !isBeside || rowsOf(wide) == rowsOf(bare);
    for (const auto& slider : m_sliders) {
        if (slider) slider->setVisible(withSliders);
    }
    if (const int columns = withSliders ? wide : bare; columns != m_columns) arrange(columns);
}

void ControlStrip::giveBack() {
    hide();
    m_fields.clear();
    m_columns = 0;
    for (const auto& slider : std::exchange(m_sliders, {})) {
        if (slider) slider->show();
    }
    const QList<Taken> taken = std::exchange(m_taken, {});
    for (auto each = taken.crbegin(); each != taken.crend(); ++each) {
        if (!each->widget || !each->parent) continue;
        const bool isHidden = each->widget->isHidden();
        m_grid->removeWidget(each->widget);
        if (auto* list = qobject_cast<QComboBox*>(each->widget)) list->model()->disconnect(this);
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
