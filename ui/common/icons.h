#pragma once

#include <QAbstractButton>
#include <QColor>
#include <QPixmap>

namespace ropelab::ui {

// Icons are rendered from vector outlines, so they follow the colours of the theme and need no icon font.

/// SVG paths in a square of 24 units.
namespace outline {
constexpr const char* kStart = "M7 4 L20 12 L7 20 Z";
/// setIcon and renderIcon draw the bars on whole pixels, because bars of a few pixels would blur into stripes.
constexpr const char* kPause = "pause";
constexpr const char* kStop = "M5 5 H19 V19 H5 Z";
// Stroked, not filled: a half-dark disc, and the corners of a screen.
constexpr const char* kTheme =
    "M12 3 A9 9 0 1 0 12 21 A9 9 0 1 0 12 3 V21 M10.2 4 V20 M8.4 4.5 V19.5 M6.6 6 V18 M4.8 8 V16";
constexpr const char* kFullScreen = "M4 9 V4 H9 M15 4 H20 V9 M20 15 V20 H15 M9 20 H4 V15";
}  // namespace outline

/// `size` is in logical pixels, `ratio` the device pixel ratio. The outline is stroked and, if `filled`, also filled.
QPixmap renderIcon(const char* outline, const QColor& color, bool filled, int size, qreal ratio);

/// Filled, in the text colour of the theme or of a primary button. A second call replaces the icon.
void setIcon(QAbstractButton* button, const char* outline);
/// Stroked, as large as the text. A second call replaces the icon.
void setLineIcon(QAbstractButton* button, const char* outline);

}  // namespace ropelab::ui
