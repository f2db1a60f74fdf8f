#pragma once

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

/// Labels do not overlap. Marks are round numbers, the axis's own values, or names of categories.
struct AxisMarks {
    /// A label is empty if there is no space for it.
    Ticks ticks;
    /// Size of the labels.
    double points = 0;
    /// Names below an x axis are rotated by 90 degrees where there is not enough space side by side.
    bool upright = false;
    /// Largest width (y axis) or height (x axis) of a label, in the plot's units.
    double extent = 0;
};

/// The axis's own marks or names within its range, each once and ascending; empty if the axis shows round numbers.
Ticks customMarks(const Axis& axis, const AxisScale& scale);
int tickCount(const AxisScale& scale, bool isX, const FigureStyle& style);
/// `left` and `right` are the distances from the axis to the plot's edges; rotated labels are shortened to `deepest`.
AxisMarks xAxisMarks(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double left, double right,
                     double deepest);
/// Labels are shortened to `widest`.
AxisMarks yAxisMarks(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double widest);
/// The unit is not shortened.
QString titleWithin(const Axis& axis, const QFont& font, double width);

}  // namespace ropelab::ui
