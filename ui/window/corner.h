#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QToolButton;

namespace ropelab::ui {

class ActionRegistry;

/// The right end of the menu bar: the lab's name, the way to a folded settings panel, light or dark, full screen. Its
/// buttons are the registry's actions.
class Corner : public QWidget {
    Q_OBJECT

 public:
    /// Once the registry has its actions.
    Corner(ActionRegistry& registry, QWidget* parent);

    /// The name stands before the buttons; the path is its tooltip.
    void showLab(const QString& name, const QString& path);
    /// A narrow window shows the name in its title only.
    void setNarrow(bool narrow);

    QToolButton* panelButton() const { return m_panel; }
    QToolButton* themeButton() const { return m_theme; }
    QToolButton* fullScreenButton() const { return m_fullScreen; }

 signals:
    /// It needs another width.
    void fitted();

 private:
    QToolButton* addButton(const QString& name);
    /// The button does what the action does.
    void follow(QToolButton* button, const QString& id);
    void fit();

    ActionRegistry& m_registry;
    QLabel* m_lab;
    QToolButton* m_panel;
    QToolButton* m_theme;
    QToolButton* m_fullScreen;
};

}  // namespace ropelab::ui
