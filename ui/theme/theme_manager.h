#pragma once

#include <QFont>
#include <QObject>

#include "ui/theme/theme.h"

namespace ropelab::ui {

/// The application's theme: its appearance and scale. It sets Qt's palette, style sheet and font.
///
/// Lengths are given in pixels at a scale of 100 %; `px(12)` returns 12 such pixels at the current scale.
///
/// The style sheet uses these properties (set them before the widget is shown):
///   QPushButton  primary=true          the main button of a panel, filled ("Start")
///   QAbstractButton  chip=true         small rounded toggle or value
///   QToolButton  rail=true             room in the rail (checked: current room); low=true: no padding
///   QToolButton  corner=true           button of the menu bar's height
///   QToolButton  quiet=true            no border unless hovered
///   QLabel       quiet=true            units and hints
///   QLabel       heading=true          small heading of a group ("SWEEP")
///   QLabel       roomTitle=true        title of a room, 15 pt
///   QWidget      panel=true            panel background (QFrame, or QWidget with WA_StyledBackground)
///   QWidget      paper=true            plot background
///   QLineEdit    wrong=true            the typed text is invalid
///   QFrame       banner="error" | "warning" | "success" | "info"   message inside a page
class ThemeManager : public QObject {
    Q_OBJECT

 public:
    /// `contrast` is the theme for projectors.
    enum class Choice { system, light, dark, contrast };
    Q_ENUM(Choice)

    /// Needs a QApplication. Does not change Qt's state before `apply`.
    static ThemeManager& instance();

    Choice choice() const { return m_choice; }
    /// In per cent, 100 to 250 (View > Larger).
    int scale() const { return m_scale; }

    /// On Qt 6.4, `system` depends on the lightness of the platform's window colour.
    const Theme& theme() const;

    /// From pixels at 100 % to pixels at the current scale and the screen's logical dots per inch.
    double px(double atHundred) const;
    /// Whole, at least 1.
    int pixels(double atHundred) const;
    /// Scale times the system's font factor, which is 1 if the system's font has 10 pt or less, and on platforms
    /// without a desktop, so that screenshots do not depend on the system.
    double factor() const;

    /// Smallest text in pixels, as a presentation needs it; 0: that of the scale. Lengths stay those of the scale.
    double leastText() const { return m_leastText; }
    /// The size of the usual text by that of the scale: 1 without a smallest text.
    double textGrowth() const;

    /// The bundled font, which has tabular digits.
    static QString family();
    /// 10.5 pt at 100 %.
    QFont font() const { return fontAt(10.5); }
    QFont fontAt(double points, QFont::Weight weight = QFont::Normal) const;

    /// Loads the bundled fonts (once) and sets palette, style sheet and font.
    void apply();

 public slots:
    void setChoice(ropelab::ui::ThemeManager::Choice choice);
    /// Per cent, clamped to 100 … 250.
    void setScale(int percent) { setScale(percent, m_leastText); }
    void setScale(int percent, double leastText);
    /// The next larger scale of 100, 110, 125, 150, 175, 200 and 250 %.
    void larger();
    void smaller();

 signals:
    /// Palette, style sheet and font are set.
    void changed();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    ThemeManager();
    void refresh();
    /// Of a text that has this size at a scale of 100 %.
    double pointsOf(double points) const;

    Choice m_choice = Choice::system;
    int m_scale = 100;
    double m_leastText = 0;
    bool m_applied = false;
    bool m_applying = false;
    Appearance m_system = Appearance::light;
    double m_systemFactor = 1.0;
};

}  // namespace ropelab::ui
