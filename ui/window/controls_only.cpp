#include "ui/window/controls_only.h"

#include <QAbstractScrollArea>
#include <QEvent>
#include <QLabel>
#include <QScopedValueRollback>
#include <QWidget>
#include <algorithm>
#include <utility>

#include "ui/common/field_note.h"

namespace ropelab::ui {

namespace {

bool containsAny(const QWidget* parent, const QSet<QWidget*>& kept) {
    return std::any_of(kept.begin(), kept.end(),
                       [parent](const QWidget* each) { return parent == each || parent->isAncestorOf(each); });
}

}  // namespace

ControlsOnly::~ControlsOnly() {
    restore();
}

bool ControlsOnly::reduce(QWidget* root, const QSet<QWidget*>& kept) {
    if (!containsAny(root, kept)) {
        hideTracked(root);
        return false;
    }
    if (!kept.contains(root)) reduceInside(root, kept);
    return true;
}

void ControlsOnly::reduceInside(QWidget* parent, const QSet<QWidget*>& kept) {
    // The scroll bars of an area stay; what scrolls is below its viewport.
    if (const auto* area = qobject_cast<QAbstractScrollArea*>(parent)) parent = area->viewport();
    for (QWidget* child : parent->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (child->isWindow() || kept.contains(child) || qobject_cast<FieldNote*>(child)) continue;
        if (containsAny(child, kept)) {
            reduceInside(child, kept);
            continue;
        }
        const auto* label = qobject_cast<QLabel*>(child);
        if (label && kept.contains(label->buddy())) continue;
        hideTracked(child);
    }
}

void ControlsOnly::hideTracked(QWidget* widget) {
    if (m_hidden.contains(widget)) return;
    m_hidden.insert(widget, {widget, !widget->isHidden()});
    const QScopedValueRollback changing(m_isChanging, true);
    widget->hide();
    widget->installEventFilter(this);
}

void ControlsOnly::restore() {
    const QScopedValueRollback changing(m_isChanging, true);
    const auto hidden = std::exchange(m_hidden, {});
    for (const Hidden& each : hidden) {
        if (!each.widget) continue;
        each.widget->removeEventFilter(this);
        each.widget->setVisible(each.isWanted);
    }
}

bool ControlsOnly::eventFilter(QObject* watched, QEvent* event) {
    const auto found = m_hidden.find(watched);
    if (m_isChanging || found == m_hidden.end() || !found->widget) return false;
    if (event->type() == QEvent::ShowToParent) {
        found->isWanted = true;
        const QScopedValueRollback changing(m_isChanging, true);
        found->widget->hide();
    } else if (event->type() == QEvent::HideToParent) {
        found->isWanted = false;
    }
    return false;
}

}  // namespace ropelab::ui
