#include "ui/rooms/inspect/attention_figures.h"

#include <QObject>
#include <algorithm>
#include <cmath>

#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/attention_difference.h"
#include "ui/rooms/inspect/attention_seen.h"

namespace ropelab::ui {
namespace {

std::vector<double> pairTerms(const InspectData& data) {
    if (!data.run || !data.text || !data.textPair || data.text->pair_logits.empty()) return {};
    return mapOf(data.text->pair_logits, data);
}

/// The points have the colours of the map from pairLogits(), and are larger where the pair changes the logit by more.
std::vector<FigureCurve> pairPoints(const std::vector<double>& terms, int side) {
    double most = 0;
    for (const double value : terms) most = std::max(most, std::abs(value));
    std::vector<FigureCurve> result;
    if (most == 0) return result;
    constexpr int sizes = 3;  // for values of 1/4 to 1/2, 1/2 to 3/4, and above 3/4 of the largest one
    for (const bool raises : {true, false}) {
        for (int size = 0; size < sizes; ++size) {
            FigureCurve points = inspectCurve({}, raises ? QObject::tr("logit raised") : QObject::tr("logit lowered"),
                                              Ink::data(raises ? 1 : 5), {}, {});
            points.shape = FigureCurve::Shape::points;
            points.pointPt = 2 + 1.25 * size;
            for (int key = 0; key < side; ++key) {
                for (int query = key; query < side; ++query) {
                    const double value = terms[static_cast<std::size_t>(query * side + key)];
                    const int sizeClass = std::min(sizes, static_cast<int>((sizes + 1) * std::abs(value) / most)) - 1;
                    if (sizeClass != size || (value > 0) != raises) continue;
                    points.x.append(key);
                    points.y.append(query);
                }
            }
            if (!points.x.isEmpty()) result.push_back(std::move(points));
        }
    }
    return result;
}

/// x is the key, y the query, with query 0 at the top.
InspectPicture positionsMap(const InspectData& data, const char* name, const ProbeArray& array,
                            const AttentionSource& source, const QString& what, FigureMap::Scale scale) {
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    const int side = sideOf(array);
    const std::vector<double> values = mapOf(array, data);
    if (values.empty()) return withoutNumbers(data, name);
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
    figure.y.downwards = true;
    figure.note = QObject::tr("%1, %2").arg(stepNote(data, source), whereText(data.choices));
    figure.summary = QObject::tr("Map of %1 for %2 tokens: %3.").arg(what).arg(side).arg(figure.note);
    const AttentionRow row = attentionRow(data, -1);
    if (row.query >= 0 && data.choices.query >= 0) {
        figure.horizontalLines.push_back({static_cast<double>(row.query), {}, {Ink::Kind::accent}});
    }
    picture.tokenAt = [side](QPointF place) -> std::optional<int> {
        const int query = static_cast<int>(std::lround(place.y()));
        return query >= 0 && query < side ? std::optional(query) : std::nullopt;
    };
    picture.readout = [map, tokens = row.tokens, what, terms = pairTerms(data),
                       pair = data.textPair](QPointF place) -> std::optional<FigureView::Readout> {
        const int key = static_cast<int>(std::lround(place.x()));
        const int query = static_cast<int>(std::lround(place.y()));
        if (key < 0 || query < key || query >= map.rows || query >= tokens.size()) return std::nullopt;
        const double value = static_cast<double>(map.values[static_cast<qsizetype>(query) * map.columns + key]);
        FigureView::Readout readout{
            QObject::tr("query “%1” at %2, key “%3” at %4").arg(tokens[query]).arg(query).arg(tokens[key]).arg(key),
            static_cast<double>(key),
            {{what, readableNumber(value)}, {QObject::tr("distance"), QString::number(query - key)}}};
        if (!terms.empty() && map.scale == FigureMap::Scale::magnitude) {
            readout.rows.push_back({QObject::tr("logit term of pair %1").arg(*pair),
                                    readableNumber(terms[static_cast<std::size_t>(query * map.columns + key)])});
        }
        return readout;
    };
    return picture;
}

/// The spectrum requires curves by distance that cover the whole text.
QString whyNoSpectrum(const InspectData& data, const ProbeResult& result) {
    const std::int64_t slidingWindow = data.run->spec.attention_window;
    if (slidingWindow > 0 && slidingWindow < result.length) {
        return QObject::tr(
                   "This run has a sliding attention window of %1, so its attention by distance ends there and has no "
                   "Fourier spectrum over the whole text.")
            .arg(countText(slidingWindow, QObject::tr("token")));
    }
    return QObject::tr(
        "The snapshots of this long context store averages over neighbouring distances, so there is no Fourier "
        "spectrum. Type a text to get one.");
}

QString whyNoPairTerms(const InspectData& data) {
    const auto highlighted = data.choices.pair;
    if (!data.text && !data.textRequested) {
        const QString what = highlighted ? QObject::tr("pair %1").arg(*highlighted) : QObject::tr("one pair");
        return QObject::tr(
                   "Type a text on the right. The checkpoint's model then processes it, and this map shows the term of "
                   "%1 in each logit.")
            .arg(what);
    }
    if (!data.requestedPair) {
        return highlighted ? QObject::tr("Click pair %1 to see its logit term.").arg(*highlighted)
                           : QObject::tr("Select a pair in a spectrum to see its logit term.");
    }
    if (data.text && data.textPair == data.requestedPair) {
        return QObject::tr("Pair %1 has no term in the logits of this run.").arg(*data.requestedPair);
    }
    return QObject::tr("Computing the logit term of pair %1 …").arg(*data.requestedPair);
}

}  // namespace

AttentionRow attentionRow(const InspectData& given, int query) {
    const InspectData data = withOneHead(given);
    AttentionRow row;
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention.empty()) return row;
    const int side = sideOf(source.result->attention);
    const std::vector<double> map = mapOf(source.result->attention, data);
    if (map.empty()) return row;
    row.query = query >= 0 ? query : data.choices.query;
    if (row.query < 0 || row.query >= side) row.query = side - 1;
    std::vector<std::int32_t> tokens = source.result->map_tokens;
    tokens.resize(static_cast<std::size_t>(side), -1);
    row.tokens = data.run->tokenTexts(tokens);
    for (int i = 0; i < side; ++i) {
        row.weights.push_back(i <= row.query ? map[static_cast<std::size_t>(row.query * side + i)] : 0);
    }
    return row;
}

InspectPicture attentionMap(const InspectData& given) {
    const InspectData data = withOneHead(given);
    constexpr const char* name = "attention-map";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention.empty()) return withoutNumbers(data, name);
    if (data.choices.difference) {
        if (const QString why = whyNoAttentionDifference(data); !why.isEmpty()) return withoutNumbers(data, name, why);
        InspectPicture picture =
            positionsMap(data, name, attentionDifference(data), source, QObject::tr("difference of attention weights"),
                         FigureMap::Scale::diverging);
        picture.figure.map->maximum = largestChosenDifference(data);
        picture.figure.map->minimum = -picture.figure.map->maximum;
        picture.figure.note = QObject::tr("%1, %2").arg(attentionDifferenceNote(data), whereText(data.choices));
        picture.figure.summary = QObject::tr("Difference of attention weights: %1.").arg(picture.figure.note);
        return picture;
    }
    InspectPicture picture = positionsMap(data, name, source.result->attention, source, QObject::tr("attention weight"),
                                          FigureMap::Scale::magnitude);
    if (const std::vector<double> terms = pairTerms(data); !terms.empty()) {
        picture.figure.curves = pairPoints(terms, sideOf(data.text->pair_logits));
        picture.figure.note +=
            QObject::tr("; points: pair %1 raises (orange) or lowers (blue) the logit").arg(*data.textPair);
    }
    return picture;
}

InspectPicture pairLogits(const InspectData& given) {
    const InspectData data = withOneHead(given);
    constexpr const char* name = "pair-logits";
    if (!data.run) return withoutNumbers(data, name);
    if (pairTerms(data).empty()) {
        return withoutNumbers(data, name, data.problem.isEmpty() ? whyNoPairTerms(data) : data.problem);
    }
    InspectPicture picture =
        positionsMap(data, name, data.text->pair_logits, attentionSource(data),
                     QObject::tr("logit term of pair %1").arg(*data.textPair), FigureMap::Scale::diverging);
    return picture;
}

InspectPicture attentionByDistance(const InspectData& data) {
    constexpr const char* name = "attention-by-distance";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention_by_distance.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("distance Δ"), QObject::tr("tokens")};
    figure.y = {QObject::tr("mean attention weight"), {}, true};
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
        FigureCurve curve = curveOf(*source.result, head);
        if (headOf(data) == head) curve.emphasis = FigureCurve::Emphasis::picked;
        if (headOf(data) >= 0 && headOf(data) != head) curve.emphasis = FigureCurve::Emphasis::dimmed;
        if (curve.emphasis != FigureCurve::Emphasis::dimmed) {
            addBand(figure,
                    meanBand(QObject::tr("%1, 95 % interval").arg(curve.label), curve.ink, curve.x, curve.y,
                             meanRow(source.result->attention_by_distance_error, layer, head, data.run->spec.heads),
                             source.result->sequences));
        }
        figure.curves.push_back(std::move(curve));
    }
    figure.note = QObject::tr("%1, layer %2; %3")
                      .arg(stepNote(data, source))
                      .arg(layer)
                      .arg(sequencesNote(*source.result, !figure.bands.empty()));
    figure.summary = QObject::tr("Mean attention weight by distance: %1.").arg(figure.note);
    return picture;
}

InspectPicture attentionSpectrum(const InspectData& data) {
    constexpr const char* name = "attention-spectrum";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention_by_distance.empty()) return withoutNumbers(data, name);
    const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("wavelength"), QObject::tr("tokens"), true};
    figure.y = {QObject::tr("magnitude of the Fourier spectrum"), {}};
    const auto length = static_cast<double>(source.result->length);
    for (std::int64_t head = 0; head < data.run->spec.heads; ++head) {
        if (headOf(data) >= 0 && headOf(data) != head) continue;
        const std::vector<double> bins = attention_spectrum(*source.result, layer, head);
        if (bins.empty()) return withoutNumbers(data, name, whyNoSpectrum(data, *source.result));
        FigureCurve curve =
            inspectCurve(QObject::tr("head %1").arg(head), figure.y.label, Ink::data(static_cast<int>(head)), {}, {});
        for (std::size_t bin = bins.size() - 1; bin >= 1; --bin) {  // in ascending order of the wavelength
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
        const bool highlighted = data.choices.pair == static_cast<int>(pair);
        figure.verticalLines.push_back({wavelengths[pair],
                                        highlighted ? QObject::tr("pair %1").arg(pair) : QString(),
                                        {highlighted ? Ink::Kind::text : Ink::Kind::rotated}});
    }
    figure.note = QObject::tr("%1, layer %2; lines: wavelengths of RoPE's pairs; %3, without intervals")
                      .arg(stepNote(data, source))
                      .arg(layer)
                      .arg(sequencesText(*source.result));
    figure.summary = QObject::tr("Fourier spectrum of the mean attention weight by distance, against wavelength: %1.")
                         .arg(figure.note);
    return picture;
}

}  // namespace ropelab::ui
