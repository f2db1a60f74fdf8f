#include "ui/window/keyboard_sheet.h"

#include <QApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMap>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "ui/common/actions.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

KeyboardSheet::KeyboardSheet(ActionRegistry* registry, QWidget* window)
    : QFrame(window), m_registry(registry), m_area(new QScrollArea(this)) {
    setObjectName(QStringLiteral("keyboardSheet"));
    setProperty("panel", true);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(tr("Keyboard shortcuts"));
    setFocusPolicy(Qt::StrongFocus);
    m_area->setWidgetResizable(true);
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);  // leaves the frame visible
    layout->addWidget(m_area);
    hide();
}

void KeyboardSheet::toggle() {
    if (isVisible()) {
        hide();
        const bool isThere = m_before && m_before->isVisible();
        (isThere ? m_before.data() : parentWidget())->setFocus();
        return;
    }
    m_before = QApplication::focusWidget();
    const QSize available = parentWidget()->size();
    const int bar = m_area->verticalScrollBar()->sizeHint().width();
    QWidget* content = makeContent(2);  // rebuilt because texts, shortcuts and fonts may have changed
    if (content->sizeHint().width() + bar > available.width()) {
        delete content;
        content = makeContent(1);
    }
    m_area->setWidget(content);
    content->setAutoFillBackground(false);  // shows the background of the panel
    m_area->viewport()->setAutoFillBackground(false);
    ensurePolished();
    QSize size = content->sizeHint().grownBy(layout()->contentsMargins()).grownBy(contentsMargins());
    if (size.height() > available.height()) size.rwidth() += bar;
    size = size.boundedTo(available);
    setGeometry(QRect(QPoint((available.width() - size.width()) / 2, (available.height() - size.height()) / 2), size));
    show();
    raise();
    setFocus();
}

void KeyboardSheet::keyPressEvent(QKeyEvent* event) {
    QScrollBar* bar = m_area->verticalScrollBar();
    switch (event->key()) {
        case Qt::Key_Escape:
            return toggle();
        case Qt::Key_Up:
            return bar->triggerAction(QScrollBar::SliderSingleStepSub);
        case Qt::Key_Down:
            return bar->triggerAction(QScrollBar::SliderSingleStepAdd);
        case Qt::Key_PageUp:
            return bar->triggerAction(QScrollBar::SliderPageStepSub);
        case Qt::Key_PageDown:
            return bar->triggerAction(QScrollBar::SliderPageStepAdd);
        default:
            return QFrame::keyPressEvent(event);
    }
}

void KeyboardSheet::mousePressEvent(QMouseEvent*) {
    toggle();
}

QWidget* KeyboardSheet::makeContent(int columns) {
    const ThemeManager& theme = ThemeManager::instance();
    auto* content = new QWidget;
    auto* outer = new QVBoxLayout(content);
    outer->setContentsMargins(theme.pixels(24), theme.pixels(16), theme.pixels(24), theme.pixels(24));
    outer->setSpacing(theme.pixels(12));
    auto* title = new QLabel(tr("Keyboard shortcuts"), content);
    title->setProperty("roomTitle", true);
    outer->addWidget(title);
    auto* beside = new QHBoxLayout;
    beside->setSpacing(theme.pixels(48));
    outer->addLayout(beside);
    outer->addStretch(1);
    QList<QGridLayout*> grids;
    for (int i = 0; i < columns; ++i) {
        auto* column = new QVBoxLayout;
        auto* grid = new QGridLayout;
        grids << grid;
        grid->setHorizontalSpacing(theme.pixels(24));
        grid->setVerticalSpacing(theme.pixels(4));
        column->addLayout(grid);
        column->addStretch(1);
        beside->addLayout(column);
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
        QGridLayout* named = nullptr;  // the column that already has the heading of this menu
        for (const QString& id : byMenu[menu]) {
            QGridLayout* grid = grids[placed * columns / total];
            if (named != grid) {
                auto* heading = new QLabel(menu, content);
                heading->setProperty("heading", true);
                grid->addWidget(heading, grid->rowCount(), 0, 1, 2);
                named = grid;
            }
            const QAction* action = m_registry->action(id);
            QStringList keys;
            for (const QKeySequence& sequence : action->shortcuts()) {
                const QString key = sequence.toString(QKeySequence::NativeText);
                if (!keys.contains(key)) keys << key;
            }
            const int row = grid->rowCount();
            QString text = action->text();
            grid->addWidget(new QLabel(text.remove(QLatin1Char('&')), content), row, 0);
            auto* key = new QLabel(keys.join(tr("  or  ")), content);
            key->setProperty("quiet", true);
            grid->addWidget(key, row, 1, Qt::AlignRight);
            ++placed;
        }
    }
    return content;
}

}  // namespace ropelab::ui
