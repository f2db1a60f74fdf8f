#pragma once

#include <QAbstractButton>
#include <QColor>
#include <QPixmap>

namespace ropelab::ui {

// Icons are drawn from outlines, so that they follow the theme and need no font.

/// What an icon shows, as an SVG path in a square of 24.
namespace outline {
constexpr const char* start = "M7 4 L20 12 L7 20 Z";
constexpr const char* pause = "M6 4 H10 V20 H6 Z M14 4 H18 V20 H14 Z";
constexpr const char* stop = "M5 5 H19 V19 H5 Z";
// Drawn with a line: a disc that is half dark, and the corners of a screen.
constexpr const char* theme =
    "M12 3 A9 9 0 1 0 12 21 A9 9 0 1 0 12 3 V21 M10.2 4 V20 M8.4 4.5 V19.5 M6.6 6 V18 M4.8 8 V16";
constexpr const char* fullScreen = "M4 9 V4 H9 M15 4 H20 V9 M20 15 V20 H15 M9 20 H4 V15";
}  // namespace outline

/// The outline drawn with a line (`filled` false) or filled, `size` logical pixels wide.
QPixmap drawn(const char* outline, const QColor& color, bool filled, int size, qreal ratio);

/// A filled icon beside a button's words; it follows the theme, and the button's own text colour where it is the filled
/// (primary) one. Calling it again changes the icon.
void setIcon(QAbstractButton* button, const char* outline);
/// The same, drawn with a line and as large as the words.
void setLineIcon(QAbstractButton* button, const char* outline);

}  // namespace ropelab::ui
