#include "ui/figure/axis_marks.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ropelab::ui {
namespace {

// From mark to mark, in sizes of their text, so that labels of numbers never touch.
constexpr double kAcross = 9;
constexpr double kUp = 3.6;
// In widths of a letter: between labels, and what a cut name keeps at least.
constexpr double kBetween = 1;
constexpr double kLeastName = 8;
constexpr double kShortName = 5.5;  // up to it names are numbers: some of them tell the others

/// What stands on the axis in place of round numbers, within its range; nothing where it has those.
Ticks ownMarks(const Axis& axis, const AxisScale& scale) {
    Ticks result;
    const auto add = [&](double at, const QString& label) {
        if (scale.contains(at)) {
            result.at.append(at);
            result.labels.append(label);
        }
    };
    for (qsizetype i = 0; i < axis.categories.size(); ++i) {
        add(static_cast<double>(i), axis.categories[i]);
    }
    QList<double> values = axis.marks;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const double value : values) {
        add(value, markText(value));
    }
    return axis.categories.isEmpty() && result.at.size() < 2 ? Ticks() : result;
}

/// Takes the labels away that touch one before; sizes are along the axis. The last one wins over those before it.
void thin(Ticks& ticks, const AxisScale& scale, const QList<double>& sizes, double between) {
    double end = -std::numeric_limits<double>::infinity();
    qsizetype before = -1;
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        const double at = scale.toDevice(ticks.at[i]);
        const bool touches = at - sizes[i] / 2 < end;
        if (touches && (i + 1 < ticks.at.size() || before <= 0)) {
            ticks.labels[i].clear();
            continue;
        }
        if (touches) {
            ticks.labels[before].clear();
        }
        end = at + sizes[i] / 2 + between;
        before = i;
    }
}

/// Leaves every second, third … label, the first of these steps at which none touches another.
void thinEvenly(Ticks& ticks, const AxisScale& scale, const QList<double>& sizes, double between) {
    for (qsizetype stride = 1; stride <= ticks.at.size(); ++stride) {
        bool touches = false;
        for (qsizetype i = stride; i < ticks.at.size() && !touches; i += stride) {
            const double apart = scale.toDevice(ticks.at[i]) - scale.toDevice(ticks.at[i - stride]);
            touches = apart < (sizes[i] + sizes[i - stride]) / 2 + between;
        }
        if (touches) {
            continue;
        }
        for (qsizetype i = 0; i < ticks.at.size(); ++i) {
            if (i % stride != 0) {
                ticks.labels[i].clear();
            }
        }
        return;
    }
}

QList<double> widthsOf(const QStringList& labels, const QFontMetricsF& metrics) {
    QList<double> widths;
    for (const QString& label : labels) {
        widths.append(metrics.horizontalAdvance(label));
    }
    return widths;
}

double largestOf(const QList<double>& sizes) {
    return sizes.isEmpty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

}  // namespace

int roundMarks(const AxisScale& scale, bool isX, const FigureStyle& style) {
    return std::max(2, static_cast<int>(std::lround(scale.length / style.units((isX ? kAcross : kUp) * style.tickPt))));
}

AxisMarks marksAcross(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double left, double right,
                      double deepest) {
    const QFontMetricsF metrics(style.font(style.tickPt));
    AxisMarks marks{ownMarks(axis, scale), false, metrics.height()};
    Ticks& ticks = marks.ticks;
    if (ticks.at.isEmpty()) {
        ticks = ticksOf(scale.minimum, scale.maximum, scale.logarithmic, roundMarks(scale, true, style));
        return marks;
    }
    const double letter = metrics.horizontalAdvance(QLatin1Char('e'));
    const QList<double> widths = widthsOf(ticks.labels, metrics);
    if (axis.categories.isEmpty()) {
        thin(ticks, scale, widths, kBetween * letter);
        return marks;
    }
    if (largestOf(widths) <= kShortName * letter) {
        thinEvenly(ticks, scale, widths, kBetween * letter);
        return marks;
    }
    // A name's room: to half the way to its neighbours, or to the plot's edge.
    QList<double> rooms;
    bool allFit = true;
    bool allCanBeCut = true;
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        const double at = scale.toDevice(ticks.at[i]);
        const double before = i > 0 ? (at - scale.toDevice(ticks.at[i - 1])) / 2 : at + left;
        const double after =
            i + 1 < ticks.at.size() ? (scale.toDevice(ticks.at[i + 1]) - at) / 2 : scale.length - at + right;
        rooms.append(2 * std::min(before, after) - kBetween * letter);
        allFit = allFit && widths[i] <= rooms[i];
        allCanBeCut = allCanBeCut && (widths[i] <= rooms[i] || rooms[i] >= kLeastName * letter);
    }
    if (allFit) {
        return marks;
    }
    constexpr qsizetype fewNames = 3;
    if (allCanBeCut && ticks.at.size() <= fewNames) {
        for (qsizetype i = 0; i < ticks.at.size(); ++i) {
            ticks.labels[i] = metrics.elidedText(ticks.labels[i], Qt::ElideMiddle, rooms[i]);
        }
        return marks;
    }
    marks.upright = true;
    for (QString& label : ticks.labels) {
        label = metrics.elidedText(label, Qt::ElideMiddle, deepest);
    }
    marks.extent = largestOf(widthsOf(ticks.labels, metrics));
    thinEvenly(ticks, scale, QList<double>(ticks.at.size(), metrics.height()), 0);
    return marks;
}

AxisMarks marksUp(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double widest) {
    const QFontMetricsF metrics(style.font(style.tickPt));
    AxisMarks marks{ownMarks(axis, scale)};
    Ticks& ticks = marks.ticks;
    if (ticks.at.isEmpty()) {
        ticks = ticksOf(scale.minimum, scale.maximum, scale.logarithmic, roundMarks(scale, false, style));
    } else {
        for (QString& label : ticks.labels) {
            label = metrics.elidedText(label, Qt::ElideMiddle, widest);
        }
        thinEvenly(ticks, scale, QList<double>(ticks.at.size(), metrics.height()), 0);
    }
    marks.extent = largestOf(widthsOf(ticks.labels, metrics));
    return marks;
}

QString titleWithin(const Axis& axis, const QFont& font, double width) {
    const QFontMetricsF metrics(font);
    Axis cut = axis;
    const double rest = metrics.horizontalAdvance(axis.title()) - metrics.horizontalAdvance(axis.label);
    cut.label = metrics.elidedText(axis.label, Qt::ElideRight, width - rest);
    return cut.title();
}

}  // namespace ropelab::ui
