#include "ui/figure/paint/printed_figure.h"

#include <algorithm>

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

/// Curves with the same numbers, and their bands, cover each other.
void joinEqualCurves(Figure& figure) {
    for (auto curve = figure.curves.begin(); curve != figure.curves.end(); ++curve) {
        if (!isNamedLine(figure, *curve) || curve->x.size() < 2) continue;
        QStringList names(curve->label);
        const auto isCopy = [&](const FigureCurve& other) {
            if (!isNamedLine(figure, other) || other.x != curve->x || other.y != curve->y) return false;
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
        for (int dash = 0; dash <= most && seen.contains(lookOf(curve)); ++dash) curve.dash = dash;
        seen << lookOf(curve);
    }
}

}  // namespace

Figure withLinesInLegend(Figure figure, const QStringList& labels) {
    for (auto* lines : {&figure.horizontalLines, &figure.verticalLines}) {
        for (FigureLine& line : *lines) line.isInLegend = line.isInLegend || labels.contains(line.label);
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
