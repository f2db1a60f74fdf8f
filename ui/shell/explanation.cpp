#include "ui/shell/explanation.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QVariant>
#include <optional>
#include <utility>

#include "ui/plot/plot_widget.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr const char* kExplainedBy = "explainedBy";

QString ownWhy(const QWidget* widget) {
    if (!widget->whatsThis().isEmpty()) return widget->whatsThis();
    QString why = widget->toolTip();
    if (const auto* choice = qobject_cast<const QComboBox*>(widget)) {
        const QString chosen = choice->currentData(Qt::ToolTipRole).toString();
        if (!chosen.isEmpty() && chosen != why) why += (why.isEmpty() ? QString() : u"\n"_s) + chosen;
    }
    if (!why.isEmpty()) return why;
    const auto by = widget->property(kExplainedBy).value<QPointer<QWidget>>();
    return by ? ownWhy(by) : QString();
}

QString valueOf(const QWidget* widget) {
    if (const auto* field = qobject_cast<const QLineEdit*>(widget)) return field->text();
    if (const auto* choice = qobject_cast<const QComboBox*>(widget)) return choice->currentText();
    if (const auto* spin = qobject_cast<const QAbstractSpinBox*>(widget)) return spin->text();
    return {};
}

QString nameOf(const QWidget* widget) {
    QString name = widget->accessibleName();
    if (const auto* button = qobject_cast<const QAbstractButton*>(widget); button && name.isEmpty()) {
        name = button->text();
    }
    if (const auto* label = qobject_cast<const QLabel*>(widget); label && name.isEmpty()) {
        return label->buddy() ? nameOf(label->buddy()) : label->text();
    }
    // The name of a compound field is that of its editor.
    if (name.isEmpty() && widget->focusProxy()) return nameOf(widget->focusProxy());
    const QString value = valueOf(widget);
    if (name.isEmpty() || value.isEmpty()) return name + value;
    return u"%1: %2"_s.arg(name, value);
}

// The tooltip of the cell, or that of its column if the cell has none.
QString whyOfCell(const QAbstractItemModel* model, const QModelIndex& cell, int column) {
    if (!model) return {};
    const QString own = cell.data(Qt::ToolTipRole).toString();
    return own.isEmpty() && column >= 0 ? model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString() : own;
}

std::optional<Explanation> whyInView(QAbstractItemView* view, const std::optional<QPoint>& global) {
    const auto* header = qobject_cast<QHeaderView*>(view);
    QModelIndex cell = view->currentIndex();
    int column = cell.isValid() ? cell.column() : -1;
    if (global) {
        const QPoint here = view->viewport()->mapFromGlobal(*global);
        cell = header ? QModelIndex() : view->indexAt(here);
        column = header ? header->logicalIndexAt(here) : cell.isValid() ? cell.column() : -1;
    }
    const QString text = whyOfCell(view->model(), cell, column);
    if (text.isEmpty()) return std::nullopt;
    const QString title =
        column >= 0 ? view->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() : QString();
    return Explanation{view, title.isEmpty() ? cell.data(Qt::DisplayRole).toString() : title, {}, text};
}

Explanation whyFrom(QWidget* widget, const std::optional<QPoint>& global) {
    for (QWidget* each = widget; each; each = each->isWindow() ? nullptr : each->parentWidget()) {
        if (auto* view = qobject_cast<QAbstractItemView*>(each)) {
            if (auto why = whyInView(view, global)) return *why;
        }
        QString text = ownWhy(each);
        QString summary;
        if (qobject_cast<PlotWidget*>(each)) summary = each->accessibleDescription();
        if (text.isEmpty()) std::swap(text, summary);
        if (!text.isEmpty()) return {each, nameOf(each), summary, text};
    }
    return {};
}

}  // namespace

void explainBy(QWidget* widget, QWidget* by) {
    widget->setProperty(kExplainedBy, QVariant::fromValue(QPointer<QWidget>(by)));
}

Explanation explanationOf(QWidget* widget) {
    return widget ? whyFrom(widget, std::nullopt) : Explanation{};
}

Explanation explanationAt(const QWidget* window, const QPoint& global) {
    return whyFrom(window->childAt(window->mapFromGlobal(global)), global);
}

}  // namespace ropelab::ui
