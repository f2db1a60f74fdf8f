#include "ui/inspect/attention_figures.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "core/experiment/probing.h"
#include "ui/figure/ticks.h"
#include "ui/inspect/attention_difference.h"
#include "ui/inspect/attention_seen.h"
#include "ui/window/format.h"

namespace ropelab::ui {
namespace {

/// The part of the pair that was asked for with the typed text, in the chosen head; empty without.
std::vector<double> pairPartOf(const InspectData& data) {
    if (!data.run || !data.text || !data.textPair || data.text->pair_logits.empty()) return {};
    return mapOf(data.text->pair_logits, data);
}

/// That part as points on a map, in the hues of the map of the part alone: larger where it raises or lowers the logit
/// by more.
std::vector<FigureCurve> pairPoints(const std::vector<double>& part, int side) {
    double most = 0;
    for (const double value : part) most = std::max(most, std::abs(value));
    std::vector<FigureCurve> result;
    if (most == 0) return result;
    constexpr int sizes = 3;  // of 1/4 to 1/2 of the most, to 3/4, and above
    for (const bool raises : {true, false}) {
        for (int size = 0; size < sizes; ++size) {
            FigureCurve points = inspectCurve({}, raises ? QObject::tr("logit raised") : QObject::tr("logit lowered"),
                                              Ink::data(raises ? 1 : 5), {}, {});
            points.shape = FigureCurve::Shape::points;
            points.pointPt = 2 + 1.25 * size;
            for (int key = 0; key < side; ++key) {
                for (int query = key; query < side; ++query) {
                    const double value = part[static_cast<std::size_t>(query * side + key)];
                    const int its = std::min(sizes, static_cast<int>((sizes + 1) * std::abs(value) / most)) - 1;
                    if (its != size || (value > 0) != raises) continue;
                    points.x.append(key);
                    points.y.append(query);
                }
            }
            if (!points.x.isEmpty()) result.push_back(std::move(points));
        }
    }
    return result;
}

/// A square map over positions, queries upwards.
InspectPicture positionsMap(const InspectData& data, const char* name, const ProbeArray& array, const Seen& seen,
                            const QString& what, FigureMap::Scale scale) {
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    const int side = sideOf(array);
    const std::vector<double> values = mapOf(array, data);
    FigureMap map;
    map.label = what;
    map.columns = map.rows = side;
    map.scale = scale;
    for (int query = 0; query < side; ++query) {
        for (int key = 0; key < side; ++key) {
            const double value = values[static_cast<std::size_t>(query * side + key)];
            map.values.append(key > query ? std::nanf("") : static_cast<float>(value));
        }
    }
    if (scale == FigureMap::Scale::magnitude) {
        map.minimum = 0;
        map.maximum = 1;
    }
    figure.map = map;
    figure.x = {QObject::tr("key, position in the text"), {}};
    figure.y = {QObject::tr("query, position in the text"), {}};
    for (Axis* axis : {&figure.x, &figure.y}) {
        axis->minimum = -0.5;
        axis->maximum = side - 0.5;
    }
    figure.note = QObject::tr("%1, %2").arg(stepNote(data, seen), whereText(data.choices));
    figure.summary = QObject::tr("%1 of %2 symbols: %3.").arg(what).arg(side).arg(figure.note);
    const Reading reading = readingOf(data, -1);
    if (reading.query >= 0 && data.choices.symbol >= 0) {
        figure.horizontalLines.push_back({static_cast<double>(reading.query), {}, {Ink::Kind::accent}});
    }
    picture.symbolAt = [side](QPointF place) -> std::optional<int> {
        const int query = static_cast<int>(std::lround(place.y()));
        return query >= 0 && query < side ? std::optional(query) : std::nullopt;
    };
    picture.readout = [map, symbols = reading.symbols, what, part = pairPartOf(data),
                       pair = data.textPair](QPointF place) -> std::optional<FigureView::Readout> {
        const int key = static_cast<int>(std::lround(place.x()));
        const int query = static_cast<int>(std::lround(place.y()));
        if (key < 0 || query < key || query >= map.rows || query >= symbols.size()) return std::nullopt;
        const double value = static_cast<double>(map.values[static_cast<qsizetype>(query) * map.columns + key]);
        FigureView::Readout readout{
            QObject::tr("“%1” at %2 reads “%3” at %4").arg(symbols[query]).arg(query).arg(symbols[key]).arg(key),
            static_cast<double>(key),
            {{what, readableNumber(value)}, {QObject::tr("distance"), QString::number(query - key)}}};
        if (!part.empty() && map.scale == FigureMap::Scale::magnitude) {
            readout.rows.push_back({QObject::tr("pair %1’s part of the logit").arg(*pair),
                                    readableNumber(part[static_cast<std::size_t>(query * map.columns + key)])});
        }
        return readout;
    };
    return picture;
}

/// Why curves by distance do not reach over the whole text.
QString whyNoSpectrum(const InspectData& data, const ProbeResult& result) {
    const std::int64_t window = data.run->spec.attention_window;
    if (window > 0 && window < result.length) {
        return QObject::tr(
                   "This run attends within a sliding window of %1: its attention by distance ends there and has no "
                   "Fourier spectrum over the whole text.")
            .arg(countText(window, QObject::tr("token")));
    }
    return QObject::tr(
        "Curves by distance were thinned for this long context, so they have no Fourier spectrum. A typed text has "
        "one.");
}

QString whyNoPairPart(const InspectData& data) {
    const auto lit = data.choices.pair;
    if (!data.text && !data.textAsked) {
        const QString what = lit ? QObject::tr("pair %1").arg(*lit) : QObject::tr("one pair");
        return QObject::tr(
                   "Type a text on the right: the run's checkpoint reads it, and this shows what %1 adds to "
                   "each logit.")
            .arg(what);
    }
    if (!data.askedPair) {
        return lit ? QObject::tr("Click pair %1 to see its part of the logit.").arg(*lit)
                   : QObject::tr("Pick a pair in a spectrum to see its part of the logit.");
    }
    if (data.text && data.textPair == data.askedPair) {
        return QObject::tr("This run's logits have no part of pair %1.").arg(*data.askedPair);
    }
    return QObject::tr("Reading the text for the part of pair %1 …").arg(*data.askedPair);
}

}  // namespace

Reading readingOf(const InspectData& data, int query) {
    Reading reading;
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention.empty()) return reading;
    const int side = sideOf(seen.result->attention);
    const std::vector<double> map = mapOf(seen.result->attention, data);
    reading.query = query >= 0 ? query : data.choices.symbol;
    if (reading.query < 0 || reading.query >= side) reading.query = side - 1;
    std::vector<std::int32_t> tokens = seen.result->map_tokens;
    tokens.resize(static_cast<std::size_t>(side), -1);
    reading.symbols = data.run->symbols(tokens);
    for (int i = 0; i < side; ++i) {
        reading.shares.push_back(i <= reading.query ? map[static_cast<std::size_t>(reading.query * side + i)] : 0);
    }
    return reading;
}

InspectPicture attentionMap(const InspectData& data) {
    constexpr const char* name = "attention-map";
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention.empty()) return withoutNumbers(data, name);
    if (data.choices.difference) {
        if (const QString why = whyNoAttentionDifference(data); !why.isEmpty()) return withoutNumbers(data, name, why);
        InspectPicture picture = positionsMap(data, name, attentionDifference(data), seen,
                                              QObject::tr("difference of attention"), FigureMap::Scale::diverging);
        picture.figure.map->maximum = largestChosenDifference(data);
        picture.figure.map->minimum = -picture.figure.map->maximum;
        picture.figure.note = QObject::tr("%1, %2").arg(attentionDifferenceNote(data), whereText(data.choices));
        picture.figure.summary = QObject::tr("Difference of attention: %1.").arg(picture.figure.note);
        return picture;
    }
    InspectPicture picture =
        positionsMap(data, name, seen.result->attention, seen, QObject::tr("attention"), FigureMap::Scale::magnitude);
    if (const std::vector<double> part = pairPartOf(data); !part.empty()) {
        picture.figure.curves = pairPoints(part, sideOf(data.text->pair_logits));
        picture.figure.note +=
            QObject::tr("; points: where pair %1 raises (orange) or lowers (blue) the logit most").arg(*data.textPair);
    }
    return picture;
}

InspectPicture pairLogits(const InspectData& data) {
    constexpr const char* name = "pair-logits";
    if (!data.run) return withoutNumbers(data, name);
    if (pairPartOf(data).empty()) {
        return withoutNumbers(data, name, data.problem.isEmpty() ? whyNoPairPart(data) : data.problem);
    }
    InspectPicture picture =
        positionsMap(data, name, data.text->pair_logits, seenOf(data),
                     QObject::tr("part of pair %1").arg(*data.textPair), FigureMap::Scale::diverging);
    return picture;
}

InspectPicture attentionByDistance(const InspectData& data) {
    constexpr const char* name = "attention-by-distance";
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention_by_distance.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("distance Δ"), QObject::tr("symbols")};
    figure.y = {QObject::tr("mean attention"), {}, true};
    const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
    const auto curveOf = [&](const ProbeResult& result, std::int64_t head) {
        const auto row = meanRow(result.attention_by_distance, layer, head, data.run->spec.heads);
        FigureCurve curve = inspectCurve(QObject::tr("head %1").arg(head), figure.y.label,
                                         Ink::data(static_cast<int>(head)), {}, {row.begin(), row.end()});
        for (const std::int64_t distance : result.distances) curve.x.append(static_cast<double>(distance));
        return curve;
    };
    for (std::int64_t head = 0; head < data.run->spec.heads; ++head) {
        if (const Snapshot* other = data.text ? nullptr : data.ghostSnapshot()) {
            figure.curves.push_back(ghostCurve(curveOf(*other->result, head), *data.ghost));
        }
        FigureCurve curve = curveOf(*seen.result, head);
        if (headOf(data) == head) curve.emphasis = FigureCurve::Emphasis::picked;
        if (headOf(data) >= 0 && headOf(data) != head) curve.emphasis = FigureCurve::Emphasis::dimmed;
        figure.curves.push_back(std::move(curve));
    }
    figure.note = QObject::tr("%1, layer %2").arg(stepNote(data, seen)).arg(layer);
    figure.summary = QObject::tr("Mean share of attention by distance: %1.").arg(figure.note);
    return picture;
}

InspectPicture attentionSpectrum(const InspectData& data) {
    constexpr const char* name = "attention-spectrum";
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention_by_distance.empty()) return withoutNumbers(data, name);
    const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("wavelength"), QObject::tr("symbols"), true};
    figure.y = {QObject::tr("magnitude of attention's spectrum"), {}};
    const auto length = static_cast<double>(seen.result->length);
    for (std::int64_t head = 0; head < data.run->spec.heads; ++head) {
        if (headOf(data) >= 0 && headOf(data) != head) continue;
        const std::vector<double> bins = attention_spectrum(*seen.result, layer, head);
        if (bins.empty()) return withoutNumbers(data, name, whyNoSpectrum(data, *seen.result));
        FigureCurve curve =
            inspectCurve(QObject::tr("head %1").arg(head), figure.y.label, Ink::data(static_cast<int>(head)), {}, {});
        for (std::size_t bin = bins.size() - 1; bin >= 1; --bin) {  // wavelengths ascend
            curve.x.append(length / static_cast<double>(bin));
            curve.y.append(bins[bin]);
        }
        figure.curves.push_back(std::move(curve));
    }
    const auto wavelengths = wavelengthsOf(data.run->spec);
    figure.x.minimum = 2;
    figure.x.maximum = length;
    for (std::size_t pair = 0; pair < wavelengths.size(); ++pair) {
        if (!(wavelengths[pair] <= length)) continue;
        const bool lit = data.choices.pair == static_cast<int>(pair);
        figure.verticalLines.push_back({wavelengths[pair],
                                        lit ? QObject::tr("pair %1").arg(pair) : QString(),
                                        {lit ? Ink::Kind::text : Ink::Kind::rotated}});
    }
    figure.note = QObject::tr("%1, layer %2; lines: wavelengths of RoPE's pairs").arg(stepNote(data, seen)).arg(layer);
    figure.summary =
        QObject::tr("Fourier spectrum of mean attention over distance against wavelength: %1.").arg(figure.note);
    return picture;
}

}  // namespace ropelab::ui
