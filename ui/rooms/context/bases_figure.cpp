#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/numbers.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

using Points = std::vector<BaseProfile::Point>;

constexpr std::int64_t kDefaultLimit = 131072;
constexpr double kMinContext = 64;
constexpr qsizetype kThinAbove = 4096;
constexpr double kColumns = 2048;

/// Four significant digits: a scan is not more precise.
QString roundBase(double base) {
    const double digit = std::pow(10.0, std::floor(std::log10(base)) - 3);
    return thetaText(std::round(std::round(base / digit) * digit));
}

QString plural(std::size_t number, const QString& one, const QString& many) {
    return number == 1 ? one : many;
}

/// "1,413–1,792, 1,892–1,897, all bases ≥ 1,952".
QString intervalsText(const std::vector<BaseInterval>& intervals, double end) {
    constexpr std::size_t most = 3;
    QStringList pieces;
    const bool isOpen = !intervals.empty() && intervals.back().high >= end;
    const std::size_t closed = intervals.size() - (isOpen ? 1 : 0);
    for (std::size_t i = 0; i < std::min(closed, most); ++i) {
        const QString low = roundBase(intervals[i].low);
        const QString high = roundBase(intervals[i].high);
        pieces << (low == high ? low : u"%1–%2"_s.arg(low, high));
    }
    if (closed > most) {
        pieces << plural(closed - most, u"1 more interval"_s, u"%1 more intervals"_s.arg(closed - most));
    }
    if (isOpen) {
        pieces << u"all bases ≥ %1"_s.arg(roundBase(intervals.back().low));
    }
    return pieces.join(u", "_s);
}

/// The largest supported context of each base and all smaller bases, or the smallest one of it and all larger bases.
QList<double> envelope(const Points& points, bool largestSoFar) {
    QList<double> result(static_cast<qsizetype>(points.size()));
    const std::size_t count = points.size();
    double extreme = largestSoFar ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = largestSoFar ? k : count - 1 - k;
        const auto supported = static_cast<double>(points[i].supported);
        extreme = largestSoFar ? std::max(extreme, supported) : std::min(extreme, supported);
        result[static_cast<qsizetype>(i)] = extreme;
    }
    return result;
}

FigureCurve curveOf(const QList<double>& x, const QList<double>& y, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = u"supported context length"_s;
    curve.ink = ink;
    curve.x = x;
    curve.y = y;
    return curve;
}

FigureTable tableOf(const Points& points, std::int64_t limit) {
    FigureTable table;
    table.names = {u"base"_s, u"first Δ with B(Δ) < 0 (tokens)"_s};
    QList<double> bases;
    QList<double> reaches;
    for (const auto& [base, supported] : points) {
        bases.append(base);
        reaches.append(supported < limit ? static_cast<double>(supported) : std::numeric_limits<double>::quiet_NaN());
    }
    table.columns = {bases, reaches};
    return table;
}

/// A horizontal line at the setup's context.
FigureCurve feasibleCurve(const std::vector<BaseInterval>& intervals, std::int64_t context) {
    FigureCurve curve;
    curve.quantity = u"feasible bases for the current context"_s;
    curve.ink = {Ink::Kind::success};
    curve.emphasis = FigureCurve::Emphasis::picked;
    curve.dots = false;
    const auto y = static_cast<double>(context);
    for (const BaseInterval& interval : intervals) {
        curve.x.append({interval.low, interval.high, interval.high});
        curve.y.append({y, y, std::numeric_limits<double>::quiet_NaN()});
    }
    return curve;
}

/// Feasible intervals that are too narrow to be visible as lines become points.
FigureCurve narrowIntervals(const std::vector<BaseInterval>& intervals, std::int64_t context) {
    FigureCurve points;
    points.ink = {Ink::Kind::success};
    points.shape = FigureCurve::Shape::points;
    points.pointPt = 3;
    points.companion = true;
    for (const BaseInterval& interval : intervals) {
        if (interval.high > 1.05 * interval.low) continue;
        points.x.append(std::sqrt(interval.low * interval.high));
        points.y.append(static_cast<double>(context));
    }
    return points;
}

/// Includes the scaling that every base of the scan has: "8,192 tokens", "131,072 tokens with YaRN".
QString contextText(const RotarySetup& setup) {
    const QString tokens = u"%1 tokens"_s.arg(tokensText(static_cast<double>(setup.context)));
    if (setup.scaling.method == ScalingMethod::none) return tokens;
    return u"%1 with %2"_s.arg(tokens, scalingTitle(setup.scaling.method));
}

/// A scan around theta gets the powers of two that enclose its contexts; a scan of all bases has fixed ends.
Range contextRange(const RotarySetup& setup, const BaseProfile::Range& range, const Points& points) {
    const auto current = static_cast<double>(setup.context);
    if (range.high > 10.1 * range.low) {
        return {std::min(kMinContext, current / 2), static_cast<double>(range.limit)};
    }
    double low = current;
    double high = current;
    for (const auto& [base, supported] : points) {
        low = std::min(low, static_cast<double>(supported));
        high = std::max(high, static_cast<double>(supported));
    }
    return {std::exp2(std::floor(std::log2(low / 1.2))), std::exp2(std::ceil(std::log2(1.2 * high)))};
}

/// What the colour of the setup's point says.
QString stateText(std::optional<bool> isSupported) {
    if (!isSupported) return {};
    return *isSupported ? u", green because this base supports this context"_s
                        : u", red because this base does not support this context"_s;
}

void addCurrentSetup(Figure& figure, const RotarySetup& setup, std::optional<bool> isSupported) {
    FigureCurve mark;
    mark.quantity = u"current setup"_s;
    mark.ink = {!isSupported ? Ink::Kind::accent : *isSupported ? Ink::Kind::success : Ink::Kind::error};
    mark.shape = FigureCurve::Shape::points;
    mark.emphasis = FigureCurve::Emphasis::dimmed;  // a ring, which does not hide the curve
    mark.pointPt = 9;
    mark.x = {setup.theta};
    mark.y = {static_cast<double>(setup.context)};
    figure.curves.push_back(std::move(mark));
}

}  // namespace

BaseProfile::Range baseRange(const RotarySetup& setup, bool near) {
    BaseProfile::Range range;
    range.limit = setup.context <= kDefaultLimit ? kDefaultLimit : kMaxPositions;
    if (near) {
        // The middle moves in steps of a third of a decade, so that a small change of theta does not move the axis.
        const double middle = std::round(3 * std::log10(setup.theta)) / 3;
        const double low = std::max(1.1, std::pow(10.0, middle - 0.5));
        const double digit = std::pow(10.0, std::floor(std::log10(low)) - 1);
        range.low = std::round(low / digit) * digit;
        range.high = 10 * range.low;
        return range;
    }
    range.low = setup.theta < range.low ? 2 : range.low;
    range.high = std::max(range.high, std::pow(10.0, std::ceil(std::log10(setup.theta))));
    return range;
}

QString scanText(const BaseProfile& profile) {
    const auto text = [](double base) {
        return base < 1e9 ? QString::fromStdString(short_number(base)) : readableNumber(base);
    };
    const auto& range = profile.range();
    const QString all = readableCount(static_cast<double>(profile.count()));
    const QString done =
        profile.isComplete() ? all : u"%1 of %2"_s.arg(readableCount(static_cast<double>(profile.done())), all);
    return u"Scan: %1 bases from %2 to %3 in steps of %4 %; the context bound B(Δ) is computed for distances of up "
           "to %5."_s.arg(done, text(range.low), text(range.high))
               .arg(100 * (profile.ratio() - 1), 0, 'g', 2)
               .arg(tokensText(static_cast<double>(range.limit)));
}

std::vector<BaseProfile::Point> basesWithTheta(const BaseProfile& profile, const BoundData& data) {
    Points points = profile.points();
    const auto& range = profile.range();
    const double theta = data.setup.theta;
    const bool isKnown = data.firstNegative || data.computedTo >= range.limit;
    if (points.empty() || !isKnown || theta < range.low || theta > range.high) return points;
    const BaseProfile::Point here{theta, std::min(data.firstNegative.value_or(range.limit), range.limit)};
    const auto place = std::lower_bound(points.begin(), points.end(), theta,
                                        [](const BaseProfile::Point& point, double base) { return point.base < base; });
    if (place != points.end() && place->base == theta) {
        *place = here;
    } else {
        points.insert(place, here);
    }
    return points;
}

QString basesSentence(const BaseProfile& profile, const BoundData& data) {
    const RotarySetup& setup = data.setup;
    if (!canBeNegative(setup)) {
        return u"At most half of the channels rotate, so the context bound excludes no base and no context, as for a "
               "head without rotation (NoPE). The bound is about random q and k: a trained model can still fail beyond "
               "its context."_s;
    }
    if (setup.context > profile.range().limit) {
        return u"The context of %1 tokens is too long: the scan over bases computes the context bound up to %2 "
               "tokens only."_s.arg(tokensText(static_cast<double>(setup.context)),
                                    tokensText(static_cast<double>(profile.range().limit)));
    }
    const QString context = contextText(setup);
    const auto intervals = profile.feasible(basesWithTheta(profile, data), setup.context);
    return intervals.empty() ? u"No scanned base from %1 to %2 supports a context of %3. A setup with a larger θ "
                               "extends the scan, and \"Refine scan\" finds narrower intervals."_s.arg(
                                   roundBase(profile.range().low), roundBase(profile.range().high), context)
                             : u"Bases that support a context of %1 (feasible bases): %2."_s.arg(
                                   context, intervalsText(intervals, profile.range().high * (1 - 1e-9)));
}

Figure basesFigure(const BaseProfile& profile, const BoundData& data) {
    const RotarySetup& setup = data.setup;
    const auto& range = profile.range();
    Figure figure;
    figure.name = u"feasible-bases"_s;
    figure.x = {.label = u"base θ"_s, .unit = {}, .logarithmic = true, .minimum = range.low, .maximum = range.high};
    const Points points = basesWithTheta(profile, data);
    const Range contexts = contextRange(setup, range, points);
    figure.y = {.label = u"supported context length"_s,
                .unit = u"tokens"_s,
                .logarithmic = true,
                .minimum = contexts.minimum,
                .maximum = contexts.maximum};
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))},
                       {u"scan_from"_s, range.low},
                       {u"scan_to"_s, range.high},
                       {u"scan_ratio"_s, profile.ratio()},
                       {u"scan_bases"_s, static_cast<double>(profile.count())},
                       {u"scan_bases_done"_s, static_cast<double>(profile.done())},
                       {u"followed_to"_s, static_cast<double>(range.limit)}};
    figure.summary = basesSentence(profile, data);
    if (!canBeNegative(setup)) {
        figure.emptyText = figure.summary;
        return figure;
    }
    figure.note =
        u"shaded: supported contexts; thick green: bases that support the context; point: θ and context of the setup%1. "_s
            .arg(stateText(isSupported(data))) +
        scanText(profile);
    if (profile.done() < 2) {
        figure.emptyText = u"The program is computing the supported context of the first bases …"_s;
        return figure;
    }
    Polyline curve;
    for (const auto& [base, supported] : points) {
        curve.x.append(base);
        curve.y.append(static_cast<double>(supported));
    }
    const QList<double> bases = curve.x;
    const auto thin = [&](const Polyline& line) {
        return line.x.size() <= kThinAbove ? line
                                           : drawable(line.x, line.y, {range.low, range.high, true, kColumns},
                                                      {1, 2.0 * static_cast<double>(range.limit), true, 1});
    };
    curve = thin(std::move(curve));
    figure.bands.push_back(
        {u"supported"_s, {Ink::Kind::success}, curve.x, QList<double>(curve.x.size(), figure.y.minimum), curve.y});
    const Polyline largest = thin({bases, envelope(points, true)});
    FigureCurve best = curveOf(largest.x, largest.y, {}, {Ink::Kind::quiet});
    best.label = u"largest of this and smaller bases"_s;
    best.quantity = u"largest supported context of this and smaller bases"_s;
    best.companion = true;
    best.solid = true;  // so that not only its colour distinguishes it from the other envelope
    const Polyline smallest = thin({bases, envelope(points, false)});
    FigureCurve worst = curveOf(smallest.x, smallest.y, {}, {Ink::Kind::success});
    worst.label = u"supported by this and all larger bases"_s;
    worst.quantity = u"context that this base and all larger bases support"_s;
    worst.companion = true;
    figure.hasLegend = true;
    figure.curves.push_back(std::move(best));
    figure.curves.push_back(std::move(worst));
    figure.curves.push_back(curveOf(curve.x, curve.y, {}, {Ink::Kind::rotated}));

    const auto intervals = profile.feasible(points, setup.context);
    figure.curves.push_back(feasibleCurve(intervals, setup.context));
    figure.curves.push_back(narrowIntervals(intervals, setup.context));
    const QString context = tokensText(static_cast<double>(setup.context));
    figure.horizontalLines.push_back(
        {static_cast<double>(setup.context), u"context %1"_s.arg(context), {Ink::Kind::quiet}});
    if (!intervals.empty()) {
        const bool isOpen = intervals.back().high >= range.high * (1 - 1e-9);
        const bool isOne = intervals.size() == 1 && isOpen;
        if (intervals.front().low > range.low) {
            const QString first = roundBase(intervals.front().low);
            figure.verticalLines.push_back(
                {intervals.front().low,
                 isOne ? u"feasible from %1"_s.arg(first) : u"smallest feasible base %1"_s.arg(first),
                 {Ink::Kind::success}});
        }
        if (isOpen && !isOne) {
            figure.verticalLines.push_back({intervals.back().low,
                                            u"all bases feasible from %1"_s.arg(roundBase(intervals.back().low)),
                                            {Ink::Kind::success}});
        }
    }
    addCurrentSetup(figure, setup, isSupported(data));
    figure.table = tableOf(points, range.limit);
    return figure;
}

}  // namespace ropelab::ui
