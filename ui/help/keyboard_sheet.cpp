#include "ui/help/keyboard_sheet.h"

#include <QApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMap>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "ui/shell/actions.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

KeyboardSheet::KeyboardSheet(ActionRegistry* registry, QWidget* window)
    : QFrame(window), m_registry(registry), m_area(new QScrollArea(this)) {
    setObjectName(u"keyboardSheet"_s);
    setProperty("panel", true);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(u"Keyboard shortcuts"_s);
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

QList<KeyboardSheet::Row> KeyboardSheet::allRows() const {
    QStringList menus;
    QMap<QString, QList<Row>> byMenu;
    for (const QString& id : m_registry->ids()) {
        const QAction* action = m_registry->action(id);
        QStringList keys;
        for (const QKeySequence& sequence : action->shortcuts()) {
            const QString key = sequence.toString(QKeySequence::NativeText);
            if (!keys.contains(key)) keys << key;
        }
        if (keys.isEmpty()) continue;
        const QString menu = m_registry->spec(id).menu.isEmpty() ? u"Rooms"_s : m_registry->spec(id).menu;
        if (!menus.contains(menu)) menus << menu;
        QString text = action->text();
        byMenu[menu].append({menu, text.remove(QLatin1Char('&')), keys.join(u"  or  "_s)});
    }
    QList<Row> rows;
    for (const QString& menu : menus) rows << byMenu[menu];
    // These keys are handled by the widget that has the focus, so that they are text in a field.
    const QString figure = u"With the focus in a figure"_s;
    const QString field = u"With the focus in a field or button"_s;
    rows << Row{figure, u"Highlight the next or previous pair, or move a handle"_s, u"Arrow keys"_s}
         << Row{figure, u"Remove the highlight of a pair or run"_s, u"Esc"_s}
         << Row{figure, u"Play or pause the animation (Rotation, Inspect)"_s, u"P"_s}
         << Row{figure, u"Previous or next position (Rotation) or snapshot (Inspect)"_s, u",  or  ."_s}
         << Row{figure, u"Zoom in, zoom out, reset axes (Train)"_s, u"+  or  -,  R"_s}
         << Row{figure, u"Switch the logarithmic y axis (Train)"_s, u"L"_s}
         << Row{field, u"Restore the field's former value and leave the field"_s, u"Esc"_s}
         << Row{field, u"Press the button"_s, u"Space"_s};
    return rows;
}

QWidget* KeyboardSheet::makeContent(int columns) {
    const ThemeManager& theme = ThemeManager::instance();
    auto* content = new QWidget;
    auto* outer = new QVBoxLayout(content);
    outer->setContentsMargins(theme.pixels(24), theme.pixels(16), theme.pixels(24), theme.pixels(24));
    outer->setSpacing(theme.pixels(12));
    auto* title = new QLabel(u"Keyboard shortcuts"_s, content);
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

    const QList<Row> rows = allRows();
    QGridLayout* named = nullptr;  // the column that already has the heading of this group
    QString group;
    for (qsizetype i = 0; i < rows.size(); ++i) {
        QGridLayout* grid = grids[i * columns / rows.size()];
        if (named != grid || group != rows[i].group) {
            auto* heading = new QLabel(rows[i].group, content);
            heading->setProperty("heading", true);
            grid->addWidget(heading, grid->rowCount(), 0, 1, 2);
            named = grid;
            group = rows[i].group;
        }
        const int row = grid->rowCount();
        grid->addWidget(new QLabel(rows[i].text, content), row, 0);
        auto* key = new QLabel(rows[i].keys, content);
        key->setProperty("quiet", true);
        grid->addWidget(key, row, 1, Qt::AlignRight);
    }
    return content;
}

}  // namespace ropelab::ui

#include "moc_keyboard_sheet.cpp"
