#pragma once

#include <QList>

namespace ropelab::ui {

/// One axis as it is drawn: its range and how long it is in device units.
struct AxisScale {
    double minimum = 0;
    double maximum = 1;
    bool logarithmic = false;
    double length = 1;

    /// From 0 at the minimum to `length` at the maximum; NaN for a value that cannot be drawn.
    double toDevice(double value) const;
    double fromDevice(double position) const;
    bool contains(double value) const { return value >= minimum && value <= maximum; }
};

/// Points in the axes' units. A NaN y ends a piece; x never decreases.
struct Polyline {
    QList<double> x;
    QList<double> y;
};

/// What has to be painted of a curve, and nothing else. In every column of that width (device units) the lowest and the
/// highest point stay, and the ends of pieces, so that the picture is that of the whole curve; what leaves the axes is
/// cut at their border (not every device clips: Qt's SVG generator does not). y that cannot be drawn is a gap. x does
/// not decrease.
Polyline drawable(const QList<double>& x, const QList<double>& y, const AxisScale& xScale, const AxisScale& yScale,
                  double columnWidth = 1);

/// Positions at least `gap` apart, as near to the wanted ones (ascending) as possible in the sum of squares, and within
/// low and high where there is room for all.
QList<double> spread(const QList<double>& wanted, double gap, double low, double high);

}  // namespace ropelab::ui
