#pragma once

#include <QFont>
#include <QObject>

#include "ui/theme/theme.h"

namespace ropelab::ui {

/// The application's theme: which appearance, how large, and how that reaches Qt (palette, style sheet, font).
///
/// Lengths: window.md's numbers are pixels at 100 %; `px(12)` is 12 of them at today's scale.
///
/// The style sheet knows these properties (set them before the widget is shown, values as written):
///   QPushButton  primary=true          the one filled button of a panel ("Start")
///   QAbstractButton  chip=true         a small rounded toggle or value
///   QToolButton  rail=true             a room in the rail; checked is the present room; low=true: without padding
///   QToolButton  corner=true           as high as the menu bar
///   QToolButton  quiet=true            no border until hovered
///   QLabel       quiet=true            units and hints
///   QLabel       heading=true          small capitals-like group heading ("SWEEP")
///   QLabel       roomTitle=true        15 pt
///   QWidget      panel=true            panel colour (QFrame, or QWidget with WA_StyledBackground)
///   QWidget      paper=true            plot paper
///   QLineEdit    wrong=true            what is typed cannot be used
///   QFrame       banner="error" | "warning" | "success" | "info"   a message in place
class ThemeManager : public QObject {
    Q_OBJECT

 public:
    enum class Choice { system, light, dark };
    Q_ENUM(Choice)

    /// The one of the application; needs a QApplication. Until `apply` nothing of Qt is touched.
    static ThemeManager& instance();

    Choice choice() const { return m_choice; }
    /// The scale of View > Larger in per cent, 100 to 250.
    int scale() const { return m_scale; }

    /// What `choice` comes to today. `system` on Qt 6.4 is judged from how light the platform's window colour is.
    const Theme& theme() const;

    /// A length given in pixels at 100 %, at today's scale and the screen's logical dots per inch.
    double px(double atHundred) const;
    /// The same, whole and at least 1.
    int pixels(double atHundred) const;
    /// Scale and the system's font size together: 1 at 100 % where the system's font is 10 pt or smaller, and on
    /// platforms without a desktop, so that pictures agree.
    double factor() const;

    /// The bundled family; digits are tabular.
    static QString family();
    /// The interface's font, 10.5 pt at 100 %.
    QFont font() const { return fontAt(10.5); }
    QFont fontAt(double points, QFont::Weight weight = QFont::Normal) const;

    /// Loads the bundled fonts (once) and gives palette, style sheet and font to the application.
    void apply();

 public slots:
    void setChoice(ropelab::ui::ThemeManager::Choice choice);
    /// Kept within 100 to 250.
    void setScale(int percent);
    /// View > Larger and Smaller: the next of 100, 110, 125, 150, 175, 200, 250.
    void larger();
    void smaller();

 signals:
    /// Colours or sizes changed; palette, style sheet and font are in place already.
    void changed();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    ThemeManager();
    void refresh();

    Choice m_choice = Choice::system;
    int m_scale = 100;
    bool m_applied = false;
    bool m_applying = false;
    Appearance m_system = Appearance::light;
    double m_systemFactor = 1.0;
};

}  // namespace ropelab::ui
