#pragma once

#include <QColor>

namespace ropelab::ui {

/// Perceptually uniform, from dark blue to yellow (Matplotlib, CC0). `fraction` is clamped to 0 … 1.
QRgb viridis(double fraction);
/// For a value from −1 to 1: blue below 0, the paper's colour at 0, red above 0, with steps of equal perceived size
/// (the ends are those of ColorBrewer's RdBu, on dark paper its lighter ones).
QRgb diverging(double value, QRgb paper);
/// Constant lightness. 0 and 1 periods have the same colour.
QRgb cyclic(double periods);

}  // namespace ropelab::ui
