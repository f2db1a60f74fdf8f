#include "ui/window/keyboard_sheet.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMap>
#include <QVBoxLayout>
#include <array>

#include "ui/window/actions.h"

namespace ropelab::ui {

KeyboardSheet::KeyboardSheet(ActionRegistry* registry, QWidget* window) : QFrame(window), m_registry(registry) {
    setObjectName(QStringLiteral("keyboardSheet"));
    setProperty("panel", true);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Keyboard shortcuts"));
    setFocusPolicy(Qt::StrongFocus);
    hide();
}

void KeyboardSheet::toggle() {
    if (isVisible()) {
        hide();
        parentWidget()->setFocus();
        return;
    }
    fill();
    adjustSize();
    const QSize size = sizeHint().boundedTo(parentWidget()->size());
    setGeometry(QRect(
        QPoint((parentWidget()->width() - size.width()) / 2, (parentWidget()->height() - size.height()) / 2), size));
    show();
    raise();
    setFocus();
}

void KeyboardSheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        toggle();
    } else {
        QFrame::keyPressEvent(event);
    }
}

void KeyboardSheet::mousePressEvent(QMouseEvent*) {
    toggle();
}

void KeyboardSheet::fill() {
    // Built anew each time: texts, shortcuts and fonts may have changed.
    qDeleteAll(findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    delete layout();
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(24, 16, 24, 24);
    outer->setSpacing(12);
    auto* title = new QLabel(tr("Keyboard"), this);
    title->setProperty("roomTitle", true);
    outer->addWidget(title);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(48);
    outer->addLayout(columns);
    std::array<QGridLayout*, 2> grids{};
    for (QGridLayout*& grid : grids) {
        auto* column = new QVBoxLayout;
        grid = new QGridLayout;
        grid->setHorizontalSpacing(24);
        grid->setVerticalSpacing(4);
        column->addLayout(grid);
        column->addStretch(1);
        columns->addLayout(column);
    }

    QStringList menus;
    QMap<QString, QStringList> byMenu;
    qsizetype total = 0;
    for (const QString& id : m_registry->ids()) {
        if (m_registry->action(id)->shortcuts().isEmpty()) continue;
        const QString menu = m_registry->spec(id).menu.isEmpty() ? tr("Rooms") : m_registry->spec(id).menu;
        if (!menus.contains(menu)) menus << menu;
        byMenu[menu] << id;
        ++total;
    }
    qsizetype placed = 0;
    for (const QString& menu : menus) {
        QGridLayout* grid = grids[placed * 2 < total ? 0 : 1];
        auto* heading = new QLabel(menu, this);
        heading->setProperty("heading", true);
        grid->addWidget(heading, grid->rowCount(), 0, 1, 2);
        for (const QString& id : byMenu[menu]) {
            const QAction* action = m_registry->action(id);
            QStringList keys;
            for (const QKeySequence& sequence : action->shortcuts()) {
                const QString key = sequence.toString(QKeySequence::NativeText);
                if (!keys.contains(key)) keys << key;
            }
            const int row = grid->rowCount();
            QString text = action->text();
            grid->addWidget(new QLabel(text.remove(QLatin1Char('&')), this), row, 0);
            auto* key = new QLabel(keys.join(tr("  or  ")), this);
            key->setProperty("quiet", true);
            grid->addWidget(key, row, 1, Qt::AlignRight);
            ++placed;
        }
    }
}

}  // namespace ropelab::ui
