#include "ui/figure/paint/printed_figure.h"

#include <QHash>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "ui/figure/paint/figure_annotations.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMostNamesFraction = 0.36;  // of the width, for names at the ends of lines
constexpr qsizetype kColors = 7;             // of data, and dash patterns
// Closer points share a number, which has no space beside each; parts of the axes.
constexpr double kCloseAcross = 0.02;
constexpr double kCloseUp = 0.06;

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
/// Their largest distance is then in `apart`.
bool areAlike(const FigureCurve& a, const FigureCurve& b, bool isLogarithmic, double most, double& apart) {
    apart = 0;
    return a.x == b.x && std::equal(a.y.begin(), a.y.end(), b.y.begin(), b.y.end(), [&](double y, double other) {
               if (y == other || (std::isnan(y) && std::isnan(other))) return true;
               const double here = std::abs(isLogarithmic ? std::log(y / other) : y - other);
               apart = std::max(apart, here);
               return here <= most;
           });
}

/// "0.0014 nats", or "0.2 %" on a logarithmic axis: the largest distance of two curves.
QString distanceWords(const Figure& figure, double largest) {
    if (figure.y.logarithmic) return u"%1 %"_s.arg(readableNumber(100 * std::expm1(largest)));
    const bool isSmall = largest >= 1e-4 && largest < 0.01;  // readableNumber() writes it as a power of ten
    const QString words = isSmall ? QString::number(largest, 'g', 2) : readableNumber(largest);
    return u"%1 %2"_s.arg(words, figure.y.unit).trimmed();
}

/// Curves that cover each other have one line with the names of all; a note says how far apart they are.
void joinEqualCurves(Figure& figure) {
    const auto all = std::ranges::count_if(figure.curves, [&](const auto& each) { return isNamedLine(figure, each); });
    const Range range = yRange(figure);
    const double extent =
        figure.y.logarithmic ? std::log(range.maximum / range.minimum) : range.maximum - range.minimum;
    double largest = 0;
    for (auto curve = figure.curves.begin(); curve != figure.curves.end(); ++curve) {
        if (!isNamedLine(figure, *curve) || curve->x.size() < 2) continue;
        QStringList names(curve->label);
        const auto isCopy = [&](const FigureCurve& other) {
            double apart = 0;
            const double most = kSameFraction * extent;
            if (!isNamedLine(figure, other) || !areAlike(*curve, other, figure.y.logarithmic, most, apart))
                return false;
            largest = std::max(largest, apart);
            names << other.label;
            if (curve->companion && !other.companion) {  // the look of the main curve, whose band remains
                curve->companion = false;
                curve->ink = other.ink;
            }
            return true;
        };
        const auto copies = std::remove_if(curve + 1, figure.curves.end(), isCopy);
        figure.curves.erase(copies, figure.curves.end());
        names.removeDuplicates();
        curve->label = names.size() == all && all > 2 ? u"all %1 curves"_s.arg(all) : names.join(u"; "_s);
    }
    constexpr double kVisible = 1e-5;  // of the y axis
    if (largest <= kVisible * extent) return;
    figure.note +=
        (figure.note.isEmpty() ? QString() : u"; "_s) +
        u"curves that cover each other, at most %1 apart, have one entry"_s.arg(distanceWords(figure, largest));
}

/// The numbers of a name's first and second part among all of them.
struct Factors {
    QStringList first;
    QStringList second;
    QHash<QString, std::pair<int, int>> of;  // by name
};

/// Of names with two parts, such as "θ 100, 25 %", that are most combinations of few first and few second parts.
std::optional<Factors> factorsOf(const QStringList& names) {
    static const QRegularExpression between(u", | · "_s);
    for (int parts = 1; parts <= 3; ++parts) {
        Factors result;
        for (const QString& name : names) {
            const QStringList words = name.split(between);
            if (words.size() <= parts) continue;
            const auto place = [](QStringList& known, const QString& part) {
                if (!known.contains(part)) known << part;
                return static_cast<int>(known.indexOf(part));
            };
            result.of.insert(name, {place(result.first, words.first(parts).join(u", "_s)),
                                    place(result.second, words.sliced(parts).join(u", "_s))});
        }
        const qsizetype first = result.first.size();
        const qsizetype second = result.second.size();
        const bool isProduct = std::min(first, second) > 1 && first * second <= 2 * result.of.size();
        if (isProduct && std::max(first, second) <= kColors && result.of.size() + 2 >= names.size()) return result;
    }
    return std::nullopt;
}

/// More named lines than there are colours: the colour tells the setting with more values, the dash pattern the other
/// one, and the legend has each value once. False, without a change, if the names are no such combinations.
bool separateFactors(Figure& figure) {
    const auto isNamed = [](const FigureCurve& curve) {
        return curve.shape == FigureCurve::Shape::line && curve.ink.kind == Ink::Kind::data && !curve.companion &&
               !curve.label.isEmpty();
    };
    QStringList names;
    for (const FigureCurve& curve : figure.curves) {
        if (isNamed(curve)) names << curve.label;
    }
    const auto factors = names.size() > kColors ? factorsOf(names) : std::nullopt;
    if (!factors) return false;
    const bool isFirstColored = factors->first.size() >= factors->second.size();
    QHash<std::pair<int, int>, std::pair<int, int>> looks;  // colour and dash pattern by index and shade of an ink
    std::vector<FigureCurve> legend;
    const auto addEntry = [&](const QString& label, Ink ink, int dash) {
        constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();
        FigureCurve entry;
        entry.label = label;
        entry.ink = ink;
        entry.x = entry.y = {nowhere, nowhere};
        entry.dash = dash;
        legend.push_back(entry);
    };
    const QStringList& colored = isFirstColored ? factors->first : factors->second;
    const QStringList& dashed = isFirstColored ? factors->second : factors->first;
    for (int i = 0; i < colored.size(); ++i) addEntry(colored[i], Ink::data(i), 0);
    for (int i = 0; i < dashed.size(); ++i) addEntry(dashed[i], {Ink::Kind::text}, i);
    for (FigureCurve& curve : figure.curves) {
        if (!isNamed(curve)) continue;
        const auto found = factors->of.constFind(curve.label);
        if (found == factors->of.constEnd()) {  // such as the only setting without rotation
            curve.ink = {Ink::Kind::quiet};
            continue;
        }
        const auto [first, second] = *found;
        const std::pair look = isFirstColored ? std::pair(first, second) : std::pair(second, first);
        looks.insert({curve.ink.index, curve.ink.shade}, look);
        curve.label.clear();
    }
    const auto recolored = [&](Ink& ink) {
        const auto look = ink.kind == Ink::Kind::data ? looks.constFind({ink.index, ink.shade}) : looks.constEnd();
        if (look == looks.constEnd()) return -1;
        ink = Ink::data(look->first);
        return look->second;
    };
    for (FigureCurve& curve : figure.curves) {
        const int dash = recolored(curve.ink);
        if (dash >= 0 && curve.shape == FigureCurve::Shape::line && !curve.companion && !curve.solid) curve.dash = dash;
    }
    for (FigureBand& band : figure.bands) recolored(band.ink);
    figure.curves.insert(figure.curves.begin(), legend.begin(), legend.end());
    figure.hasNamesBelow = true;
    return true;
}

/// Every named line has its own combination of colour and dash pattern. In a greyscale print colours are alike: the
/// first lines of data, as many as there are patterns, and secondary lines, which are thin, differ in their patterns.
void distinguishLines(Figure& figure, const FigureStyle& style) {
    const auto lookOf = [&style](FigureCurve curve) {
        curve.ink.shade = 0;
        curve.emphasis = FigureCurve::Emphasis::normal;
        return style.penOf(curve);
    };
    QList<QPen> seen;
    for (FigureCurve& curve : figure.curves) {
        if (!isNamedLine(figure, curve) || curve.solid) continue;
        const auto isTaken = [&] {
            const QPen look = lookOf(curve);
            const auto hasPattern = [&](const QPen& pen) { return pen.dashPattern() == look.dashPattern(); };
            const bool isAlone = curve.companion || curve.ink.kind == Ink::Kind::data;
            return isAlone && seen.size() < kColors ? std::ranges::any_of(seen, hasPattern) : seen.contains(look);
        };
        const int most = static_cast<int>(seen.size());
        // A secondary line and one of setup B are never solid.
        const int first = curve.companion || curve.ink.kind == Ink::Kind::compared ? 1 : 0;
        for (int dash = first; dash <= most + 1 && isTaken(); ++dash) curve.dash = dash;
        seen << lookOf(curve);
    }
}

}  // namespace

bool paintsRaw(const Figure& figure) {
    constexpr int most = 3;
    const auto smoothed = std::ranges::count_if(figure.curves, [](const auto& curve) { return !curve.raw.isEmpty(); });
    return smoothed > 0 && smoothed <= most;
}

Figure withNumberedPoints(Figure figure, const QStringList& names) {
    const auto fractionOf = [](double at, const Range& range, bool isLogarithmic) {
        return isLogarithmic ? std::log(at / range.minimum) / std::log(range.maximum / range.minimum)
                             : (at - range.minimum) / (range.maximum - range.minimum);
    };
    struct Point {
        FigureCurve* curve;
        double across;
        double down;
    };
    std::vector<Point> points;
    for (FigureCurve& curve : figure.curves) {
        if (curve.shape != FigureCurve::Shape::points || curve.x.size() != 1 || !names.contains(curve.label)) continue;
        points.push_back({&curve, fractionOf(curve.x.first(), xRange(figure), figure.x.logarithmic),
                          -fractionOf(curve.y.first(), yRange(figure), figure.y.logarithmic)});
    }
    std::ranges::stable_sort(points, {}, [](const Point& point) { return std::pair(point.across, point.down); });
    QStringList numbered;
    bool isShared = false;
    const Point* before = nullptr;
    for (const Point& point : points) {
        const QString name = std::exchange(point.curve->label, {});
        if (before && point.across - before->across < kCloseAcross && std::abs(point.down - before->down) < kCloseUp) {
            isShared = true;
            numbered.last() += u", "_s + name;
        } else {
            numbered << u"%1\u00A0%2"_s.arg(numbered.size() + 1).arg(name);
            point.curve->label = QString::number(numbered.size());
        }
        before = &point;
    }
    if (isShared) numbered.prepend(u"points close together share a number, from the top"_s);
    if (figure.note.endsWith(u'.')) figure.note.chop(1);
    figure.note += (figure.note.isEmpty() ? QString() : u"; "_s) + numbered.join(u"; "_s);
    return figure;
}

void joinPoints(std::vector<FigureCurve>& points) {
    for (auto point = points.begin(); point != points.end(); ++point) {
        const auto others = std::remove_if(point + 1, points.end(), [&](const FigureCurve& other) {
            return other.x == point->x && other.y == point->y && other.ink == point->ink &&
                   other.quantity == point->quantity;
        });
        if (others != points.end()) point->label += u" +%1"_s.arg(points.end() - others);
        points.erase(others, points.end());
    }
}

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
    const bool hasRaw = paintsRaw(printed);
    for (FigureCurve& curve : printed.curves) {
        if (!hasRaw) curve.raw.clear();
    }
    Figure joined = printed;
    joinEqualCurves(joined);
    // Colours and dash patterns that all are one line would tell nothing.
    const auto isNamed = [&](const FigureCurve& curve) { return isNamedLine(printed, curve); };
    const bool isOneLine =
        std::ranges::count_if(joined.curves, isNamed) <= 1 && std::ranges::any_of(printed.curves, isNamed);
    if (isOneLine || !separateFactors(printed)) printed = std::move(joined);
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
