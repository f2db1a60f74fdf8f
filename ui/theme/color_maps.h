#pragma once

#include <QColor>

namespace ropelab::ui {

/// Perceptually even, from dark blue to yellow (Matplotlib's viridis, CC0). `share` from 0 to 1; beyond, the ends.
QRgb viridis(double share);
/// Blue below 0, the paper in the middle, orange above, for −1 to 1 (ends of Okabe–Ito's blue and vermilion).
QRgb diverging(double share, QRgb paper);
/// A closed circle of even lightness, for angles as shares of a turn.
QRgb cyclic(double turns);

}  // namespace ropelab::ui
