#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/rotary/context/context_figures.h"
#include "ui/rotary/spectrum/spectrum_data.h"

namespace ropelab::ui {
namespace {

constexpr int kFarPlaces = 600;

FigureCurve points(const LogitDraws& draws, const SampledLogits& sampled, const QString& quantity, Ink ink) {
    FigureCurve curve;
    curve.quantity = quantity;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = 5;
    curve.x = {draws.distances.begin(), draws.distances.end()};
    curve.y = {sampled.mean.begin(), sampled.mean.end()};
    return curve;
}

/// ± 1 standard error at every distance, as upright strokes: between two distances nothing was measured.
FigureCurve errors(const LogitDraws& draws, const SampledLogits& sampled, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.ink = ink;
    for (std::size_t i = 0; i < draws.distances.size(); ++i) {
        const double x = draws.distances[i];
        curve.x.append({x, x, x, x});
        curve.y.append({sampled.mean[i] - sampled.standard_error[i], sampled.mean[i] + sampled.standard_error[i],
                        sampled.mean[i], std::numeric_limits<double>::quiet_NaN()});
    }
    return curve;
}

/// What F16 expects: 0, or twice B(Δ), at every whole distance that a frame has time for.
FigureCurve expected(const LogitDraws& draws, const Frequencies& now, std::int64_t end, bool equal, Ink ink) {
    FigureCurve curve;
    curve.quantity = equal ? QStringLiteral("k = q, expected") : QStringLiteral("independent, expected");
    curve.ink = ink;
    curve.companion = true;
    const RotarySetup& setup = draws.setup;
    if (!equal) {
        curve.x = {1, static_cast<double>(end)};
        curve.y = {0, 0};
        return curve;
    }
    const std::int64_t known = std::min(end + 1, followedAtOnce(setup));
    const std::vector<double> bound = context_bound(now, setup.head_dim, static_cast<std::size_t>(known));
    Polyline line = polylineOf(bound, true);
    for (double& y : line.y) {
        y *= 2;
    }
    curve.x = std::move(line.x);
    curve.y = std::move(line.y);
    for (const double distance : spreadDistances(end, kFarPlaces)) {
        if (distance >= static_cast<double>(known)) {
            curve.x.append(distance);
            curve.y.append(expected_logit(now, setup.head_dim, distance, true));
        }
    }
    return curve;
}

FigureTable tableOf(const LogitDraws& draws, const Frequencies& now) {
    FigureTable table;
    const auto add = [&](const QString& name, const std::vector<double>& values) {
        table.names << name;
        table.columns.append(QList<double>(values.begin(), values.end()));
    };
    const auto addExpected = [&](const QString& name, bool equal) {
        std::vector<double> values;
        for (const double distance : draws.distances) {
            values.push_back(expected_logit(now, draws.setup.head_dim, distance, equal));
        }
        add(name, values);
    };
    add(QStringLiteral("distance (tokens)"), draws.distances);
    add(QStringLiteral("independent · mean"), draws.independent.mean);
    add(QStringLiteral("independent · standard error"), draws.independent.standard_error);
    addExpected(QStringLiteral("independent · expected"), false);
    add(QStringLiteral("equal · mean"), draws.equal.mean);
    add(QStringLiteral("equal · standard error"), draws.equal.standard_error);
    addExpected(QStringLiteral("equal · expected"), true);
    return table;
}

}  // namespace

QString randomSentence(const LogitDraws& draws) {
    if (draws.draws == 0) {
        return QObject::tr("Random q and k are being drawn …");
    }
    double farthest = 0;
    double largest = 0;
    for (std::size_t i = 0; i < draws.distances.size(); ++i) {
        farthest = std::max(farthest, std::abs(draws.independent.mean[i]) / draws.independent.standard_error[i]);
        largest = std::max(largest, draws.independent.standard_error[i]);
    }
    return QObject::tr(
               "Independent q and k give 0 ± %1 at every distance after %2 of %3 draws (farthest mean: %4 standard "
               "errors). %5")
        .arg(largest, 0, 'g', 2)
        .arg(tokensText(static_cast<double>(draws.draws)), tokensText(static_cast<double>(kMostDraws)))
        .arg(farthest, 0, 'f', 1)
        .arg(rotary_dim(draws.setup) > 0 ? QObject::tr("Only k = q falls.") : QObject::tr("Nothing turns."));
}

Figure randomFigure(const LogitDraws& draws, std::int64_t end) {
    const RotarySetup& setup = draws.setup;
    const Frequencies now = frequencies(frequency_settings(setup));
    Figure figure;
    figure.name = QStringLiteral("random-logits");
    figure.x = {.label = QStringLiteral("distance Δ"),
                .unit = QStringLiteral("tokens"),
                .logarithmic = true,
                .minimum = 1,
                .maximum = static_cast<double>(end)};
    figure.y.label = QStringLiteral("mean of qᵀR_Δ k");
    figure.y.unit = QStringLiteral("not divided by √d");
    figure.note = QStringLiteral("points: means of %1 draws, seed %2; strokes: ± 1 standard error; thin: expected")
                      .arg(tokensText(static_cast<double>(draws.draws)))
                      .arg(draws.seed);
    figure.settings = {{QStringLiteral("setup"), QString::fromStdString(text_of(setup))},
                       {QStringLiteral("draws"), static_cast<double>(draws.draws)},
                       {QStringLiteral("seed"), static_cast<double>(draws.seed)}};
    figure.summary = randomSentence(draws);

    const Ink equalInk = Ink::data(0);
    const Ink independentInk = Ink::data(1);
    FigureCurve equal = expected(draws, now, end, true, equalInk);
    const double lowest = *std::min_element(equal.y.begin(), equal.y.end());
    const double margin = 0.1 * setup.head_dim;
    figure.y.minimum = std::min(0.0, lowest) - margin;
    figure.y.maximum = setup.head_dim + margin;
    figure.curves.push_back(std::move(equal));
    figure.curves.push_back(expected(draws, now, end, false, independentInk));
    if (draws.draws > 0) {
        figure.curves.push_back(errors(draws, draws.equal, QStringLiteral("k = q"), equalInk));
        figure.curves.push_back(errors(draws, draws.independent, QStringLiteral("independent"), independentInk));
        figure.curves.push_back(points(draws, draws.equal, QStringLiteral("k = q, mean"), equalInk));
        figure.curves.push_back(points(draws, draws.independent, QStringLiteral("independent, mean"), independentInk));
        figure.table = tableOf(draws, now);
    }
    figure.verticalLines.push_back({static_cast<double>(setup.context),
                                    QStringLiteral("context %1").arg(tokensText(static_cast<double>(setup.context))),
                                    {Ink::Kind::accent},
                                    kContextLine});
    return figure;
}

}  // namespace ropelab::ui
