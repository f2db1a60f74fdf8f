#include "ui/rooms/spectrum/spectrum_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/stats/spectrum.h"
#include "ui/common/format.h"
#include "ui/figure/polyline.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloor = 0.01;    // lowest magnitude shown
constexpr double kColumns = 4096;  // columns that a curve is reduced to

/// The extremes of each column look the same on an axis of fewer pixels.
void thin(QList<double>& x, QList<double>& y, bool logarithmic) {
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    const AxisScale xScale{x.front(), x.back(), logarithmic, kColumns};
    const AxisScale yScale{*low - 1, *high + 1, false, 1};
    Polyline line = drawable(x, y, xScale, yScale);
    x = std::move(line.x);
    y = std::move(line.y);
}

QJsonObject settingsOf(const RotarySetup& setup, const KernelCurves& curves) {
    return {{u"setup"_s, QString::fromStdString(text_of(setup))},
            {u"window"_s, static_cast<double>(curves.kernelLength)},
            {u"thinned_to_extremes"_s, curves.isThinned}};
}

Figure emptyFigure(const RotarySetup& setup, const KernelCurves& curves, const QString& name) {
    Figure figure;
    figure.name = name;
    figure.settings = settingsOf(setup, curves);
    if (curves.periods.empty()) {
        figure.emptyText =
            u"No pair is rotated, so the kernel, a sum of cosines over the rotated pairs, has no "
            "terms."_s;
        figure.summary = figure.emptyText;
    }
    return figure;
}

FigureCurve marks(Ink ink, double pointPt) {
    FigureCurve curve;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = pointPt;
    curve.solid = true;  // rings are incomplete periods, not setup B
    return curve;
}

/// One pair alone has magnitude 1, at which the vertical line ends.
void addStem(FigureCurve& stems, double periods) {
    stems.x.append({periods, periods, periods});
    stems.y.append({kFloor, 1.0, kNaN});
}

FigureTable spectrumTable(const KernelCurves& curves) {
    FigureTable table;
    table.names = {u"periods in the kernel length"_s, u"magnitude (pairs)"_s, u"pair"_s, u"periods of the pair"_s};
    QList<double> pair;
    QList<double> periods;
    for (std::size_t i = 0; i < curves.periods.size(); ++i) {
        pair.append(static_cast<double>(i));
        periods.append(curves.periods[i]);
    }
    table.columns = {curves.bins, curves.magnitude, pair, periods};
    qsizetype rows = 0;
    for (const QList<double>& column : table.columns) {
        rows = std::max(rows, column.size());
    }
    for (QList<double>& column : table.columns) {
        column.resize(rows, kNaN);
    }
    return table;
}

}  // namespace

std::int64_t contextKernelLength(const RotarySetup& setup) {
    return std::clamp<std::int64_t>(setup.context, 2, kMaxKernelLength);
}

KernelCurves kernelCurves(const RotarySetup& setup, std::int64_t kernelLength) {
    const Frequencies now = frequencies(frequency_settings(setup));
    KernelCurves curves{.kernelLength = kernelLength};
    for (const double frequency : now.inverse_frequencies) {
        if (frequency > 0) {
            curves.periods.push_back(static_cast<double>(kernelLength) * frequency / (2 * std::numbers::pi));
        }
    }
    curves.complete = complete_pairs(now, static_cast<double>(kernelLength));
    if (curves.periods.empty()) {
        return curves;
    }
    const std::vector<double> sums = kernel(now.inverse_frequencies, static_cast<std::size_t>(kernelLength));
    const std::vector<double> spectrum = kernel_spectrum(sums);
    curves.kernel = {sums.begin(), sums.end()};
    curves.magnitude = {spectrum.begin(), spectrum.end()};
    const auto count = [](QList<double>& x, qsizetype size) {
        x.reserve(size);
        for (qsizetype i = 0; i < size; ++i) {
            x.append(static_cast<double>(i));
        }
    };
    count(curves.distance, curves.kernel.size());
    count(curves.bins, curves.magnitude.size());
    curves.isThinned = kernelLength > kLongKernel;
    if (curves.isThinned) {
        thin(curves.distance, curves.kernel, false);
        // Bin 0 has no place on a logarithmic axis, so it is not reduced.
        const double zero = curves.magnitude.takeFirst();
        curves.bins.removeFirst();
        thin(curves.bins, curves.magnitude, true);
        curves.bins.prepend(0);
        curves.magnitude.prepend(zero);
    }
    return curves;
}

Figure kernelFigure(const RotarySetup& setup, const KernelCurves& curves) {
    Figure figure = emptyFigure(setup, curves, u"kernel"_s);
    figure.x.label = u"distance Δ"_s;
    figure.x.unit = u"tokens"_s;
    figure.x.minimum = 0;
    figure.x.maximum = static_cast<double>(std::max<std::int64_t>(1, curves.kernelLength - 1));
    figure.y.label = u"K(Δ) = Σ cos(Δωᵢ)"_s;
    if (curves.periods.empty()) {
        return figure;
    }
    FigureCurve curve;
    curve.quantity = u"K(Δ)"_s;
    curve.ink = {Ink::Kind::rotated};
    curve.x = curves.distance;
    curve.y = curves.kernel;
    figure.curves.push_back(std::move(curve));
    figure.horizontalLines.push_back({0, {}, {Ink::Kind::quiet}});
    figure.note = u"sum of the cosines of %1 pairs"_s.arg(curves.periods.size());
    const auto [low, high] = std::minmax_element(curves.kernel.begin(), curves.kernel.end());
    figure.summary =
        u"The kernel K(Δ), the sum of cos(Δωᵢ) over %1 pairs, decreases from %2 at distance 0 to a "
        "minimum of %3 within %4 tokens."_s.arg(curves.periods.size())
            .arg(*high, 0, 'g', 4)
            .arg(*low, 0, 'g', 4)
            .arg(tokensText(static_cast<double>(curves.kernelLength)));
    return figure;
}

Figure kernelSpectrumFigure(const RotarySetup& setup, const KernelCurves& curves, std::optional<int> highlighted) {
    Figure figure = emptyFigure(setup, curves, u"kernel-spectrum"_s);
    figure.x.label = u"periods in %1 tokens"_s.arg(tokensText(static_cast<double>(curves.kernelLength)));
    figure.x.logarithmic = true;
    figure.y.label = u"DFT magnitude of K(Δ)"_s;
    figure.y.unit = u"pairs"_s;
    figure.y.logarithmic = true;
    if (curves.periods.empty()) {
        figure.x.minimum = 0.1;
        figure.x.maximum = 10;
        return figure;
    }
    const double highest = *std::max_element(curves.magnitude.begin(), curves.magnitude.end());
    figure.x.minimum = std::clamp(curves.periods.back() / 1.5, 1e-3, 0.25);
    figure.x.maximum = std::max(2.0, static_cast<double>(curves.kernelLength) / 2);
    figure.y.minimum = kFloor;
    figure.y.maximum = 5 * std::max(2.0, highest);

    FigureCurve spectrum;
    spectrum.quantity = u"magnitude"_s;
    spectrum.ink = {Ink::Kind::text};
    spectrum.x = curves.bins.mid(1);
    spectrum.y = curves.magnitude.mid(1);

    FigureCurve stems;
    stems.ink = {Ink::Kind::rotated};
    stems.companion = true;
    FigureCurve complete = marks({Ink::Kind::rotated}, 4);
    FigureCurve others = marks({Ink::Kind::rotated}, 4);
    others.emphasis = FigureCurve::Emphasis::dimmed;
    // The loop starts at the lowest frequency, because x must not decrease.
    for (std::size_t i = curves.periods.size(); i-- > 0;) {
        const double periods = curves.periods[i];
        FigureCurve& mark = periods >= 1 ? complete : others;
        mark.x.append(periods);
        mark.y.append(1);
        if (periods >= 1) {
            addStem(stems, periods);
        }
    }
    figure.curves = {std::move(stems), std::move(spectrum), std::move(others), std::move(complete)};
    if (highlighted && static_cast<std::size_t>(*highlighted) < curves.periods.size()) {
        FigureCurve mark = marks({Ink::Kind::accent}, 8);
        mark.emphasis = FigureCurve::Emphasis::picked;
        mark.x = {curves.periods[static_cast<std::size_t>(*highlighted)]};
        mark.y = {1};
        figure.curves.push_back(std::move(mark));
        figure.verticalLines.push_back({curves.periods[static_cast<std::size_t>(*highlighted)],
                                        u"pair %1"_s.arg(*highlighted),
                                        {Ink::Kind::accent}});
    }
    figure.verticalLines.push_back({1, u"one period"_s, {Ink::Kind::quiet}});
    const int incomplete = static_cast<int>(curves.periods.size()) - curves.complete;
    figure.note = u"filled circles: %1 with a full period"_s.arg(countText(curves.complete, u"pair"_s));
    // Bin 0 has no place on a logarithmic axis.
    if (incomplete > 0)
        figure.note += u"; open: %1, %2 %3 at 0 periods, left of the axis"_s.arg(incomplete)
                           .arg(incomplete == 1 ? u"whose peak is"_s : u"whose peaks add up to"_s)
                           .arg(curves.magnitude.first(), 0, 'g', 3);
    figure.table = spectrumTable(curves);
    figure.summary =
        u"%1 of %2 pairs complete at least one period in %3 tokens; peaks of neighbouring pairs can merge. The peaks "
        u"of the "
        "other pairs (%4) add up at 0 periods, with magnitude %5."_s.arg(curves.complete)
            .arg(curves.periods.size())
            .arg(tokensText(static_cast<double>(curves.kernelLength)))
            .arg(incomplete)
            .arg(curves.magnitude.first(), 0, 'g', 3);
    return figure;
}

std::optional<int> pairAtPeriods(const KernelCurves& curves, double periods) {
    constexpr double near = 0.2;  // largest difference of the logarithms
    std::optional<int> nearest;
    double distance = near;
    for (std::size_t i = 0; i < curves.periods.size(); ++i) {
        const double here = std::abs(std::log(curves.periods[i] / periods));
        if (here <= distance) {
            distance = here;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

}  // namespace ropelab::ui
