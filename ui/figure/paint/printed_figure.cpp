#include "ui/figure/paint/printed_figure.h"

#include <algorithm>
#include <cmath>

#include "ui/figure/paint/figure_annotations.h"
#include "ui/figure/paint/figure_head.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMostNamesFraction = 0.36;  // of the width, for names at the ends of lines

bool isNamedLine(const Figure& figure, const FigureCurve& curve) {
    return isLabelledAtEnd(figure, curve) && curve.emphasis != FigureCurve::Emphasis::dimmed;
}

/// Of the last point of a curve or the last column.
double lastPlace(const Figure& figure) {
    double last = figure.map ? figure.map->xFirst + (figure.map->columns - 1) * figure.map->xStep : 0;
    for (const FigureCurve& curve : figure.curves) last = curve.x.isEmpty() ? last : std::max(last, curve.x.last());
    return last;
}

constexpr double kSameFraction = 0.002;  // of the y axis: a quarter of a line in a figure for a column

/// Nowhere farther apart than a part of a line, so that one curve covers the other.
bool areAlike(const FigureCurve& a, const FigureCurve& b, bool isLogarithmic, double most) {
    return a.x == b.x && std::equal(a.y.begin(), a.y.end(), b.y.begin(), b.y.end(), [&](double y, double other) {
               const double apart = isLogarithmic ? std::log(y / other) : y - other;
               return y == other || std::abs(apart) <= most || (std::isnan(y) && std::isnan(other));
           });
}

/// Curves that cover each other have one line with the names of all.
void joinEqualCurves(Figure& figure) {
    const Range range = yRange(figure);
    const double extent =
        figure.y.logarithmic ? std::log(range.maximum / range.minimum) : range.maximum - range.minimum;
    for (auto curve = figure.curves.begin(); curve != figure.curves.end(); ++curve) {
        if (!isNamedLine(figure, *curve) || curve->x.size() < 2) continue;
        QStringList names(curve->label);
        const auto isCopy = [&](const FigureCurve& other) {
            if (!isNamedLine(figure, other) || !areAlike(*curve, other, figure.y.logarithmic, kSameFraction * extent))
                return false;
            names << other.label;
            return true;
        };
        const auto copies = std::remove_if(curve + 1, figure.curves.end(), isCopy);
        figure.curves.erase(copies, figure.curves.end());
        names.removeDuplicates();
        curve->label = names.join(u"; "_s);
    }
}

/// Every named line has its own combination of colour and dash pattern, also in a greyscale print, where shades of a
/// colour are alike.
void distinguishLines(Figure& figure, const FigureStyle& style) {
    const auto lookOf = [&style](FigureCurve curve) {
        curve.ink.shade = 0;
        curve.emphasis = FigureCurve::Emphasis::normal;
        return style.penOf(curve);
    };
    QList<QPen> seen;
    for (FigureCurve& curve : figure.curves) {
        if (!isNamedLine(figure, curve) || curve.solid) continue;
        const int most = static_cast<int>(seen.size());
        // A secondary line is never solid.
        for (int dash = curve.companion; dash <= most + 1 && seen.contains(lookOf(curve)); ++dash) curve.dash = dash;
        seen << lookOf(curve);
    }
}

}  // namespace

Figure withLinesInLegend(Figure figure, const QStringList& labels) {
    for (auto* lines : {&figure.horizontalLines, &figure.verticalLines}) {
        QList<Ink> inks;  // lines of one colour are all in the legend, which tells their patterns apart
        for (const FigureLine& line : *lines) {
            if (labels.contains(line.label)) inks << line.ink;
        }
        for (FigureLine& line : *lines) {
            line.isInLegend = line.isInLegend || (!line.label.isEmpty() && inks.contains(line.ink));
        }
    }
    return figure;
}

Figure printedFigure(const Figure& figure, const FigureStyle& style, double width) {
    Figure printed = figure;
    std::erase_if(printed.verticalLines,
                  [&](const FigureLine& line) { return line.handle == kTimeHandle && line.at >= lastPlace(figure); });
    if (figure.drawing || figure.map) return printed;
    joinEqualCurves(printed);
    if (style.dashes) distinguishLines(printed, style);
    if (FigureAnnotations::endLabelMargin(printed, style, width).width <= kMostNamesFraction * width) return printed;
    printed.hasNamesBelow = true;
    if (FigureAnnotations::endLabelMargin(printed, style, width).width <= kMostNamesFraction * width) return printed;
    QStringList atEnds;
    for (const FigureLine& line : printed.horizontalLines) {
        if (line.labelAtEnd) atEnds << line.label;
    }
    return withLinesInLegend(std::move(printed), atEnds);
}

}  // namespace ropelab::ui
