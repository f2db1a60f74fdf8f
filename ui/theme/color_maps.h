#pragma once

#include <QColor>

namespace ropelab::ui {

/// Returns a colour of the perceptually uniform map viridis, from dark blue to yellow (Matplotlib, CC0). `fraction` is
/// clamped to 0 … 1.
QRgb viridis(double fraction);
/// Returns a colour of a diverging map for a value from −1 to 1: blue below 0, the paper's colour at 0, orange above 0
/// (the ends are Okabe–Ito's blue and vermilion).
QRgb diverging(double value, QRgb paper);
/// Returns a colour of a cyclic map with constant lightness. The angle is given in periods: 0 and 1 have the same
/// colour.
QRgb cyclic(double periods);

}  // namespace ropelab::ui
