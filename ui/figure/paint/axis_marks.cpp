#include "ui/figure/paint/axis_marks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/numbers.h"
#include "ui/figure/text_metrics.h"

namespace ropelab::ui {
namespace {

// In sizes of the text; large enough for labels of numbers.
constexpr double kXSpacing = 9;
constexpr double kYSpacing = 3.6;
// Widths in letters: the gap between labels, and the shortest shortened name.
constexpr double kLabelGap = 1;
constexpr double kTightGap = 0.15;  // on paper, where all names can have space with it
constexpr double kMinNameWidth = 8;
constexpr double kMaxShortName = 5.5;  // names up to this width are numbers, of which some may be omitted

/// Always keeps the last label. Sizes are those along the axis.
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

/// Whether labels overlap of which only every n-th is drawn.
bool touchEvery(qsizetype stride, const Ticks& ticks, const AxisScale& scale, const QList<double>& sizes,
                double between) {
    for (qsizetype i = stride; i < ticks.at.size(); i += stride) {
        const double apart = scale.toDevice(ticks.at[i]) - scale.toDevice(ticks.at[i - stride]);
        if (apart < (sizes[i] + sizes[i - stride]) / 2 + between) return true;
    }
    return false;
}

/// Uses the smallest n at which every n-th label does not overlap.
void thinEvenly(Ticks& ticks, const AxisScale& scale, const QList<double>& sizes, double between) {
    for (qsizetype stride = 1; stride <= ticks.at.size(); ++stride) {
        if (touchEvery(stride, ticks, scale, sizes, between)) continue;
        for (qsizetype i = 0; i < ticks.at.size(); ++i) {
            if (i % stride != 0) {
                ticks.labels[i].clear();
            }
        }
        return;
    }
}

QList<double> widthsOf(const QStringList& labels, const FigureStyle& style, double points) {
    QList<double> widths;
    for (const QString& label : labels) widths.append(style.extentOf(label, points).width);
    return widths;
}

double largestOf(const QList<double>& sizes) {
    return sizes.isEmpty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
}

/// Size of the names of an axis: on paper, where none should be cut off, smaller if they are wider than `most`.
double namePoints(const QStringList& names, const FigureStyle& style, double most) {
    constexpr double step = 0.5;
    double points = style.tickPt;
    while (!style.onScreen && points - step >= FigureStyle::kLeastPt &&
           largestOf(widthsOf(names, style, points)) > most) {
        points -= step;
    }
    return points;
}

/// On paper, where a name that is left out is lost: the largest size at which all names have space, `sizesOf` being
/// their extents along the axis, with a gap. The usual size where no size is sufficient.
template <typename SizesOf>
double pointsWithin(const Ticks& ticks, const AxisScale& scale, const FigureStyle& style, double gap,
                    const SizesOf& sizesOf) {
    constexpr double step = 0.5;
    if (style.onScreen) return style.tickPt;
    for (double points = style.tickPt; points >= FigureStyle::kLeastPt; points -= step) {
        if (!touchEvery(1, ticks, scale, sizesOf(points), gap)) return points;
    }
    return style.tickPt;
}

/// Height of a name in a row, of which letters on paper need less than a line.
double rowOf(const TextMetrics& metrics, const FigureStyle& style) {
    constexpr double letters = 0.77;
    return style.onScreen ? metrics.height() : letters * metrics.height();
}

/// Of names in rows, or upright ones.
double pointsOfRows(const Ticks& ticks, const AxisScale& scale, const FigureStyle& style) {
    return pointsWithin(ticks, scale, style, 0, [&](double points) {
        return QList<double>(ticks.at.size(), rowOf(TextMetrics(style.font(points)), style));
    });
}

}  // namespace

Ticks customMarks(const Axis& axis, const AxisScale& scale) {
    Ticks result;
    const auto add = [&](double at, const QString& label) {
        if (scale.contains(at)) {
            result.at.append(at);
            result.labels.append(label);
        }
    };
    for (qsizetype i = 0; i < axis.categories.size(); ++i) {
        if (!axis.categories[i].isEmpty()) add(static_cast<double>(i), axis.categories[i]);
    }
    QList<double> values = axis.marks;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (qsizetype i = 0; i < values.size(); ++i) {
        // Neighbours that differ only in later digits are printed with all of them.
        const QString label = markText(values[i]);
        const bool isShared =
            (i > 0 && markText(values[i - 1]) == label) || (i + 1 < values.size() && markText(values[i + 1]) == label);
        add(values[i], isShared ? QString::fromStdString(number_text(values[i])) : label);
    }
    return axis.categories.isEmpty() && result.at.size() < 2 ? Ticks() : result;
}

int tickCount(const AxisScale& scale, bool isX, const FigureStyle& style) {
    return std::max(
        2, static_cast<int>(std::lround(scale.length / style.units((isX ? kXSpacing : kYSpacing) * style.tickPt))));
}

AxisMarks xAxisMarks(const Axis& axis, const AxisScale& scale, const FigureStyle& style, double left, double right,
                     double deepest) {
    const TextMetrics metrics(style.font(style.tickPt));
    const double letter = metrics.horizontalAdvance(QLatin1Char('e'));
    AxisMarks marks{customMarks(axis, scale), style.tickPt, false, metrics.height()};
    Ticks& ticks = marks.ticks;
    if (ticks.at.isEmpty()) {
        ticks = ticksOf(scale.minimum, scale.maximum, scale.logarithmic, tickCount(scale, true, style), axis.whole);
        thin(ticks, scale, widthsOf(ticks.labels, style, style.tickPt), kLabelGap * letter);
        return marks;
    }
    QList<double> widths = widthsOf(ticks.labels, style, style.tickPt);
    if (axis.categories.isEmpty()) {
        // "10k" where "10,000" has no space. On paper there is a second row.
        if (style.onScreen && touchEvery(1, ticks, scale, widths, kLabelGap * letter)) {
            for (qsizetype i = 0; i < ticks.at.size(); ++i) {
                const QString brief = QString::fromStdString(short_number(ticks.at[i]));
                if (brief.size() < ticks.labels[i].size()) ticks.labels[i] = brief;
            }
            widths = widthsOf(ticks.labels, style, style.tickPt);
        }
        const QStringList all = ticks.labels;
        thin(ticks, scale, widths, kLabelGap * letter);
        // On paper, where the pointer cannot tell a value, labels without space are in a second row.
        double end = -std::numeric_limits<double>::infinity();
        for (qsizetype i = 0; i < all.size() && !style.onScreen; ++i) {
            const double left = scale.toDevice(ticks.at[i]) - widths[i] / 2;
            if (!ticks.labels[i].isEmpty() || left < end) continue;
            ticks.labels[i] = QLatin1Char('\n') + all[i];
            end = left + widths[i] + kLabelGap * letter;
            marks.extent = metrics.height() + metrics.lineSpacing();
        }
        // Labels of a few of many values have no even distance: round numbers have.
        const auto lost = ticks.labels.count(QString());
        if (!style.onScreen && 2 * lost > ticks.labels.size()) {
            const QList<double> values = ticks.at;
            for (int about = 3 * tickCount(scale, true, style); about > 1; --about) {
                ticks = ticksOf(scale.minimum, scale.maximum, scale.logarithmic, about, axis.whole);
                widths = widthsOf(ticks.labels, style, style.tickPt);
                if (!touchEvery(1, ticks, scale, widths, kLabelGap * letter)) break;
            }
            ticks.minor = values;
            marks.extent = metrics.height();
        }
        return marks;
    }
    if (largestOf(widths) <= kMaxShortName * letter) {
        const bool areNumbers = std::ranges::all_of(ticks.labels, [](const QString& label) {
            return std::ranges::none_of(label, [](QChar sign) { return sign.isLetter() || sign == u'%'; });
        });
        // On paper, a name that is left out is lost, also "10k" and "25 %"; a number such as that of a position is not.
        const bool isTight = !areNumbers && touchEvery(1, ticks, scale, widths, kLabelGap * letter);
        const double gap = (isTight && !style.onScreen ? kTightGap : kLabelGap) * letter;
        if (isTight) {
            marks.points = pointsWithin(ticks, scale, style, gap,
                                        [&](double points) { return widthsOf(ticks.labels, style, points); });
        }
        const QList<double> sizes = widthsOf(ticks.labels, style, marks.points);
        if (!isTight || style.onScreen || !touchEvery(1, ticks, scale, sizes, gap)) {
            thinEvenly(ticks, scale, sizes, gap);
            return marks;
        }
    }
    // The space of a name extends halfway to its neighbours, or to the plot's edge.
    QList<double> spaces;
    bool allFit = true;
    bool allFitInTwoRows = true;
    bool allCanBeCut = true;
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        const double at = scale.toDevice(ticks.at[i]);
        const double before = i > 0 ? (at - scale.toDevice(ticks.at[i - 1])) / 2 : at + left;
        const double after =
            i + 1 < ticks.at.size() ? (scale.toDevice(ticks.at[i + 1]) - at) / 2 : scale.length - at + right;
        spaces.append(2 * std::min(before, after) - kLabelGap * letter);
        allFit = allFit && widths[i] <= spaces[i];
        allCanBeCut = allCanBeCut && (widths[i] <= spaces[i] || spaces[i] >= kMinNameWidth * letter);
        const double end = i > 1 ? scale.toDevice(ticks.at[i - 2]) + widths[i - 2] / 2 + kLabelGap * letter : -left;
        const bool isInside = at - widths[i] / 2 >= end && at + widths[i] / 2 <= scale.length + right;
        allFitInTwoRows = allFitInTwoRows && isInside;
    }
    if (allFit) {
        return marks;
    }
    if (!style.onScreen && allFitInTwoRows) {  // upright names would take the height of the axes
        for (qsizetype i = 1; i < ticks.at.size(); i += 2) ticks.labels[i].prepend(QLatin1Char('\n'));
        marks.extent = metrics.height() + metrics.lineSpacing();
        return marks;
    }
    constexpr qsizetype fewNames = 3;
    if (style.onScreen && allCanBeCut && ticks.at.size() <= fewNames) {
        for (qsizetype i = 0; i < ticks.at.size(); ++i) {
            ticks.labels[i] = metrics.elidedText(ticks.labels[i], Qt::ElideMiddle, spaces[i]);
        }
        return marks;
    }
    marks.upright = true;
    marks.points = std::min(namePoints(ticks.labels, style, deepest), pointsOfRows(ticks, scale, style));
    const TextMetrics names(style.font(marks.points));
    for (QString& label : ticks.labels) {
        label = names.elidedText(label, Qt::ElideMiddle, deepest);
    }
    marks.extent = largestOf(widthsOf(ticks.labels, style, marks.points));
    thinEvenly(ticks, scale, QList<double>(ticks.at.size(), rowOf(names, style)), 0);
    return marks;
}

AxisMarks yAxisMarks(const Axis& axis, const AxisScale& drawn, const FigureStyle& style, double widest) {
    AxisScale scale = drawn;
    scale.reversed = false;  // the direction does not affect which labels overlap
    AxisMarks marks{customMarks(axis, scale), style.tickPt};
    Ticks& ticks = marks.ticks;
    if (ticks.at.isEmpty()) {
        ticks = ticksOf(scale.minimum, scale.maximum, scale.logarithmic, tickCount(scale, false, style), axis.whole);
    } else {
        marks.points = std::min(namePoints(ticks.labels, style, widest), pointsOfRows(ticks, scale, style));
        const TextMetrics names(style.font(marks.points));
        for (QString& label : ticks.labels) {
            label = names.elidedText(label, Qt::ElideMiddle, widest);
        }
        thinEvenly(ticks, scale, QList<double>(ticks.at.size(), rowOf(names, style)), 0);
    }
    marks.extent = largestOf(widthsOf(ticks.labels, style, marks.points));
    return marks;
}

QString titleWithin(const Axis& axis, const QFont& font, double width) {
    const TextMetrics metrics(font);
    Axis cut = axis;
    const double rest = metrics.horizontalAdvance(axis.title()) - metrics.horizontalAdvance(axis.label);
    if (metrics.horizontalAdvance(axis.label) > width - rest)
        cut.label = axis.label.section(QLatin1String(" = "), 0, 0);
    cut.label = metrics.elidedText(cut.label, Qt::ElideRight, width - rest);
    return cut.title();
}

}  // namespace ropelab::ui
