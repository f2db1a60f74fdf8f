#include "ui/shell/actions.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QWidget>
#include <exception>

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// A text field that has nothing to undo or redo, because its value was entered.
bool leavesUndoToWindow(const QWidget* widget, const QKeyEvent* key) {
    const auto* line = qobject_cast<const QLineEdit*>(widget);
    if (const auto* spin = qobject_cast<const QAbstractSpinBox*>(widget)) line = spin->findChild<QLineEdit*>();
    if (!line) return false;
    return (key->matches(QKeySequence::Undo) && !line->isUndoAvailable()) ||
           (key->matches(QKeySequence::Redo) && !line->isRedoAvailable());
}

}  // namespace

ActionRegistry::ActionRegistry(QWidget* window) : QObject(window), m_window(window) {
    qApp->installEventFilter(this);
}

QAction* ActionRegistry::add(const ActionSpec& spec) {
    Q_ASSERT_X(!m_specs.contains(spec.id), "ActionRegistry", qPrintable(spec.id));
    auto* action = new QAction(spec.liveText ? spec.liveText() : spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcuts(spec.shortcuts);
    action->setShortcutContext(Qt::WindowShortcut);
    action->setCheckable(static_cast<bool>(spec.checked));
    connect(action, &QAction::triggered, this, [this, id = spec.id] {
        try {
            if (const auto& handler = m_specs[id].handler) handler();
        } catch (const std::exception& error) {
            emit failed(QString::fromUtf8(error.what()));  // an exception must not reach Qt's event loop
        }
        refresh();
    });
    m_window->addAction(action);
    m_order.append(spec.id);
    m_actions.insert(spec.id, action);
    m_specs.insert(spec.id, spec);
    return action;
}

QAction* ActionRegistry::action(const QString& id) const {
    Q_ASSERT_X(m_actions.contains(id), "ActionRegistry", qPrintable(id));
    return m_actions.value(id);
}

std::function<void()> ActionRegistry::inRoom(const QString& room, std::function<void()> change) const {
    return [this, id = u"room."_s + room, change = std::move(change)] {
        action(id)->trigger();
        change();
    };
}

const ActionSpec& ActionRegistry::spec(const QString& id) const {
    return *m_specs.constFind(id);
}

void ActionRegistry::fill(QMenuBar* bar) {
    for (const QString& id : std::as_const(m_order)) {
        const ActionSpec& entry = spec(id);
        if (entry.menu.isEmpty()) continue;
        QMenu*& menu = m_menus[entry.menu];
        if (!menu) {
            menu = bar->addMenu(QLatin1Char('&') + entry.menu);
            connect(menu, &QMenu::aboutToShow, this, &ActionRegistry::refresh);
        }
        if (entry.separatorBefore) menu->addSeparator();
        menu->addAction(m_actions.value(id));
    }
    refresh();
}

void ActionRegistry::refresh() {
    for (const QString& id : std::as_const(m_order)) update(id);
}

void ActionRegistry::update(const QString& id) {
    const ActionSpec& entry = spec(id);
    QAction* action = m_actions.value(id);
    if (entry.enabled) action->setEnabled(entry.enabled());
    if (entry.checked) action->setChecked(entry.checked());
    if (entry.liveText) action->setText(entry.liveText());
}

bool ActionRegistry::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        auto* widget = qobject_cast<QWidget*>(watched);
        // The enabled state of an action can change without a notification, so it is updated before its shortcut.
        if (widget && widget->window() == m_window) {
            const QKeySequence pressed(key->keyCombination());
            for (const QString& id : std::as_const(m_order)) {
                if (m_actions.value(id)->shortcuts().contains(pressed)) update(id);
            }
        }
        const bool usesSpace = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) ||
                               qobject_cast<QAbstractItemView*>(widget);
        if (usesSpace && key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
            event->accept();
            return true;
        }
        if (leavesUndoToWindow(widget, key)) {
            event->ignore();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace ropelab::ui

#include "moc_actions.cpp"
