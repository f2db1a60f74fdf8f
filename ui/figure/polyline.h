#pragma once

#include <QList>

namespace ropelab::ui {

struct AxisScale {
    double minimum = 0;
    double maximum = 1;
    bool logarithmic = false;
    double length = 1;
    bool reversed = false;  // only on a linear axis: position 0 is at the maximum

    /// 0 at the minimum, `length` at the maximum (reversed axes: the other way round), NaN if the value cannot be
    /// drawn.
    double toDevice(double value) const;
    double fromDevice(double position) const;
    bool contains(double value) const { return value >= minimum && value <= maximum; }
};

/// In the axes' units. A NaN y separates pieces; x does not decrease.
struct Polyline {
    QList<double> x;
    QList<double> y;
};

/// The visible part of a curve, thinned to the device's resolution: of every column of `columnWidth` device units, the
/// lowest and the highest point and the ends of pieces are kept, so that the result looks like the whole curve. Lines
/// are cut at the borders of the axes, because not every device clips (Qt's SVG generator does not). A y that cannot be
/// drawn is a gap. x must not decrease.
Polyline drawable(const QList<double>& x, const QList<double>& y, const AxisScale& xScale, const AxisScale& yScale,
                  double columnWidth = 1);

/// Positions at least `gap` apart and as near as possible (least squares) to the wanted ones, which are ascending;
/// between `low` and `high` if that range is long enough for all.
QList<double> spread(const QList<double>& wanted, double gap, double low, double high);

}  // namespace ropelab::ui
