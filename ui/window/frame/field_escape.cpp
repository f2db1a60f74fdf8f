#include "ui/window/frame/field_escape.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <utility>

#include "ui/controls/fields.h"
#include "ui/plot/plot_widget.h"

namespace ropelab::ui {

namespace {

/// Invalid for widgets that are no fields.
QVariant shownValue(const QWidget* widget) {
    if (const auto* line = qobject_cast<const QLineEdit*>(widget)) return line->text();
    if (const auto* choice = qobject_cast<const QComboBox*>(widget)) return choice->currentText();
    if (qobject_cast<const QAbstractSpinBox*>(widget)) return widget->property("value");
    return {};
}

bool isInside(const QWidget* widget, const auto& isOuter) {
    for (const QWidget* each = widget; each && !each->isWindow(); each = each->parentWidget()) {
        if (isOuter(each)) return true;
    }
    return false;
}

}  // namespace

FieldEscape::FieldEscape(QWidget* area, std::function<QWidget*()> picture)
    : QObject(area), m_area(area), m_picture(std::move(picture)) {
    qApp->installEventFilter(this);
}

bool FieldEscape::handles(const QWidget* widget) const {
    const bool isControl = qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QComboBox*>(widget) ||
                           qobject_cast<const QAbstractSpinBox*>(widget) ||
                           qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QAbstractButton*>(widget);
    if (!isControl || widget->window() != m_area->window() || !m_area->isAncestorOf(widget)) return false;
    // Tables and figures use Escape themselves, for their editors and for the picked run or pair.
    return !isInside(widget, [](const QWidget* outer) {
        return qobject_cast<const QAbstractItemView*>(outer) || qobject_cast<const PlotWidget*>(outer);
    });
}

bool FieldEscape::eventFilter(QObject* watched, QEvent* event) {
    if (m_isDelivering || (event->type() != QEvent::FocusIn && event->type() != QEvent::KeyPress)) return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    if (!widget || !handles(widget)) return false;
    if (event->type() == QEvent::FocusIn) {
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        const bool isBack = reason == Qt::PopupFocusReason || reason == Qt::ActiveWindowFocusReason;
        if (!isBack || widget != m_field) remember(widget);
        return false;
    }
    auto* key = static_cast<QKeyEvent*>(event);
    // What Return entered is what Escape restores from then on, unless the value was refused.
    const bool isEntered = std::exchange(m_isEntered, key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter);
    if (isEntered && widget == m_field && !widget->property("wrong").toBool()) remember(widget);
    if (key->key() != Qt::Key_Escape || key->modifiers() != Qt::NoModifier || !widget->hasFocus()) return false;
    leave(widget, key);
    return true;
}

void FieldEscape::remember(QWidget* field) {
    m_field = field;
    m_value = shownValue(field);
}

void FieldEscape::leave(QWidget* field, QKeyEvent* event) {
    if (discardsTextItself(field)) {
        m_isDelivering = true;
        QCoreApplication::sendEvent(field, event);
        m_isDelivering = false;
    } else if (field == m_field) {
        restore();
    }
    if (QWidget* picture = m_picture()) picture->setFocus(Qt::OtherFocusReason);
}

void FieldEscape::restore() {
    if (qobject_cast<QAbstractSpinBox*>(m_field)) {
        m_field->setProperty("value", m_value);  // also replaces text that was typed and not entered
        return;
    }
    if (shownValue(m_field) == m_value) return;
    if (auto* line = qobject_cast<QLineEdit*>(m_field)) {
        if (!line->isModified()) return;                           // The program changed the value, not the user.
        const bool wasRefused = line->property("wrong").toBool();  // entering the restored value clears the error
        line->setText(m_value.toString());
        line->setModified(wasRefused);
        if (wasRefused) emit line->editingFinished();
    } else if (auto* choice = qobject_cast<QComboBox*>(m_field)) {
        const int index = choice->findText(m_value.toString());
        if (index < 0) return;
        choice->setCurrentIndex(index);
        emit choice->activated(index);
    }
    if (m_field) remember(m_field);
}

}  // namespace ropelab::ui

#include "moc_field_escape.cpp"
