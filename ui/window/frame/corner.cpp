#include "ui/window/frame/corner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include "ui/common/icons.h"
#include "ui/common/scaled.h"
#include "ui/shell/actions.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

Corner::Corner(ActionRegistry& registry, QWidget* parent)
    : QWidget(parent), m_registry(registry), m_lab(new QLabel(this)) {
    auto* row = scaledRow(this, 4, {8, 0, 8, 0});
    m_lab->setProperty("quiet", true);
    m_lab->setTextFormat(Qt::PlainText);
    row->addWidget(m_lab);
    m_panel = addButton(u"Show settings panel"_s);
    m_panel->setText(u"Settings"_s);
    bindToAction(m_panel, u"view.panel"_s);
    const QAction* panel = registry.action(u"view.panel"_s);
    const auto hideBesidePanel = [this, panel] {
        if (m_panel->isHidden() == panel->isChecked()) return;
        m_panel->setHidden(panel->isChecked());
        fit();
    };
    connect(panel, &QAction::changed, this, hideBesidePanel);
    m_theme = addButton(u"Theme"_s);
    setLineIcon(m_theme, outline::kTheme);
    m_theme->setToolTip(u"Choose the light theme, the dark theme or the theme of the system."_s);
    auto* menu = new QMenu(m_theme);
    for (const char* id : {"view.light", "view.dark", "view.system"}) {
        menu->addAction(m_registry.action(QLatin1String(id)));
    }
    connect(menu, &QMenu::aboutToShow, &registry, &ActionRegistry::refresh);
    m_theme->setMenu(menu);
    m_theme->setPopupMode(QToolButton::InstantPopup);
    m_fullScreen = addButton(u"Full screen"_s);
    setLineIcon(m_fullScreen, outline::kFullScreen);
    bindToAction(m_fullScreen, u"view.fullscreen"_s);
    m_fullScreen->setCheckable(true);
    const QAction* full = registry.action(u"view.fullscreen"_s);
    connect(full, &QAction::changed, m_fullScreen, [this, full] { m_fullScreen->setChecked(full->isChecked()); });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &Corner::fit);
    hideBesidePanel();
}

QToolButton* Corner::addButton(const QString& name) {
    auto* button = new QToolButton(this);
    button->setProperty("corner", true);
    button->setAccessibleName(name);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    return button;
}

void Corner::bindToAction(QToolButton* button, const QString& id) {
    const QAction* action = m_registry.action(id);
    button->setToolTip(
        u"%1 (%2)"_s.arg(m_registry.spec(id).text, action->shortcut().toString(QKeySequence::NativeText)));
    connect(button, &QToolButton::clicked, action, &QAction::trigger);
}

void Corner::showLab(const QString& name, const QString& path) {
    m_lab->setText(name);
    m_lab->setToolTip(path);
    fit();
}

void Corner::setNarrow(bool narrow) {
    if (m_lab->isHidden() == narrow) return;
    m_lab->setHidden(narrow);
    fit();
}

void Corner::fit() {
    adjustSize();
    emit widthChanged();
}

}  // namespace ropelab::ui

#include "moc_corner.cpp"
