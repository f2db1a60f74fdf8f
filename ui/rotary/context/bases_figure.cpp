#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/spec/numbers.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/context/context_figures.h"
#include "ui/rotary/spectrum/spectrum_data.h"

namespace ropelab::ui {
namespace {

using Points = std::vector<BaseProfile::Point>;

constexpr std::int64_t kUsualLimit = 131072;
constexpr double kLeastContext = 64;
constexpr qsizetype kThinAbove = 4096;
constexpr double kColumns = 2048;

/// A base to be read: as many digits as a scan is good for.
QString roundBase(double base) {
    const double digit = std::pow(10.0, std::floor(std::log10(base)) - 3);
    return thetaText(std::round(std::round(base / digit) * digit));
}

QString plural(std::size_t number, const QString& one, const QString& many) {
    return number == 1 ? one : many;
}

/// "1,413–1,792, 1,892–1,897 and every one from 1,952 on".
QString intervalsText(const std::vector<BaseInterval>& intervals, double end) {
    constexpr std::size_t most = 3;
    QStringList pieces;
    const bool isOpen = !intervals.empty() && intervals.back().high >= end;
    const std::size_t closed = intervals.size() - (isOpen ? 1 : 0);
    for (std::size_t i = 0; i < std::min(closed, most); ++i) {
        const QString low = roundBase(intervals[i].low);
        const QString high = roundBase(intervals[i].high);
        pieces << (low == high ? low : QStringLiteral("%1–%2").arg(low, high));
    }
    if (closed > most) {
        pieces << plural(closed - most, QObject::tr("1 more island"),
                         QObject::tr("%1 more islands").arg(closed - most));
    }
    if (isOpen) {
        pieces << QObject::tr("all from %1 on").arg(roundBase(intervals.back().low));
    }
    return pieces.join(QStringLiteral(", "));
}

/// The largest so far, from the left, or the smallest to come, from the right: a staircase over the bases.
QList<double> envelope(const Points& points, bool largestSoFar) {
    QList<double> result(static_cast<qsizetype>(points.size()));
    const std::size_t count = points.size();
    double extreme = largestSoFar ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t i = largestSoFar ? k : count - 1 - k;
        const auto reach = static_cast<double>(points[i].reach);
        extreme = largestSoFar ? std::max(extreme, reach) : std::min(extreme, reach);
        result[static_cast<qsizetype>(i)] = extreme;
    }
    return result;
}

FigureCurve curveOf(const QList<double>& x, const QList<double>& y, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = QStringLiteral("context carried");
    curve.ink = ink;
    curve.x = x;
    curve.y = y;
    return curve;
}

FigureTable tableOf(const Points& points, std::int64_t limit) {
    FigureTable table;
    table.names = {QStringLiteral("base"), QStringLiteral("first m with B(m) < 0 (tokens)")};
    QList<double> bases;
    QList<double> reaches;
    for (const auto& [base, reach] : points) {
        bases.append(base);
        reaches.append(reach < limit ? static_cast<double>(reach) : std::numeric_limits<double>::quiet_NaN());
    }
    table.columns = {bases, reaches};
    return table;
}

/// Today's context, drawn where bases carry it.
FigureCurve islandsCurve(const std::vector<BaseInterval>& intervals, std::int64_t context) {
    FigureCurve curve;
    curve.quantity = QStringLiteral("bases that carry the context");
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

/// Islands that are too narrow for a line to be seen.
FigureCurve narrowIslands(const std::vector<BaseInterval>& intervals, std::int64_t context) {
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

/// From the smallest context that a close-up shows to the largest, in powers of two; the whole scan has fixed ends.
Range contextRange(const RotarySetup& setup, const BaseProfile::Range& range, const Points& points) {
    const auto today = static_cast<double>(setup.context);
    if (range.high > 10.1 * range.low) {
        return {std::min(kLeastContext, today / 2), static_cast<double>(range.limit)};
    }
    double low = today;
    double high = today;
    for (const auto& [base, reach] : points) {
        low = std::min(low, static_cast<double>(reach));
        high = std::max(high, static_cast<double>(reach));
    }
    return {std::exp2(std::floor(std::log2(low / 1.2))), std::exp2(std::ceil(std::log2(1.2 * high)))};
}

void addToday(Figure& figure, const RotarySetup& setup, std::optional<bool> isCarried) {
    FigureCurve mark;
    mark.quantity = QStringLiteral("today");
    mark.ink = {!isCarried ? Ink::Kind::accent : *isCarried ? Ink::Kind::success : Ink::Kind::error};
    mark.shape = FigureCurve::Shape::points;
    mark.emphasis = FigureCurve::Emphasis::picked;
    mark.pointPt = 9;
    mark.x = {setup.theta};
    mark.y = {static_cast<double>(setup.context)};
    figure.curves.push_back(std::move(mark));
}

}  // namespace

std::optional<bool> plainlyCarried(const RotarySetup& setup, std::int64_t limit) {
    if (first_negative(frequencies(plain_settings(setup)), setup.head_dim, std::min(setup.context, limit))) {
        return false;
    }
    return setup.context <= limit ? std::optional(true) : std::nullopt;
}

BaseProfile::Range baseRange(const RotarySetup& setup, bool near) {
    BaseProfile::Range range;
    range.limit = setup.context <= kUsualLimit ? kUsualLimit : kMostFollowed;
    if (near) {
        // A decade whose middle moves in thirds, so that a small change of theta leaves the picture where it is.
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
    const QString there = profile.isComplete()
                              ? all
                              : QObject::tr("%1 of %2").arg(readableCount(static_cast<double>(profile.done())), all);
    return QObject::tr("scan: %1 bases from %2 to %3, %4 % apart, to %5 tokens")
        .arg(there, text(range.low), text(range.high))
        .arg(100 * (profile.ratio() - 1), 0, 'g', 2)
        .arg(tokensText(static_cast<double>(range.limit)));
}

QString basesSentence(const RotarySetup& setup, const BaseProfile& profile) {
    if (!canBeNegative(setup)) {
        return QObject::tr("At most half of the channels turn, so every base carries every context.");
    }
    if (setup.context > profile.range().limit) {
        return QObject::tr("The context of %1 lies beyond the %2 tokens that the scan follows.")
            .arg(tokensText(static_cast<double>(setup.context)),
                 tokensText(static_cast<double>(profile.range().limit)));
    }
    const QString context = tokensText(static_cast<double>(setup.context));
    const auto intervals = carryingBases(profile.points(), setup.context);
    return intervals.empty() ? QObject::tr("No scanned base carries %1 tokens.").arg(context)
                             : QObject::tr("Bases that carry %1 tokens: %2.")
                                   .arg(context, intervalsText(intervals, profile.range().high * (1 - 1e-9)));
}

Figure basesFigure(const RotarySetup& setup, const BaseProfile& profile, std::optional<bool> isCarried) {
    const auto& range = profile.range();
    Figure figure;
    figure.name = QStringLiteral("feasible-bases");
    figure.x = {.label = QStringLiteral("base θ"),
                .unit = {},
                .logarithmic = true,
                .minimum = range.low,
                .maximum = range.high};
    const Points points = profile.points();
    const Range contexts = contextRange(setup, range, points);
    figure.y = {.label = QStringLiteral("context carried"),
                .unit = QStringLiteral("tokens"),
                .logarithmic = true,
                .minimum = contexts.minimum,
                .maximum = contexts.maximum};
    figure.settings = {{QStringLiteral("setup"), QString::fromStdString(text_of(setup))},
                       {QStringLiteral("scan_from"), range.low},
                       {QStringLiteral("scan_to"), range.high},
                       {QStringLiteral("scan_ratio"), profile.ratio()},
                       {QStringLiteral("scan_bases"), static_cast<double>(profile.count())},
                       {QStringLiteral("scan_bases_done"), static_cast<double>(profile.done())},
                       {QStringLiteral("followed_to"), static_cast<double>(range.limit)}};
    figure.summary = basesSentence(setup, profile);
    if (!canBeNegative(setup)) {
        figure.emptyText = figure.summary;
        return figure;
    }
    figure.note = scanText(profile);
    if (points.size() < 2) {
        figure.emptyText = QStringLiteral("The first bases are being scanned …");
        return figure;
    }
    Polyline reach;
    for (const auto& [base, carried] : points) {
        reach.x.append(base);
        reach.y.append(static_cast<double>(carried));
    }
    const QList<double> bases = reach.x;
    const auto thin = [&](const Polyline& line) {
        return line.x.size() <= kThinAbove ? line
                                           : drawable(line.x, line.y, {range.low, range.high, true, kColumns},
                                                      {1, 2.0 * static_cast<double>(range.limit), true, 1});
    };
    reach = thin(std::move(reach));
    figure.bands.push_back({QStringLiteral("carried"),
                            {Ink::Kind::success},
                            reach.x,
                            QList<double>(reach.x.size(), figure.y.minimum),
                            reach.y});
    const Polyline somewhere = thin({bases, envelope(points, true)});
    FigureCurve some = curveOf(somewhere.x, somewhere.y, {}, {Ink::Kind::quiet});
    some.quantity = QStringLiteral("carried by this base or a smaller one");
    some.companion = true;
    const Polyline everywhere = thin({bases, envelope(points, false)});
    FigureCurve every = curveOf(everywhere.x, everywhere.y, {}, {Ink::Kind::success});
    every.quantity = QStringLiteral("carried by every larger base too");
    every.companion = true;
    figure.curves.push_back(std::move(some));
    figure.curves.push_back(std::move(every));
    figure.curves.push_back(curveOf(reach.x, reach.y, {}, {Ink::Kind::rotated}));

    const auto intervals = carryingBases(points, setup.context);
    figure.curves.push_back(islandsCurve(intervals, setup.context));
    figure.curves.push_back(narrowIslands(intervals, setup.context));
    const QString context = tokensText(static_cast<double>(setup.context));
    figure.horizontalLines.push_back(
        {static_cast<double>(setup.context), QStringLiteral("context %1").arg(context), {Ink::Kind::quiet}});
    if (!intervals.empty()) {
        const bool isOpen = intervals.back().high >= range.high * (1 - 1e-9);
        const bool isOne = intervals.size() == 1 && isOpen;
        if (intervals.front().low > range.low) {
            const QString first = roundBase(intervals.front().low);
            figure.verticalLines.push_back(
                {intervals.front().low,
                 isOne ? QStringLiteral("carried from %1 on").arg(first) : QStringLiteral("first base %1").arg(first),
                 {Ink::Kind::success}});
        }
        if (isOpen && !isOne) {
            figure.verticalLines.push_back({intervals.back().low,
                                            QStringLiteral("all from %1 on").arg(roundBase(intervals.back().low)),
                                            {Ink::Kind::success}});
        }
    }
    addToday(figure, setup, isCarried);
    figure.table = tableOf(points, range.limit);
    return figure;
}

}  // namespace ropelab::ui
