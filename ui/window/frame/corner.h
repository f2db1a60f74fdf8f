#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QToolButton;

namespace ropelab::ui {

class ActionRegistry;

/// Right end of the menu bar: name of the lab, and buttons for the panel, the theme and full screen.
class Corner : public QWidget {
    Q_OBJECT

 public:
    /// The registry must contain the actions of the window already.
    Corner(ActionRegistry& registry, QWidget* parent);

    void showLab(const QString& name, const QString& path);
    /// Hides the name of the lab if `narrow`; the window title still shows it.
    void setNarrow(bool narrow);

    QToolButton* panelButton() const { return m_panel; }
    QToolButton* themeButton() const { return m_theme; }
    QToolButton* fullScreenButton() const { return m_fullScreen; }

 signals:
    void widthChanged();

 private:
    QToolButton* addButton(const QString& name);
    void bindToAction(QToolButton* button, const QString& id);
    void fit();

    ActionRegistry& m_registry;
    QLabel* m_lab;
    QToolButton* m_panel;
    QToolButton* m_theme;
    QToolButton* m_fullScreen;
};

}  // namespace ropelab::ui
