#include "ui/rooms/inspect/figures/figures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/paint/dials_painting.h"
#include "ui/figure/ticks.h"
#include "ui/probes/interval_bands.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

/// In radians per token; 0 for a pair that is not rotated.
std::vector<double> frequenciesAt(const InspectData& data, const ProbeResult& result, std::int64_t layer) {
    std::vector<double> frequencies;
    if (!result.frequencies.empty()) {  // theta changes during training
        const std::int64_t head = std::clamp<std::int64_t>(headOf(data), 0, result.frequencies.shape[1] - 1);
        for (const float each : result.frequencies.row(layer, head)) frequencies.push_back(static_cast<double>(each));
        return frequencies;
    }
    for (const double wavelength : wavelengthsOf(data.run->plan)) {
        frequencies.push_back(std::isfinite(wavelength) ? 2 * std::numbers::pi / wavelength : 0);
    }
    return frequencies;
}

/// Mean norms of the pairs of one layer and head, F33.
struct Usage {
    std::vector<double> query;
    std::vector<double> key;
};
/// The first layer replaces the mean over layers; the run's last layer or head replaces one that does not exist.
Usage usageAt(const InsideRun& run, const InspectChoices& choices, const ProbeResult& result) {
    const std::int64_t layer = std::clamp<std::int64_t>(choices.layer, 0, run.spec.layers - 1);
    const std::int64_t head = std::min(choices.head, run.spec.heads - 1);
    return {meanRow(result.query_usage, layer, head, run.spec.heads),
            meanRow(result.key_usage, layer, head, run.spec.heads)};
}

/// The maximum over all snapshots of both runs.
double largestUsage(const InspectData& data) {
    thread_local ScaleCache cache;
    return cache.get(data, {data.choices.layer, data.choices.head}, [&data] {
        double most = 0;
        for (const auto& run : {data.run, data.ghost}) {
            if (!run) continue;
            for (const Snapshot& snapshot : run->snapshots) {
                const Usage usage = usageAt(*run, data.choices, *snapshot.result);
                for (const auto* row : {&usage.query, &usage.key}) {
                    for (const double value : *row) most = std::max(most, value);
                }
            }
        }
        return most > 0 ? most : 1;
    });
}

}  // namespace

InspectPicture pairDials(const InspectData& data) {
    constexpr const char* name = "pair-dials";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->query_usage.empty() || now->result->key_usage.empty()) return withoutNumbers(data, name);
    const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
    const std::vector<double> frequencies = frequenciesAt(data, *now->result, layer);
    const Usage usage = usageAt(*data.run, data.choices, *now->result);
    const double full = largestUsage(data);
    const auto lag = static_cast<double>(data.choices.lag);

    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.settings[u"lag"_s] = lag;
    figure.settings.remove(u"second_run"_s);  // its dials are another figure
    DialsPicture dials;
    dials.highlighted = data.choices.pair;
    bool anyUnrotated = false;
    dials.words.isGrey = true;
    figure.table = FigureTable::of(
        {u"pair"_s, u"frequency (rad/token)"_s, u"angle of q (degrees)"_s, u"query norm"_s, u"key norm"_s});
    for (std::size_t i = 0; i < std::min(frequencies.size(), usage.query.size()); ++i) {
        const bool rotated = frequencies[i] > 0;
        anyUnrotated = anyUnrotated || !rotated;
        dials.words.isGrey = dials.words.isGrey && !rotated;
        const double angle = std::remainder(frequencies[i] * lag, 2 * std::numbers::pi);
        dials.hands.append({{rotated ? Dial::Kind::rotated : Dial::Kind::frozen, static_cast<int>(i)},
                            angle,
                            0,
                            usage.query[i] / full,
                            usage.key[i] / full});
        figure.table.addRow(
            {static_cast<double>(i), frequencies[i], angle * 180 / std::numbers::pi, usage.query[i], usage.key[i]});
    }
    InspectChoices where = data.choices;
    where.layer = layer;
    dials.words.query = u"q at distance Δ = %1"_s.arg(groupedText(data.choices.lag));
    dials.words.key = u"k"_s;
    dials.words.note = u"%1; %2; full-length hand: norm %3%4; %5"_s.arg(
        data.run->at(now->iteration), whereText(where), readableNumber(full),
        anyUnrotated ? u"; grey: not rotated"_s : QString(), sequencesText(*now->result));
    figure.summary =
        u"%1 dials, one per pair, with the hands of q and k at a distance of %2 tokens: %3."_s.arg(dials.hands.size())
            .arg(data.choices.lag)
            .arg(dials.words.note);
    picture.drawnPairAt = [words = dials.words, count = dials.hands.size()](
                              QPointF place, const QRectF& canvas, const FigureStyle& style) -> std::optional<int> {
        const qsizetype below = noteBelow(words, canvas.width(), style).size();
        const auto dial = gridOf(canvas, count, below, style).dialAt(place, count);
        return dial ? std::optional(static_cast<int>(*dial)) : std::nullopt;
    };
    figure.drawingHeight = [dials](double width, const FigureStyle& style) { return dialsHeight(dials, width, style); };
    figure.drawing = [dials = std::move(dials)](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        paintDials(painter, rect, style, dials);
    };
    return picture;
}

}  // namespace ropelab::ui
