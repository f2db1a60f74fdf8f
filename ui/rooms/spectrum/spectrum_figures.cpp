#include "ui/rooms/spectrum/spectrum_figures.h"

#include <QJsonArray>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/rope/context.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kShortest = 3;  // lower end of the axis in tokens, below every wavelength

struct Parts {
    const RotarySetup& setup;
    const SpectrumOptions& options;
    Frequencies now;
    Frequencies plain;
    Frequencies other;
    std::vector<ScaledSpectrum> compared;
    int rotated = 0;   // number of rotated pairs
    int allPairs = 0;  // number of all pairs, including unrotated ones

    double y(double inverseFrequency) const {
        return options.asFrequency ? inverseFrequency : wavelengthOf(inverseFrequency);
    }
    double yOfTokens(double wavelength) const { return options.asFrequency ? two_pi / wavelength : wavelength; }
    bool isScaled() const { return setup.scaling.method != ScalingMethod::none; }
};

Parts partsOf(const RotarySetup& setup, const SpectrumOptions& options) {
    Parts parts{setup, options, frequencies(frequency_settings(setup)), frequencies(plain_settings(setup)), {}, {}};
    parts.rotated = parts.now.rotary_dim / 2;
    parts.allPairs = setup.head_dim / 2;
    if (options.otherPartial) {
        parts.other = frequencies(frequency_settings(switchedPartial(setup)));
    }
    for (const ScalingMethod method : options.compared) {
        if (auto scaled = scaledBy(setup, method)) {
            parts.compared.push_back(std::move(*scaled));
        }
    }
    return parts;
}

double longestWavelength(const Frequencies& frequencies, int rotated) {
    double longest = 0;
    for (int i = 0; i < rotated; ++i) {
        longest = std::max(longest, wavelengthOf(frequencies.inverse_frequencies[static_cast<std::size_t>(i)]));
    }
    return longest;
}

/// In tokens. The upper end leaves room above all wavelengths, so that lines can be dragged upwards.
Range wavelengthEnds(const Parts& parts) {
    double longest =
        std::max({static_cast<double>(parts.setup.context), targetContext(parts.setup),
                  longestWavelength(parts.now, parts.rotated), longestWavelength(parts.plain, parts.rotated)});
    if (parts.options.otherPartial) {
        longest = std::max(longest, longestWavelength(parts.other, parts.rotated));
    }
    for (const ScaledSpectrum& scaled : parts.compared) {
        longest = std::max(longest, longestWavelength(scaled.frequencies, parts.rotated));
    }
    const double decades = std::ceil(std::log10(2 * longest));
    // Unrotated pairs are drawn in a row of their own above.
    return {kShortest, std::pow(10.0, decades + (parts.rotated < parts.allPairs ? 0.5 : 0.0))};
}

Range endsOf(const Parts& parts) {
    if (parts.options.ends) {
        return *parts.options.ends;
    }
    const Range tokens = wavelengthEnds(parts);
    return parts.options.asFrequency ? Range{two_pi / tokens.maximum, two_pi / tokens.minimum} : tokens;
}

double pointSize(int pairs) {
    return pairs <= 80 ? 4.6 : pairs <= 200 ? 3.4 : 2.2;
}

FigureCurve pointsCurve(const Parts& parts, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::points;
    curve.pointPt = pointSize(parts.allPairs);
    return curve;
}

void addPairs(Figure& figure, const Parts& parts, double atInfinity) {
    FigureCurve incomplete = pointsCurve(parts, u"wavelength > context"_s, {Ink::Kind::rotated});
    incomplete.emphasis = FigureCurve::Emphasis::dimmed;
    FigureCurve complete = pointsCurve(parts, u"wavelength ≤ context"_s, {Ink::Kind::rotated});
    complete.solid = incomplete.solid = true;  // rings are incomplete periods, not setup B
    for (int i = 0; i < parts.rotated; ++i) {
        const double frequency = parts.now.inverse_frequencies[static_cast<std::size_t>(i)];
        const bool isComplete = wavelengthOf(frequency) <= static_cast<double>(parts.setup.context);
        FigureCurve& curve = isComplete ? complete : incomplete;
        curve.x.append(i);
        curve.y.append(parts.y(frequency));
    }
    FigureCurve unrotated = pointsCurve(parts, u"unrotated"_s, {Ink::Kind::unrotated});
    for (int i = parts.rotated; i < parts.allPairs; ++i) {
        unrotated.x.append(i);
        unrotated.y.append(atInfinity);
    }
    for (FigureCurve* curve : {&incomplete, &complete, &unrotated}) {
        if (!curve->x.isEmpty()) {
            figure.curves.push_back(std::move(*curve));
        }
    }
}

FigureCurve lineOf(const Parts& parts, const Frequencies& frequencies, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.ink = ink;
    for (int i = 0; i < parts.rotated; ++i) {
        curve.x.append(i);
        curve.y.append(parts.y(frequencies.inverse_frequencies[static_cast<std::size_t>(i)]));
    }
    return curve;
}

void addOverlays(Figure& figure, const Parts& parts) {
    if (parts.isScaled()) {
        figure.curves.push_back(lineOf(parts, parts.plain, u"unscaled"_s, {Ink::Kind::quiet}));
        figure.curves.back().companion = true;
    }
    for (const ScaledSpectrum& scaled : parts.compared) {
        // The colour of a method does not depend on the other methods that are shown.
        figure.curves.push_back(lineOf(parts, scaled.frequencies, scaled.title, scalingInk(scaled.method)));
    }
    if (parts.options.otherPartial) {
        const bool isTruncate = parts.setup.partial == Partial::slice;
        FigureCurve curve = pointsCurve(parts, isTruncate ? u"truncate"_s : u"slice"_s, otherPartialInk());
        curve.pointPt *= 0.75;
        const FigureCurve line = lineOf(parts, parts.other, {}, otherPartialInk());
        curve.x = line.x;
        curve.y = line.y;
        figure.curves.push_back(std::move(curve));
    }
}

void addLines(Figure& figure, const Parts& parts, double atInfinity) {
    const RotarySetup& setup = parts.setup;
    const auto context = static_cast<double>(setup.context);
    std::vector<FigureLine>& lines = figure.horizontalLines;
    lines.push_back(
        {parts.yOfTokens(context), u"context %1"_s.arg(tokensText(context)), {Ink::Kind::accent}, kContextHandle});
    const double target = targetContext(setup);
    const double trained = trainingContext(setup);
    if (trained != context) {
        lines.push_back({parts.yOfTokens(trained), u"training context %1"_s.arg(tokensText(trained))});
    }
    if (target > 0 && std::abs(target / context - 1) > 1e-9) {
        lines.push_back({parts.yOfTokens(target), u"target context %1"_s.arg(tokensText(target))});
    }
    if (baseOfSlowest(setup, two_pi)) {
        const double slowest = longestWavelength(parts.plain, parts.rotated);
        lines.push_back({parts.yOfTokens(slowest),
                         (parts.isScaled()            ? u"θ = %1: unscaled λ ≤ %2"_s
                          : parts.options.asFrequency ? u"θ = %1: longest wavelength %2"_s
                                                      : u"θ = %1: longest %2"_s)
                             .arg(thetaText(setup.theta), readableNumber(slowest)),
                         {Ink::Kind::text},
                         kThetaHandle});
    }
    if (parts.rotated < parts.allPairs) {
        lines.push_back({atInfinity,
                         parts.options.asFrequency ? u"unrotated: ω = 0"_s : u"unrotated: λ = ∞"_s,
                         {Ink::Kind::quiet}});
    }
}

void addHighlighted(Figure& figure, const Parts& parts, double atInfinity) {
    const auto highlighted = parts.options.highlighted;
    if (!highlighted || *highlighted >= parts.allPairs) {
        return;
    }
    const bool rotates = *highlighted < parts.rotated;
    const double here =
        rotates ? parts.y(parts.now.inverse_frequencies[static_cast<std::size_t>(*highlighted)]) : atInfinity;
    const QString value = !rotates                    ? u"not rotated"_s
                          : parts.options.asFrequency ? readableNumber(here)
                                                      : tokensText(here);
    FigureCurve curve = pointsCurve(parts, value, {Ink::Kind::accent});
    curve.quantity = u"highlighted pair"_s;
    curve.pointPt = 8;
    curve.emphasis = FigureCurve::Emphasis::picked;
    curve.x = {static_cast<double>(*highlighted)};
    curve.y = {here};
    figure.curves.push_back(std::move(curve));
    figure.verticalLines.push_back(
        {static_cast<double>(*highlighted), u"pair %1"_s.arg(*highlighted), {Ink::Kind::accent}});
}

QList<double> wavelengthColumn(const Parts& parts, const Frequencies& frequencies) {
    QList<double> column;
    for (int i = 0; i < parts.rotated; ++i) {
        column.append(wavelengthOf(frequencies.inverse_frequencies[static_cast<std::size_t>(i)]));
    }
    return column;
}

/// Wavelength, frequency and periods of every pair. Unrotated pairs have no wavelength.
FigureTable tableOf(const Parts& parts) {
    FigureTable table;
    QList<double> pair;
    QList<double> wavelength = wavelengthColumn(parts, parts.now);
    QList<double> frequency;
    QList<double> periods;
    for (int i = 0; i < parts.allPairs; ++i) {
        const double g = i < parts.rotated ? parts.now.inverse_frequencies[static_cast<std::size_t>(i)] : 0;
        pair.append(i);
        frequency.append(g);
        periods.append(g * static_cast<double>(parts.setup.context) / two_pi);
    }
    table.names = {u"pair"_s, u"wavelength (tokens)"_s, u"frequency (radians/token)"_s, u"periods in the context"_s};
    table.columns = {pair, wavelength, frequency, periods};
    const auto add = [&](const QString& name, const Frequencies& frequencies) {
        table.names.append(name + u" · wavelength (tokens)"_s);
        table.columns.append(wavelengthColumn(parts, frequencies));
    };
    if (parts.isScaled() || !parts.compared.empty()) {
        add(u"unscaled"_s, parts.plain);
    }
    for (const ScaledSpectrum& scaled : parts.compared) {
        add(scaled.title, scaled.frequencies);
    }
    if (parts.options.otherPartial) {
        add(parts.setup.partial == Partial::slice ? u"truncate"_s : u"slice"_s, parts.other);
    }
    return table;
}

QJsonObject settingsOf(const Parts& parts) {
    QJsonObject settings{{u"setup"_s, QString::fromStdString(text_of(parts.setup))}};
    if (!parts.compared.empty()) {
        QJsonArray methods;
        for (const ScaledSpectrum& scaled : parts.compared) {
            methods.append(scaled.title);
        }
        settings.insert(u"compared"_s, methods);
        settings.insert(u"compared_factor"_s, comparedFactor(parts.setup).factor);
    }
    return settings;
}

QString noteOf(const Parts& parts) {
    QString note = completeSentence(parts.setup);
    if (!parts.compared.empty()) {
        note += u"; all scaling methods use the factor %1"_s.arg(readableCount(comparedFactor(parts.setup).factor));
    }
    if (parts.options.otherPartial) {
        note += parts.setup.partial == Partial::slice ? u"; small dots: truncate"_s : u"; small dots: slice"_s;
        if (parts.isScaled()) note += u" with the same scaling"_s;
    }
    return note;
}

}  // namespace

QString completeSentence(const RotarySetup& setup) {
    const Frequencies now = frequencies(frequency_settings(setup));
    const auto context = static_cast<double>(setup.context);
    return u"%1 of %2 rotated pairs complete a period in %3 tokens"_s.arg(complete_pairs(now, context))
        .arg(now.rotary_dim / 2)
        .arg(tokensText(context));
}

/// ω′/ω of each pair, of the setup or of the methods that are compared.
static Figure ratioFigure(const Parts& parts) {
    Figure figure;
    figure.name = parts.compared.empty() ? u"spectrum"_s : u"scalings"_s;
    figure.x.label = u"pair"_s;
    figure.x.whole = true;
    figure.x.minimum = -0.7;
    figure.x.maximum = parts.allPairs - 0.3;
    figure.y.label = u"scaled frequency ω′ / ω"_s;
    figure.y.minimum = 0;
    figure.y.maximum = 1.1;
    figure.settings = settingsOf(parts);
    const auto ratios = [&](FigureCurve curve, const Frequencies& frequencies) {
        curve.quantity = u"ω′/ω"_s;
        curve.dots = false;
        curve.x.clear();
        curve.y.clear();
        for (int i = 0; i < parts.rotated; ++i) {
            const auto pair = static_cast<std::size_t>(i);
            curve.x.append(i);
            curve.y.append(frequencies.inverse_frequencies[pair] / parts.plain.inverse_frequencies[pair]);
        }
        return curve;
    };
    for (const ScaledSpectrum& scaled : parts.compared) {
        const FigureCurve line = lineOf(parts, scaled.frequencies, scaled.title, scalingInk(scaled.method));
        figure.curves.push_back(ratios(line, scaled.frequencies));
    }
    if (!parts.compared.empty()) {
        figure.table = tableOf(parts);
        figure.note = noteOf(parts);
        if (parts.rotated < parts.allPairs)
            figure.note += u"; pairs %1 to %2 are not rotated"_s.arg(parts.rotated).arg(parts.allPairs - 1);
        figure.summary = u"Frequencies of each pair after scaling, divided by those before; %1."_s.arg(figure.note);
        if (!parts.isScaled()) return figure;
    }
    FigureCurve curve = ratios(pointsCurve(parts, {}, {Ink::Kind::rotated}), parts.now);
    figure.summary = u"The scaling multiplies the frequencies of %1 pairs by %2 to %3."_s.arg(parts.rotated)
                         .arg(readableNumber(*std::min_element(curve.y.begin(), curve.y.end())),
                              readableNumber(*std::max_element(curve.y.begin(), curve.y.end())));
    figure.curves.push_back(std::move(curve));
    if (const auto highlighted = parts.options.highlighted) {
        figure.verticalLines.push_back(
            {static_cast<double>(*highlighted), u"pair %1"_s.arg(*highlighted), {Ink::Kind::accent}});
    }
    return figure;
}

Figure spectrumFigure(const RotarySetup& setup, const SpectrumOptions& options) {
    const Parts parts = partsOf(setup, options);
    if (options.asRatio && parts.rotated > 0) return ratioFigure(parts);
    Figure figure;
    figure.name = options.compared.empty() ? u"spectrum"_s : u"scalings"_s;
    figure.x.label = u"pair"_s;
    figure.x.whole = true;
    figure.x.minimum = -0.7;
    figure.x.maximum = parts.allPairs - 0.3;
    figure.y.label = options.asFrequency ? u"frequency"_s : u"wavelength"_s;
    figure.y.unit = options.asFrequency ? u"radians/token"_s : u"tokens"_s;
    figure.y.logarithmic = true;
    figure.settings = settingsOf(parts);
    if (parts.rotated == 0) {
        figure.emptyText = u"No pair is rotated, because the rotary fraction is 0."_s;
        figure.summary = figure.emptyText;
        return figure;
    }
    const Range ends = endsOf(parts);
    figure.y.minimum = ends.minimum;
    figure.y.maximum = ends.maximum;
    const double beyond = std::pow(10.0, 0.2);
    const double atInfinity = options.asFrequency ? ends.minimum * beyond : ends.maximum / beyond;
    addOverlays(figure, parts);
    addPairs(figure, parts, atInfinity);
    addHighlighted(figure, parts, atInfinity);
    addLines(figure, parts, atInfinity);
    figure.table = tableOf(parts);
    figure.note = noteOf(parts);
    figure.hasLegend = true;
    figure.summary = u"The wavelengths of %1 pairs range from %2 to %3 tokens; %4."_s.arg(parts.rotated)
                         .arg(readableNumber(wavelengthOf(parts.now.inverse_frequencies.front())),
                              readableNumber(longestWavelength(parts.now, parts.rotated)), completeSentence(setup));
    return figure;
}

Figure comparedSpectrumFigure(const ShapedSetup& a, const ShapedSetup& b, const SpectrumOptions& options, bool editsB) {
    const SpectrumOptions plain = {.asFrequency = options.asFrequency,
                                   .highlighted = options.highlighted,
                                   .asRatio = options.asRatio,
                                   .ends = options.ends};
    SpectrumOptions optionsA = editsB ? plain : options;
    SpectrumOptions optionsB = editsB ? options : plain;
    if (!options.ends && !options.asRatio && rotary_dim(a.setup) > 0 && rotary_dim(b.setup) > 0) {
        // Unrotated pairs have their place at the end of the axis, so both figures need the same ends.
        const Range endsA = endsOf(partsOf(a.setup, optionsA));
        const Range endsB = endsOf(partsOf(b.setup, optionsB));
        const Range both{std::min(endsA.minimum, endsB.minimum), std::max(endsA.maximum, endsB.maximum)};
        optionsA.ends = both;
        optionsB.ends = both;
    }
    Figure figure = comparedFigure(spectrumFigure(a.setup, optionsA), spectrumFigure(b.setup, optionsB), a, b, editsB);
    if (!options.compared.empty()) figure.name = u"scalings"_s;
    return figure;
}

std::span<const RotaryFigure> spectrumFigures() {
    static const std::array<RotaryFigure, 4> figures = {{
        {"spectrum", [](const RotarySetup& setup, const ModelShape&) { return spectrumFigure(setup); },
         [](const ShapedSetup& a, const ShapedSetup& b) { return comparedSpectrumFigure(a, b); }, "frequencies"},
        {"scalings",
         [](const RotarySetup& setup, const ModelShape&) {
             // On an axis of wavelengths, the methods cover each other.
             return spectrumFigure(setup, {.compared = scalingMethods(), .asRatio = true});
         },
         [](const ShapedSetup& a, const ShapedSetup& b) {
             const SpectrumOptions options{.compared = scalingMethods(), .asRatio = true};
             return comparedFigure(spectrumFigure(a.setup, options), spectrumFigure(b.setup, options), a, b);
         },
         "frequencies"},
        {"kernel",
         [](const RotarySetup& setup, const ModelShape&) {
             return kernelFigure(setup, kernelCurves(setup, contextKernelLength(setup)));
         },
         [](const ShapedSetup& a, const ShapedSetup& b) {
             const std::int64_t length = std::max(contextKernelLength(a.setup), contextKernelLength(b.setup));
             return comparedFigure(kernelFigure(a.setup, kernelCurves(a.setup, length)),
                                   kernelFigure(b.setup, kernelCurves(b.setup, length)), a, b);
         }},
        {"kernel-spectrum",
         [](const RotarySetup& setup, const ModelShape&) {
             return kernelSpectrumFigure(setup, kernelCurves(setup, contextKernelLength(setup)));
         },
         [](const ShapedSetup& a, const ShapedSetup& b) {
             const std::int64_t length = std::max(contextKernelLength(a.setup), contextKernelLength(b.setup));
             return comparedFigure(kernelSpectrumFigure(a.setup, kernelCurves(a.setup, length)),
                                   kernelSpectrumFigure(b.setup, kernelCurves(b.setup, length)), a, b);
         }},
    }};
    return figures;
}

}  // namespace ropelab::ui
