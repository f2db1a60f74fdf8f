#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/numbers.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::int64_t kFigureSamples = 4096;

QString numberText(double value) {
    return QString::fromStdString(number_text(value)).replace(u'-', u'−');
}

FigureCurve points(const LogitSamples& samples, const SampledLogits& sampled, const QString& quantity, Ink ink) {
    FigureCurve curve;
    curve.quantity = quantity;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = 3.6;
    curve.x = {samples.distances.begin(), samples.distances.end()};
    curve.y = {sampled.mean.begin(), sampled.mean.end()};
    return curve;
}

/// Bars of ± 1 standard error are not connected, because no value is sampled between two distances.
FigureCurve errors(const LogitSamples& samples, const SampledLogits& sampled, Ink ink) {
    FigureCurve curve;
    curve.ink = ink;
    curve.solid = true;
    for (std::size_t i = 0; i < samples.distances.size(); ++i) {
        const double x = samples.distances[i];
        curve.x.append({x, x, x, x});
        curve.y.append({sampled.mean[i] - sampled.standard_error[i], sampled.mean[i] + sampled.standard_error[i],
                        sampled.mean[i], std::numeric_limits<double>::quiet_NaN()});
    }
    return curve;
}

/// (μ² + ρ)·2·B(Δ) (F16), from the polyline of B(Δ).
FigureCurve expected(const Polyline& bound, const RandomVectors& vectors, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = u"%1, expected"_s.arg(label);
    curve.ink = ink;
    curve.companion = curve.isNamed = true;
    curve.x = bound.x;
    curve.y = bound.y;
    const double factor = 2 * expected_product(vectors);
    for (double& y : curve.y) {
        y *= factor;
    }
    return curve;
}

FigureTable tableOf(const LogitSamples& samples, const Frequencies& now) {
    FigureTable table;
    const auto add = [&](const QString& name, const std::vector<double>& values) {
        table.names << name;
        table.columns.append(QList<double>(values.begin(), values.end()));
    };
    const auto addSeries = [&](const QString& name, const SampledLogits& sampled, const RandomVectors& vectors) {
        add(u"%1 · mean"_s.arg(name), sampled.mean);
        add(u"%1 · standard error"_s.arg(name), sampled.standard_error);
        std::vector<double> values;
        for (const double distance : samples.distances) {
            values.push_back(expected_logit(now, samples.setup.head_dim, distance, vectors));
        }
        add(u"%1 · expected"_s.arg(name), values);
    };
    add(u"distance (tokens)"_s, samples.distances);
    addSeries(vectorsLabel(samples.vectors), samples.chosen, samples.vectors);
    addSeries(u"equal"_s, samples.equal, equalVectors(samples.vectors));
    return table;
}

QString expectedSentence(const LogitSamples& samples) {
    const double product = expected_product(samples.vectors);
    if (rotary_dim(samples.setup) == 0) {
        return u"No channel rotates, so the expected logit does not depend on the distance."_s;
    }
    if (product == 0) {
        return u"The expected logit is 0 at every distance, because μ² + ρ = 0 (mean μ of the components, "
               "correlation ρ of q and k). If μ² + ρ > 0, the expected logit decreases on the whole."_s;
    }
    const QString factor = numberText(std::round(1e4 * product) / 1e4);
    return product > 0 ? u"The expected logit decreases on the whole, because μ² + ρ = %1 is above 0 (mean μ of the "
                         "components, correlation ρ of q and k): the expected logit is %1 times d − d_r + 2 K(Δ), "
                         "the sum over the channels."_s.arg(factor)
                       : u"The expected logit increases on the whole, because μ² + ρ = %1 is below 0 (mean μ of the "
                         "components, correlation ρ of q and k): the expected logit is %1 times d − d_r + 2 K(Δ), "
                         "the sum over the channels."_s.arg(factor);
}

}  // namespace

QString vectorsLabel(const RandomVectors& vectors) {
    return vectors.correlation == 0 ? u"independent"_s : u"ρ = %1"_s.arg(numberText(vectors.correlation));
}

QString randomSentence(const LogitSamples& samples) {
    if (samples.count == 0) {
        return u"The program is sampling random q and k …"_s;
    }
    const Frequencies now = frequencies(frequency_settings(samples.setup));
    double deviation = 0;
    double largest = 0;
    for (std::size_t i = 0; i < samples.distances.size(); ++i) {
        const double error = samples.chosen.standard_error[i];
        const double mean = expected_logit(now, samples.setup.head_dim, samples.distances[i], samples.vectors);
        deviation = std::max(deviation, std::abs(samples.chosen.mean[i] - mean) / error);
        largest = std::max(largest, error);
    }
    const QString vectors =
        samples.vectors.correlation == 0
            ? u"Independent q and k, mean %1 of the components"_s.arg(numberText(samples.vectors.mean))
            : u"Correlation %2 of q and k, mean %1 of the components"_s.arg(numberText(samples.vectors.mean),
                                                                            numberText(samples.vectors.correlation));
    return u"%1: after %2 of %3 samples, the mean logit deviates from its expected value by at most %4 standard errors "
           "(largest standard error: %5); a single logit has a standard deviation of up to %6. %7"_s
               .arg(vectors, tokensText(static_cast<double>(samples.count)),
                    tokensText(static_cast<double>(kMaxSamples)))
               .arg(deviation, 0, 'f', 1)
               .arg(largest, 0, 'g', 2)
               .arg(largest * std::sqrt(static_cast<double>(samples.count)), 0, 'g', 2)
               .arg(expectedSentence(samples));
}

Figure randomFigure(const LogitSamples& samples, std::span<const double> bound, std::int64_t end) {
    const RotarySetup& setup = samples.setup;
    const Frequencies now = frequencies(frequency_settings(setup));
    const auto shown = std::min(bound.size(), static_cast<std::size_t>(end) + 1);
    Figure figure;
    figure.name = kRandomFigure;
    figure.x = distanceAxis(end);
    figure.y.label = u"mean logit qᵀR(−Δ)k"_s;
    figure.y.unit = u"not divided by √d"_s;
    figure.note =
        u"points: means of %1 samples, seed %2, with bars of ± 1 standard error that are mostly within the points; "
        "thin lines: expected value"_s.arg(tokensText(static_cast<double>(samples.count)))
            .arg(samples.seed);
    if (shown < static_cast<std::size_t>(end)) {
        figure.note += u", computed for Δ < %1"_s.arg(tokensText(static_cast<double>(shown)));
    }
    if (now.attention_factor != 1) {
        figure.note += u"; without the attention factor %1"_s.arg(readableNumber(now.attention_factor));
    }
    figure.valuesNote = kEndNote;
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))},
                       {u"mean"_s, samples.vectors.mean},
                       {u"correlation"_s, samples.vectors.correlation},
                       {u"draws"_s, static_cast<double>(samples.count)},
                       {u"seed"_s, static_cast<double>(samples.seed)}};
    figure.summary = randomSentence(samples);

    const Ink equalInk = Ink::data(0);
    const Ink chosenInk = Ink::data(1);
    const QString label = vectorsLabel(samples.vectors);
    const RandomVectors equal = equalVectors(samples.vectors);
    const Polyline values = polylineOf(bound.first(shown), true);
    figure.curves.push_back(expected(values, equal, u"k = q"_s, equalInk));
    figure.curves.back().solid = true;  // so that not only its colour distinguishes it from the other curve
    figure.curves.push_back(expected(values, samples.vectors, label, chosenInk));
    double lowest = 0;
    for (const FigureCurve& curve : figure.curves) {
        lowest = curve.y.isEmpty() ? lowest : std::min(lowest, *std::min_element(curve.y.begin(), curve.y.end()));
    }
    // The expected logit of k = q is largest at Δ = 0, where it is μ² + 1 for each channel.
    const double top = expected_product(equal) * setup.head_dim;
    figure.y.minimum = lowest - 0.1 * top;
    figure.y.maximum = 1.1 * top;
    if (samples.count > 0) {
        figure.curves.push_back(errors(samples, samples.equal, equalInk));
        figure.curves.push_back(errors(samples, samples.chosen, chosenInk));
        figure.curves.push_back(points(samples, samples.equal, u"k = q, mean"_s, equalInk));
        figure.curves.push_back(points(samples, samples.chosen, u"%1, mean"_s.arg(label), chosenInk));
        figure.table = tableOf(samples, now);
    }
    figure.verticalLines.push_back(contextLine(setup));
    return figure;
}

Figure randomFigure(const RotarySetup& setup, const RandomVectors& vectors) {
    const std::int64_t end = distanceAxisEnd(setup.context);
    const std::vector<double> bound =
        context_bound(frequencies(frequency_settings(setup)), setup.head_dim, static_cast<std::size_t>(end));
    return randomFigure(withMoreSamples(startSampling(setup, 1, end, vectors), kFigureSamples), bound, end);
}

}  // namespace ropelab::ui
