#pragma once

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

/// Tick marks of an axis with labels that do not overlap: round numbers, the axis's own values, or names of categories.
struct AxisMarks {
    /// The label of a mark is empty if there is no space for it.
    Ticks ticks;
    /// The names below an x axis are rotated by 90 degrees, because there is not enough space side by side.
    bool upright = false;
    /// Largest width (y axis) or height (x axis) of a label, in the plot's units.
    double extent = 0;
};

/// Returns the axis's own marks or names within its range, each once and in ascending order; empty if the axis shows
/// round numbers.
Ticks customMarks(const Axis& axis, const AxisScale& scale);
/// Number of round numbers that fit on an axis.
int tickCount(const AxisScale& scale, bool isX, const FigureStyle& style);
/// Returns the marks of an x axis. `left` and `right` are the distances from the axis to the plot's edges; rotated
/// labels are shortened to the length `deepest`.
AxisMarks xAxisMarks(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double left, double right,
                     double deepest);
/// Returns the marks of a y axis. Labels are shortened to the width `widest`.
AxisMarks yAxisMarks(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double widest);
/// Returns the axis's title, shortened to a width. The unit is not shortened.
QString titleWithin(const Axis& axis, const QFont& font, double width);

}  // namespace ropelab::ui
