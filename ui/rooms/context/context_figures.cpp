#include "ui/rooms/context/context_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/common/format.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/comparison.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kThinBoundAbove = 4096;
constexpr int kBoundColumns = 2048;

bool isScaled(const RotarySetup& setup) {
    return setup.scaling.method != ScalingMethod::none;
}

FigureCurve boundCurve(const std::vector<double>& values, bool logarithmic, const QString& label, Ink ink) {
    Polyline line = polylineOf(values, logarithmic);
    FigureCurve curve;
    curve.label = label;
    curve.quantity = u"B(Δ)"_s;
    curve.ink = ink;
    curve.x = std::move(line.x);
    curve.y = std::move(line.y);
    return curve;
}

FigureCurve negativePart(const FigureCurve& whole) {
    FigureCurve part;
    part.ink = {Ink::Kind::error};
    part.x = whole.x;
    part.y = whole.y;
    for (double& y : part.y) {
        y = y < 0 ? y : kNaN;
    }
    return part;
}

}  // namespace

Axis distanceAxis(std::int64_t end, bool logarithmic) {
    return {.label = u"distance Δ"_s,
            .unit = u"tokens"_s,
            .logarithmic = logarithmic,
            .minimum = logarithmic ? 1.0 : 0.0,
            .maximum = static_cast<double>(end)};
}

FigureLine contextLine(const RotarySetup& setup, Ink ink) {
    return {static_cast<double>(setup.context), u"context %1"_s.arg(groupedText(setup.context)), ink, kContextLine};
}

Polyline polylineOf(std::span<const double> values, bool logarithmic) {
    Polyline line;
    const std::size_t first = logarithmic ? 1 : 0;
    const auto add = [&](std::size_t at) {
        line.x.append(static_cast<double>(at));
        line.y.append(values[at]);
    };
    if (values.size() <= kThinBoundAbove) {
        for (std::size_t i = first; i < values.size(); ++i) {
            add(i);
        }
        return line;
    }
    line.x.reserve(2 * kBoundColumns);
    line.y.reserve(2 * kBoundColumns);
    const auto last = static_cast<double>(values.size());
    for (std::size_t column = 1, from = first; from < values.size(); ++column) {
        const double fraction = static_cast<double>(column) / kBoundColumns;
        const double border = logarithmic ? std::pow(last, fraction) : last * fraction;
        const std::size_t to = std::min(values.size(), static_cast<std::size_t>(std::ceil(border - 1e-6)));
        if (to <= from) {
            continue;
        }
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
        const auto [low, high] = std::minmax_element(begin, values.begin() + static_cast<std::ptrdiff_t>(to));
        const auto [one, two] = std::minmax({low - values.begin(), high - values.begin()});  // a copy, not references
        add(static_cast<std::size_t>(one));
        if (two != one) {
            add(static_cast<std::size_t>(two));
        }
        from = to;
    }
    return line;
}

QString baseWords(const RotarySetup& setup) {
    return isScaled(setup) ? u"θ = %1 with %2"_s.arg(thetaText(setup.theta), scalingTitle(setup.scaling.method))
                           : u"θ = %1"_s.arg(thetaText(setup.theta));
}

QString boundSentence(const BoundData& data) {
    const RotarySetup& setup = data.setup;
    const int rotated = rotary_dim(setup);
    if (rotated == 0) {
        return u"No channel rotates: the context bound B(Δ) is %1 at every distance."_s.arg(setup.head_dim / 2);
    }
    if (!canBeNegative(setup)) {
        return u"%1 of %2 channels rotate. The unrotated channels keep B(Δ) ≥ %3, so the context bound "
               "excludes no base and no context, as for a head without rotation (NoPE). The bound is about random q "
               "and k: a trained model can still fail beyond its context."_s.arg(rotated)
                   .arg(setup.head_dim)
                   .arg((setup.head_dim - 2 * rotated) / 2);
    }
    const QString base = baseWords(setup);
    if (data.firstNegative && *data.firstNegative > setup.context && dependsOnLength(setup)) {
        return u"%1 supports its context of %2 tokens: with the frequencies of a text of that length, the context "
               u"bound "
               "B(Δ), the mean logit advantage of similar keys, first becomes negative at the distance Δ = %3. Longer "
               "texts have other frequencies."_s.arg(base, groupedText(setup.context),
                                                     groupedText(*data.firstNegative));
    }
    if (data.firstNegative) {
        return u"%1 supports a context of %2 tokens: the context bound B(Δ), the mean logit advantage of similar "
               "keys, first becomes negative at the distance Δ = %2."_s.arg(base, groupedText(*data.firstNegative)) +
               (*data.firstNegative < setup.context
                    ? u" The context of %1 tokens is longer."_s.arg(groupedText(setup.context))
                    : QString());
    }
    return data.isComplete
               ? u"%1: the context bound B(Δ), the mean logit advantage of similar keys, is ≥ 0 up to the "
                 "computation limit of %2 tokens."_s.arg(base, groupedText(data.computedTo))
               : u"%1: the context bound B(Δ), the mean logit advantage of similar keys, is ≥ 0 for distances Δ < %2 "
                 "tokens; the program is computing more distances …"_s.arg(base, groupedText(data.computedTo));
}

Figure boundFigure(const BoundData& data, bool logarithmic) {
    const RotarySetup& setup = data.setup;
    Figure figure;
    figure.name = u"context-bound"_s;
    figure.x = distanceAxis(data.end, logarithmic);
    const int rotated = rotary_dim(setup);
    figure.y.label =
        rotated == setup.head_dim ? u"B(Δ) = Σ cos(Δωᵢ)"_s : u"B(Δ) = Σ cos(Δωᵢ) + number of unrotated pairs"_s;
    const QString rest = rotated == setup.head_dim
                             ? QString()
                             : u"; %1 unrotated pairs add 1 each"_s.arg((setup.head_dim - rotated) / 2);
    figure.note = u"%1; sum over %2 rotated pairs%3"_s.arg(baseWords(setup)).arg(rotated / 2).arg(rest);
    figure.settings = {
        {u"setup"_s, QString::fromStdString(text_of(setup))},
        {u"followed_to"_s, static_cast<double>(data.computedTo)},
        {u"first_negative"_s, data.firstNegative ? QJsonValue(static_cast<double>(*data.firstNegative)) : QJsonValue()},
        {u"lowest_bound"_s, data.lowest ? QJsonValue(data.lowest->value) : QJsonValue()},
        {u"lowest_bound_at"_s, data.lowest ? QJsonValue(static_cast<double>(data.lowest->distance)) : QJsonValue()},
        {u"thinned_to_extremes"_s, data.bound.size() > kThinBoundAbove}};
    figure.summary = boundSentence(data);

    if (!data.plain.empty()) {
        FigureCurve plain = boundCurve(data.plain, logarithmic, u"unscaled"_s, {Ink::Kind::quiet});
        figure.curves.push_back(std::move(plain));
    }
    FigureCurve now =
        boundCurve(data.bound, logarithmic, isScaled(setup) ? scalingTitle(setup.scaling.method) : QString(),
                   {Ink::Kind::rotated});
    FigureCurve negative = negativePart(now);
    figure.curves.push_back(std::move(now));
    if (data.firstNegative) {
        figure.curves.push_back(std::move(negative));
        figure.note += u"; red: B(Δ) < 0"_s;
        figure.verticalLines.push_back({static_cast<double>(*data.firstNegative),
                                        u"B(Δ) < 0 first at %1"_s.arg(groupedText(*data.firstNegative)),
                                        {Ink::Kind::error}});
    }
    figure.horizontalLines.push_back({0, {}, {Ink::Kind::text}});
    const auto supported = isSupported(data);
    const Ink ink{!supported ? Ink::Kind::accent : *supported ? Ink::Kind::success : Ink::Kind::error};
    figure.verticalLines.push_back(contextLine(setup, ink));
    if (supported == false) figure.verticalLines.back().label += u", not supported"_s;
    return figure;
}

QString decaySentence() {
    return u"Su's bound: the rotated channels' part of |logit| is at most this value times (d/2)·max|hⱼ₊₁ − hⱼ|, where "
           "hⱼ is the product of query and key in pair j. The bound does not predict the logit."_s;
}

Figure decayFigure(const RotarySetup& setup, std::int64_t end, bool isCompared, bool logarithmic) {
    // The points of two setups are larger and farther apart, so that the hollow ones can be distinguished.
    const int places = isCompared ? 80 : 600;
    Figure figure;
    figure.name = u"decay-bound"_s;
    figure.x = distanceAxis(end, logarithmic);
    figure.y.label = u"(2/d) Σ|Sⱼ|"_s;
    figure.y.minimum = 0;
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))}};
    const Frequencies now = frequencies(frequency_settings(setup));
    if (now.inverse_frequencies.empty()) {
        figure.emptyText = u"No channel rotates, so Su's bound is not defined."_s;
        figure.summary = figure.emptyText;
        return figure;
    }
    std::vector<double> distances = logarithmic ? spreadDistances(end, places) : std::vector<double>();
    const std::int64_t step = (end + kBoundColumns - 1) / kBoundColumns;
    for (std::int64_t distance = 0; !logarithmic && distance <= end; distance += step) {
        distances.push_back(static_cast<double>(distance));
    }
    const std::vector<double> bound = decay_bound(now.inverse_frequencies, distances);
    FigureCurve curve;
    curve.quantity = u"(2/d) Σ|S_j|"_s;
    curve.ink = {Ink::Kind::rotated};
    if (logarithmic) curve.shape = FigureCurve::Shape::points;  // the bound is not computed between these distances
    curve.pointPt = isCompared ? 3 : 1.5;
    curve.x = {distances.begin(), distances.end()};
    curve.y = {bound.begin(), bound.end()};
    const std::array<double, 1> here = {0.0};
    const double top = decay_bound(now.inverse_frequencies, here).front();
    figure.y.maximum = 1.08 * top;
    const double lowest = *std::min_element(bound.begin(), bound.end());
    const auto channels = 2 * static_cast<int>(now.inverse_frequencies.size());
    const bool hasOthers = channels < setup.head_dim;  // unrotated channels, which the bound leaves out
    figure.note = u"Su's upper bound%3; d = %1%4; value at Δ = 0: %2"_s.arg(channels)
                      .arg(readableNumber(top))
                      .arg(logarithmic ? u" at %1 distances"_s.arg(distances.size()) : QString())
                      .arg(hasOthers ? u" rotated channels of %1"_s.arg(setup.head_dim) : QString());
    figure.summary =
        u"Su's upper bound of %4 falls from %1 at distance 0 to %2 within %3 tokens, not monotonically."_s.arg(
            readableNumber(top), readableNumber(lowest), groupedText(end),
            hasOthers ? u"the rotated channels' part of the attention logit"_s : u"the attention logit"_s);
    figure.curves.push_back(std::move(curve));
    figure.verticalLines.push_back(contextLine(setup));
    return figure;
}

namespace option {

constexpr FigureOption mean{"mean",
                            FigureOption::Kind::number,
                            "The mean μ of each component of the random vectors q and k.",
                            "number",
                            "0",
                            -kMaxMean,
                            kMaxMean};
constexpr FigureOption correlation{"correlation",
                                   FigureOption::Kind::number,
                                   "The correlation ρ of the random vectors q and k, -1 to 1.",
                                   "number",
                                   "0",
                                   -1,
                                   1};

}  // namespace option

static Figure chosenRandomFigure(const FigureRequest& request) {
    const RandomVectors vectors{.mean = request.number(option::mean),
                                .correlation = request.number(option::correlation)};
    return ofSetups(request, [&](const RotarySetup& setup) { return randomFigure(setup, vectors); });
}

std::span<const RotaryFigure> contextFigures() {
    static const std::array<RotaryFigure, 6> figures = {{
        {"context-bound",
         [](const RotarySetup& setup, const ModelShape&) {
             const BoundData firstFrame = boundData(setup, positionsPerFrame(setup));
             return boundFigure(firstFrame.isComplete ? firstFrame : boundData(setup, kMaxPositions), true);
         },
         nullptr, "bound"},
        {"feasible-bases",
         [](const RotarySetup& setup, const ModelShape&) {
             BaseProfile profile(setup, baseRange(setup, false));
             if (canBeNegative(setup)) {
                 profile.extend();
             }
             return basesFigure(profile, boundData(setup, kMaxPositions));
         },
         nullptr, "bases"},
        {"context-map",
         [](const RotarySetup& setup, const ModelShape&) {
             BaseProfile profile(setup, baseRange(setup, false));
             if (canBeNegative(setup)) profile.extend();
             return mapFigure(profile, boundData(setup, kMaxPositions), knownPlaces());
         },
         nullptr,
         "map",
         {},
         requestedMap,
         FigureEntry::Lab::optional},
        {"decay-bound",
         [](const RotarySetup& setup, const ModelShape&) { return decayFigure(setup, distanceAxisEnd(setup.context)); },
         [](const ShapedSetup& a, const ShapedSetup& b) {
             const std::int64_t end = distanceAxisEnd(std::max(a.setup.context, b.setup.context));
             return comparedFigure(decayFigure(a.setup, end, true), decayFigure(b.setup, end, true), a, b);
         },
         "decay"},
        {"random-logits",
         [](const RotarySetup& setup, const ModelShape&) { return randomFigure(setup, RandomVectors{}); },
         nullptr,
         "random",
         {&option::mean, &option::correlation},
         chosenRandomFigure},
        {"key-share",
         [](const RotarySetup& setup, const ModelShape&) { return shareFigure(setup, 0); },
         nullptr,
         "share",
         {&option::correlation},
         [](const FigureRequest& request) {
             return ofSetups(request, [&](const RotarySetup& setup) {
                 return shareFigure(setup, request.number(option::correlation));
             });
         }},
    }};
    return figures;
}

}  // namespace ropelab::ui
