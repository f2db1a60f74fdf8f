#include "ui/rotary/spectrum/kernel_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/rope/context.h"
#include "core/rope/logit.h"
#include "core/stats/spectrum.h"
#include "ui/figure/polyline.h"
#include "ui/rotary/spectrum/spectrum_data.h"

namespace ropelab::ui {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloor = 0.01;      // of the magnitudes on show
constexpr double kColumns = 4096;    // of a thinned curve
constexpr double kZeroBinEnd = 0.5;  // bin 0 answers for less than half a turn

/// Extremes by columns, which an axis of fewer pixels cannot tell from the whole.
void thin(QList<double>& x, QList<double>& y, bool logarithmic) {
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    const AxisScale xScale{x.front(), x.back(), logarithmic, kColumns};
    const AxisScale yScale{*low - 1, *high + 1, false, 1};
    Polyline line = drawable(x, y, xScale, yScale);
    x = std::move(line.x);
    y = std::move(line.y);
}

QJsonObject settingsOf(const RotarySetup& setup, const KernelCurves& curves) {
    return {{QStringLiteral("setup"), QString::fromStdString(text_of(setup))},
            {QStringLiteral("window"), static_cast<double>(curves.window)},
            {QStringLiteral("thinned_to_extremes"), curves.isThinned}};
}

Figure emptyFigure(const RotarySetup& setup, const KernelCurves& curves, const QString& name) {
    Figure figure;
    figure.name = name;
    figure.settings = settingsOf(setup, curves);
    if (curves.turns.empty()) {
        figure.emptyText = QStringLiteral("Nothing turns, so the sum has no terms.");
        figure.summary = figure.emptyText;
    }
    return figure;
}

FigureCurve marks(Ink ink, double pointPt) {
    FigureCurve curve;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = pointPt;
    return curve;
}

/// A line from the floor up to a single pair's height.
void addStem(FigureCurve& stems, double turns) {
    stems.x.append({turns, turns, turns});
    stems.y.append({kFloor, 1.0, kNaN});
}

FigureTable spectrumTable(const KernelCurves& curves) {
    FigureTable table;
    table.names = {QStringLiteral("turns in the window"), QStringLiteral("magnitude (pairs)"), QStringLiteral("pair"),
                   QStringLiteral("turns of the pair")};
    QList<double> pair;
    QList<double> turns;
    for (std::size_t i = 0; i < curves.turns.size(); ++i) {
        pair.append(static_cast<double>(i));
        turns.append(curves.turns[i]);
    }
    table.columns = {curves.bins, curves.magnitude, pair, turns};
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

std::int64_t contextWindow(const RotarySetup& setup) {
    return std::clamp<std::int64_t>(setup.context, 2, kMostWindow);
}

KernelCurves kernelCurves(const RotarySetup& setup, std::int64_t window) {
    const Frequencies now = frequencies(frequency_settings(setup));
    KernelCurves curves{.window = window};
    for (const double frequency : now.inverse_frequencies) {
        if (frequency > 0) {
            curves.turns.push_back(static_cast<double>(window) * frequency / (2 * std::numbers::pi));
        }
    }
    curves.complete = complete_pairs(now, static_cast<double>(window));
    if (curves.turns.empty()) {
        return curves;
    }
    const std::vector<double> sums = kernel(now.inverse_frequencies, static_cast<std::size_t>(window));
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
    curves.isThinned = window > kLongWindow;
    if (curves.isThinned) {
        thin(curves.distance, curves.kernel, false);
        // Bin 0 has no place on a logarithmic axis; it stays as it is.
        const double zero = curves.magnitude.takeFirst();
        curves.bins.removeFirst();
        thin(curves.bins, curves.magnitude, true);
        curves.bins.prepend(0);
        curves.magnitude.prepend(zero);
    }
    return curves;
}

Figure kernelFigure(const RotarySetup& setup, const KernelCurves& curves) {
    Figure figure = emptyFigure(setup, curves, QStringLiteral("kernel"));
    figure.x.label = QStringLiteral("distance Δ");
    figure.x.unit = QStringLiteral("tokens");
    figure.x.minimum = 0;
    figure.x.maximum = static_cast<double>(std::max<std::int64_t>(1, curves.window - 1));
    figure.y.label = QStringLiteral("Σ cos(Δg)");
    if (curves.turns.empty()) {
        return figure;
    }
    FigureCurve curve;
    curve.quantity = QStringLiteral("Σ cos(Δg)");
    curve.ink = {Ink::Kind::rotated};
    curve.x = curves.distance;
    curve.y = curves.kernel;
    figure.curves.push_back(std::move(curve));
    figure.horizontalLines.push_back({0, {}, {Ink::Kind::quiet}});
    figure.note = QStringLiteral("sum of %1 pairs").arg(curves.turns.size());
    const auto [low, high] = std::minmax_element(curves.kernel.begin(), curves.kernel.end());
    figure.summary =
        QStringLiteral("The sum of cos(Δg) over %1 pairs goes from %2 at distance 0 down to %3 within %4 tokens.")
            .arg(curves.turns.size())
            .arg(*high, 0, 'g', 4)
            .arg(*low, 0, 'g', 4)
            .arg(tokensText(static_cast<double>(curves.window)));
    return figure;
}

Figure kernelSpectrumFigure(const RotarySetup& setup, const KernelCurves& curves, std::optional<int> lit) {
    Figure figure = emptyFigure(setup, curves, QStringLiteral("kernel-spectrum"));
    figure.x.label = QStringLiteral("turns in the window");
    figure.x.logarithmic = true;
    figure.y.label = QStringLiteral("magnitude");
    figure.y.unit = QStringLiteral("pairs");
    figure.y.logarithmic = true;
    if (curves.turns.empty()) {
        figure.x.minimum = 0.1;
        figure.x.maximum = 10;
        return figure;
    }
    const double highest = *std::max_element(curves.magnitude.begin(), curves.magnitude.end());
    figure.x.minimum = std::clamp(curves.turns.back() / 1.5, 1e-3, 0.25);
    figure.x.maximum = std::max(2.0, static_cast<double>(curves.window) / 2);
    figure.y.minimum = kFloor;
    figure.y.maximum = 5 * std::max(2.0, highest);  // room for what the mark at zero is called

    FigureCurve spectrum;
    spectrum.quantity = QStringLiteral("magnitude");
    spectrum.ink = {Ink::Kind::text};
    spectrum.x = curves.bins.mid(1);
    spectrum.y = curves.magnitude.mid(1);
    // Bin 0 has no place on a logarithmic axis: it stands left of the first bin, with its name.
    FigureCurve zero = marks({Ink::Kind::text}, 6);
    zero.quantity = spectrum.quantity;
    zero.label = QStringLiteral("0 turns");
    zero.x = {std::sqrt(figure.x.minimum * kZeroBinEnd)};
    zero.y = {curves.magnitude.first()};

    FigureCurve stems;
    stems.ink = {Ink::Kind::rotated};
    stems.companion = true;
    FigureCurve complete = marks({Ink::Kind::rotated}, 4);
    FigureCurve others = marks({Ink::Kind::rotated}, 4);
    others.emphasis = FigureCurve::Emphasis::dimmed;
    // x must not decrease: from the slowest on.
    for (std::size_t i = curves.turns.size(); i-- > 0;) {
        const double turns = curves.turns[i];
        FigureCurve& mark = turns >= 1 ? complete : others;
        mark.x.append(turns);
        mark.y.append(1);
        if (turns >= 1) {
            addStem(stems, turns);
        }
    }
    figure.curves = {std::move(stems), std::move(spectrum), std::move(zero), std::move(others), std::move(complete)};
    if (lit && static_cast<std::size_t>(*lit) < curves.turns.size()) {
        FigureCurve mark = marks({Ink::Kind::accent}, 8);
        mark.emphasis = FigureCurve::Emphasis::picked;
        mark.x = {curves.turns[static_cast<std::size_t>(*lit)]};
        mark.y = {1};
        figure.curves.push_back(std::move(mark));
        figure.verticalLines.push_back(
            {curves.turns[static_cast<std::size_t>(*lit)], QStringLiteral("pair %1").arg(*lit), {Ink::Kind::accent}});
    }
    figure.verticalLines.push_back({1, QStringLiteral("one turn"), {Ink::Kind::quiet}});
    const int incomplete = static_cast<int>(curves.turns.size()) - curves.complete;
    figure.note = incomplete == 0
                      ? QStringLiteral("%1 pairs as lines").arg(curves.complete)
                      : QStringLiteral("%1 pairs as lines, %2 at zero").arg(curves.complete).arg(incomplete);
    figure.table = spectrumTable(curves);
    figure.summary = QStringLiteral(
                         "%1 of %2 pairs complete a turn in %3 tokens and show as lines; the other %4 stand together "
                         "at zero, with magnitude %5.")
                         .arg(curves.complete)
                         .arg(curves.turns.size())
                         .arg(tokensText(static_cast<double>(curves.window)))
                         .arg(incomplete)
                         .arg(curves.magnitude.first(), 0, 'g', 3);
    return figure;
}

std::optional<int> pairAtTurns(const KernelCurves& curves, double turns) {
    constexpr double near = 0.2;  // of a factor e
    std::optional<int> nearest;
    double distance = near;
    for (std::size_t i = 0; i < curves.turns.size(); ++i) {
        const double here = std::abs(std::log(curves.turns[i] / turns));
        if (here <= distance) {
            distance = here;
            nearest = static_cast<int>(i);
        }
    }
    return nearest;
}

}  // namespace ropelab::ui
