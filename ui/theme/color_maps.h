#pragma once

#include <QColor>

namespace ropelab::ui {

/// Perceptually uniform, from dark blue to yellow (Matplotlib, CC0). `fraction` is clamped to 0 … 1.
QRgb viridis(double fraction);
/// For a value from −1 to 1: blue below 0, the paper's colour at 0, orange above 0 (the ends are Okabe–Ito's blue and
/// vermilion).
QRgb diverging(double value, QRgb paper);
/// Constant lightness. 0 and 1 periods have the same colour.
QRgb cyclic(double periods);

}  // namespace ropelab::ui
