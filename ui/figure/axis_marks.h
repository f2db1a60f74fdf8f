#pragma once

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

/// The marks of an axis whose labels have room: round numbers, its own values, or its categories' names.
struct AxisMarks {
    /// A label without room is empty.
    Ticks ticks;
    /// Names under an x axis stand upright, for they have no room beside each other.
    bool upright = false;
    /// The widest label, or under an x axis the deepest, in the plot's units.
    double extent = 0;
};

/// How many round numbers an axis has room for.
int roundMarks(const AxisScale& scale, bool isX, const FigureStyle& style);
/// Marks of an x axis that begins `left` of its plot's edge and ends `right` of the other; labels upright are cut at
/// `deepest`.
AxisMarks marksAcross(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double left, double right,
                      double deepest);
/// Marks of a y axis; labels are cut at `widest`.
AxisMarks marksUp(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double widest);
/// The axis's title as far as it has room; the unit stays.
QString titleWithin(const Axis& axis, const QFont& font, double width);

}  // namespace ropelab::ui
