#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QToolButton;

namespace ropelab::ui {

class ActionRegistry;

/// Right end of the menu bar: the name of the lab, and buttons that show the hidden settings panel, choose the theme
/// and toggle full screen. The buttons trigger actions of the registry.
class Corner : public QWidget {
    Q_OBJECT

 public:
    /// Creates the corner widget. The registry must contain the actions of the window already.
    Corner(ActionRegistry& registry, QWidget* parent);

    /// Shows the name of the lab, with its path as the tooltip.
    void showLab(const QString& name, const QString& path);
    /// Hides the name of the lab if `narrow`; the window title still shows it.
    void setNarrow(bool narrow);

    QToolButton* panelButton() const { return m_panel; }
    QToolButton* themeButton() const { return m_theme; }
    QToolButton* fullScreenButton() const { return m_fullScreen; }

 signals:
    /// The preferred width of the corner changed.
    void widthChanged();

 private:
    QToolButton* addButton(const QString& name);
    /// Makes a click on the button trigger the action with this id.
    void bindToAction(QToolButton* button, const QString& id);
    void fit();

    ActionRegistry& m_registry;
    QLabel* m_lab;
    QToolButton* m_panel;
    QToolButton* m_theme;
    QToolButton* m_fullScreen;
};

}  // namespace ropelab::ui
