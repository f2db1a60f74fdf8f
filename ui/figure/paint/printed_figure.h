#pragma once

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

namespace ropelab::ui {

/// FigureLine::handle of the step that the window shows.
inline const QString kTimeHandle = QStringLiteral("time");

/// The figure as it is painted on paper, where nobody can hide a curve or look up a name: curves with the same numbers
/// are one curve with all names, curves that would look the same have different dash patterns, names that would take
/// more than a third of the width are in the legend, and a time cursor at the end of a course is left out. `width` is
/// that of the plot, in the painter's units.
Figure printedFigure(const Figure& figure, const FigureStyle& style, double width);

/// Values before smoothing are painted on paper: they hide each other behind many curves.
bool paintsRaw(const Figure& figure);

/// The figure with a number in place of each of these names of points, which the note explains. Points close together
/// share a number; the note names them from the top.
Figure withNumberedPoints(Figure figure, const QStringList& names);

/// Points at one place, of one ink and quantity, become one, named after the first of them: "Llama 2 7B +2".
void joinPoints(std::vector<FigureCurve>& points);

/// The figure with the labels of these lines in the legend.
Figure withLinesInLegend(Figure figure, const QStringList& labels);

}  // namespace ropelab::ui
