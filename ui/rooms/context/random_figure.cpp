#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/rooms/context/context_figures.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {
namespace {

constexpr int kFarPlaces = 600;

FigureCurve points(const LogitSamples& samples, const SampledLogits& sampled, const QString& quantity, Ink ink) {
    FigureCurve curve;
    curve.quantity = quantity;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = 5;
    curve.x = {samples.distances.begin(), samples.distances.end()};
    curve.y = {sampled.mean.begin(), sampled.mean.end()};
    return curve;
}

/// Error bars of ± 1 standard error at every distance. They are not connected, because no value is sampled between two
/// distances.
FigureCurve errors(const LogitSamples& samples, const SampledLogits& sampled, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.ink = ink;
    for (std::size_t i = 0; i < samples.distances.size(); ++i) {
        const double x = samples.distances[i];
        curve.x.append({x, x, x, x});
        curve.y.append({sampled.mean[i] - sampled.standard_error[i], sampled.mean[i] + sampled.standard_error[i],
                        sampled.mean[i], std::numeric_limits<double>::quiet_NaN()});
    }
    return curve;
}

/// Curve of the expected logit (F16): 0 for independent q and k, 2·B(Δ) for k = q. It has every whole distance that can
/// be computed within a frame, and samples the larger distances.
FigureCurve expected(const LogitSamples& samples, const Frequencies& now, std::int64_t end, bool equal, Ink ink) {
    FigureCurve curve;
    curve.quantity = equal ? QStringLiteral("k = q, expected") : QStringLiteral("independent, expected");
    curve.ink = ink;
    curve.companion = true;
    const RotarySetup& setup = samples.setup;
    if (!equal) {
        curve.x = {1, static_cast<double>(end)};
        curve.y = {0, 0};
        return curve;
    }
    const std::int64_t computed = std::min(end + 1, positionsPerFrame(setup));
    const std::vector<double> bound = context_bound(now, setup.head_dim, static_cast<std::size_t>(computed));
    Polyline line = polylineOf(bound, true);
    for (double& y : line.y) {
        y *= 2;
    }
    curve.x = std::move(line.x);
    curve.y = std::move(line.y);
    for (const double distance : spreadDistances(end, kFarPlaces)) {
        if (distance >= static_cast<double>(computed)) {
            curve.x.append(distance);
            curve.y.append(expected_logit(now, setup.head_dim, distance, true));
        }
    }
    return curve;
}

FigureTable tableOf(const LogitSamples& samples, const Frequencies& now) {
    FigureTable table;
    const auto add = [&](const QString& name, const std::vector<double>& values) {
        table.names << name;
        table.columns.append(QList<double>(values.begin(), values.end()));
    };
    const auto addExpected = [&](const QString& name, bool equal) {
        std::vector<double> values;
        for (const double distance : samples.distances) {
            values.push_back(expected_logit(now, samples.setup.head_dim, distance, equal));
        }
        add(name, values);
    };
    add(QStringLiteral("distance (tokens)"), samples.distances);
    add(QStringLiteral("independent · mean"), samples.independent.mean);
    add(QStringLiteral("independent · standard error"), samples.independent.standard_error);
    addExpected(QStringLiteral("independent · expected"), false);
    add(QStringLiteral("equal · mean"), samples.equal.mean);
    add(QStringLiteral("equal · standard error"), samples.equal.standard_error);
    addExpected(QStringLiteral("equal · expected"), true);
    return table;
}

}  // namespace

QString randomSentence(const LogitSamples& samples) {
    if (samples.count == 0) {
        return QObject::tr("The program is sampling random q and k …");
    }
    double largestDeviation = 0;
    double largest = 0;
    for (std::size_t i = 0; i < samples.distances.size(); ++i) {
        largestDeviation =
            std::max(largestDeviation, std::abs(samples.independent.mean[i]) / samples.independent.standard_error[i]);
        largest = std::max(largest, samples.independent.standard_error[i]);
    }
    return QObject::tr(
               "For independent q and k the mean logit is 0 ± %1 at every distance after %2 of %3 samples (largest "
               "deviation: %4 standard errors). %5")
        .arg(largest, 0, 'g', 2)
        .arg(tokensText(static_cast<double>(samples.count)), tokensText(static_cast<double>(kMaxSamples)))
        .arg(largestDeviation, 0, 'f', 1)
        .arg(rotary_dim(samples.setup) > 0 ? QObject::tr("The mean logit falls with the distance only for k = q.")
                                           : QObject::tr("No channel rotates."));
}

Figure randomFigure(const LogitSamples& samples, std::int64_t end) {
    const RotarySetup& setup = samples.setup;
    const Frequencies now = frequencies(frequency_settings(setup));
    Figure figure;
    figure.name = QStringLiteral("random-logits");
    figure.x = {.label = QStringLiteral("distance Δ"),
                .unit = QStringLiteral("tokens"),
                .logarithmic = true,
                .minimum = 1,
                .maximum = static_cast<double>(end)};
    figure.y.label = QStringLiteral("mean logit qᵀR_Δ k");
    figure.y.unit = QStringLiteral("not divided by √d");
    figure.note =
        QStringLiteral("points: means of %1 samples, seed %2; bars: ± 1 standard error; thin lines: expected value")
            .arg(tokensText(static_cast<double>(samples.count)))
            .arg(samples.seed);
    figure.settings = {{QStringLiteral("setup"), QString::fromStdString(text_of(setup))},
                       {QStringLiteral("draws"), static_cast<double>(samples.count)},
                       {QStringLiteral("seed"), static_cast<double>(samples.seed)}};
    figure.summary = randomSentence(samples);

    const Ink equalInk = Ink::data(0);
    const Ink independentInk = Ink::data(1);
    FigureCurve equal = expected(samples, now, end, true, equalInk);
    const double lowest = *std::min_element(equal.y.begin(), equal.y.end());
    const double margin = 0.1 * setup.head_dim;
    figure.y.minimum = std::min(0.0, lowest) - margin;
    figure.y.maximum = setup.head_dim + margin;
    figure.curves.push_back(std::move(equal));
    figure.curves.push_back(expected(samples, now, end, false, independentInk));
    if (samples.count > 0) {
        figure.curves.push_back(errors(samples, samples.equal, QStringLiteral("k = q"), equalInk));
        figure.curves.push_back(errors(samples, samples.independent, QStringLiteral("independent"), independentInk));
        figure.curves.push_back(points(samples, samples.equal, QStringLiteral("k = q, mean"), equalInk));
        figure.curves.push_back(
            points(samples, samples.independent, QStringLiteral("independent, mean"), independentInk));
        figure.table = tableOf(samples, now);
    }
    figure.verticalLines.push_back({static_cast<double>(setup.context),
                                    QStringLiteral("context %1").arg(tokensText(static_cast<double>(setup.context))),
                                    {Ink::Kind::accent},
                                    kContextLine});
    return figure;
}

}  // namespace ropelab::ui
