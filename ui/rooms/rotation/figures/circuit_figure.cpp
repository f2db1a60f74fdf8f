#include "ui/rooms/rotation/figures/scene_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/rope/attention/circuit.h"
#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kMostCircuitTokens = 48;
constexpr std::int64_t kFewestKeys = 20;
constexpr double kShownWeight = 0.999;
constexpr std::int64_t kSearchBudget = std::int64_t{1} << 18;  // distances times pairs: below 1 ms

QStringList circuitTokens(const RotationScene& scene) {
    return tokensOf(scene.state.text, kMostCircuitTokens);
}

QString percentOf(double share) {
    return u"%1 %"_s.arg(readableNumber(100 * share));
}

Figure emptyCircuit(Figure figure) {
    figure.emptyText = u"Type a text of two or more tokens to see to which tokens the head attends."_s;
    figure.summary = figure.emptyText;
    return figure;
}

Figure circuitBase(const char* name, const RotationScene& scene) {
    Figure figure = rotation::figure(QLatin1String(name), scene);
    figure.settings.insert(u"text"_s, QString::fromStdString(scene.state.text));
    return figure;
}

}  // namespace

CircuitReadout circuitReadout(const RotationScene& scene) {
    CircuitReadout readout;
    readout.tokens = circuitTokens(scene);
    const auto pairs = std::max<std::int64_t>(1, static_cast<std::int64_t>(scene.pairs.size()));
    readout.searched =
        std::clamp<std::int64_t>(scene.setup.context, 1, std::max<std::int64_t>(64, kSearchBudget / pairs));
    const auto length = static_cast<std::int64_t>(readout.tokens.size());
    const std::vector<double> logits = scene.logits(std::max(readout.searched, length));
    readout.peak = circuit_peak(std::span(logits).first(static_cast<std::size_t>(readout.searched)));
    readout.peakLogit = logits[static_cast<std::size_t>(readout.peak)];
    readout.target = scene.state.source == VectorSource::aimed ? scene.state.distance : readout.peak;
    readout.share = readout.target < length
                        ? circuit_attention_by_distance(logits, length)[static_cast<std::size_t>(readout.target)]
                        : std::numeric_limits<double>::quiet_NaN();
    return readout;
}

QString circuitText(const RotationScene& scene) {
    if (scene.rotatedPairs() == 0)
        return u"No pair is rotated: a head whose tokens all have the same q and k attends to all distances equally."_s;
    const CircuitReadout readout = circuitReadout(scene);
    QString text = u"The largest logit of the first %1 distances is %2, at the distance Δ = %3."_s.arg(
        groupedText(readout.searched), readableNumber(readout.peakLogit), groupedText(readout.peak));
    text += QLatin1Char(' ');
    if (std::isnan(readout.share)) {
        return text + u"The text is too short to show the attention at the distance of %1."_s.arg(
                          countText(readout.target, u"token"_s));
    }
    return text + u"On this text, the token at the distance Δ = %1 gets %2 of the attention on average."_s.arg(
                      groupedText(readout.target), percentOf(readout.share));
}

Figure circuitFigure(const RotationScene& scene) {
    Figure figure = circuitBase("circuit-attention", scene);
    const QStringList tokens = circuitTokens(scene);
    const auto side = static_cast<int>(tokens.size());
    if (side < 2) return emptyCircuit(std::move(figure));
    const std::vector<double> weights = circuit_attention(scene.logits(side), side);
    FigureMap map;
    map.label = u"attention weight"_s;
    map.columns = map.rows = side;
    map.minimum = 0;
    map.maximum = 1;
    for (int query = 0; query < side; ++query) {
        for (int key = 0; key < side; ++key) {
            const double weight = weights[static_cast<std::size_t>(query * side + key)];
            map.values.append(key > query ? std::nanf("") : static_cast<float>(weight));
        }
    }
    figure.map = std::move(map);
    figure.x.label = u"key token"_s;
    figure.y.label = u"query token"_s;
    for (Axis* axis : {&figure.x, &figure.y}) {
        axis->categories = tokens;
        axis->minimum = -0.5;
        axis->maximum = side - 0.5;
    }
    figure.y.downwards = true;
    figure.note =
        u"a head that is built, not trained: all tokens have the same q and k, so the logit depends only on the "
        "distance; softmax normalizes each row"_s;
    figure.summary =
        u"Attention weights of the head built on this page, for the %1 tokens of the text. %2"_s.arg(side).arg(
            circuitText(scene));
    return figure;
}

Figure circuitDistanceFigure(const RotationScene& scene, const std::optional<TrainedHead>& trained) {
    Figure figure = circuitBase("circuit-distance", scene);
    const auto length = static_cast<std::int64_t>(circuitTokens(scene).size());
    if (length < 2 && !trained) return emptyCircuit(std::move(figure));
    figure.x = {u"distance Δ = m − n"_s, u"tokens"_s};
    figure.y = {u"mean attention weight"_s, {}};
    figure.y.minimum = 0;
    FigureCurve built;
    built.quantity = figure.y.label;
    if (trained) built.label = u"built head"_s;
    built.ink = Ink::data(0);
    if (trained) {
        built.x = trained->distances;
        built.y = trained->built;
    } else {
        // Of the queries that reach the distance at which the head aims: the first token can attend only to itself.
        const std::int64_t first = std::min(circuitReadout(scene).target, length - 1);
        const std::vector<double> means = circuit_attention_by_distance(scene.logits(length), length, first);
        if (first == length - 1) figure.y.label = built.quantity = u"attention weight"_s;  // of one query
        if (first > 0) {
            figure.note = first == length - 1 ? u"of the query at position %1"_s.arg(groupedText(first))
                                              : u"mean over the queries from position %1 on"_s.arg(groupedText(first));
        }
        for (std::int64_t distance = 0; distance < length; ++distance) {
            built.x.append(static_cast<double>(distance));
            built.y.append(means[static_cast<std::size_t>(distance)]);
        }
    }
    figure.summary =
        u"Mean attention weight, by distance, of the head built on this page, for texts of %1 tokens. %2"_s.arg(
            groupedText(trained ? trained->length : length), circuitText(scene));
    figure.curves.push_back(std::move(built));
    if (trained) {
        FigureCurve other;
        other.quantity = u"mean attention weight"_s;
        other.label = trained->name;
        other.ink = Ink::data(1);
        other.x = trained->distances;
        other.y = trained->trained;
        other.companion = true;
        other.isNamed = true;
        figure.curves.push_back(std::move(other));
        figure.note = u"cosine similarity %1"_s.arg(readableNumber(trained->similarity));
        figure.summary +=
            u" The mean attention weights of the trained head %1 have a cosine similarity of %2 to those of the head "
            "built on this page."_s.arg(trained->name, readableNumber(trained->similarity));
        figure.settings.insert(u"trained head"_s, trained->name);
    }
    return figure;
}

Figure circuitKeysFigure(const RotationScene& scene) {
    constexpr std::int64_t mostKeys = 1024;
    constexpr std::int64_t mostBars = 256;
    Figure figure = rotation::figure(u"circuit-keys"_s, scene);
    const std::int64_t keys = std::clamp<std::int64_t>(scene.setup.context, 1, mostKeys);
    const std::vector<double> weights = circuit_weights(scene.logits(keys), keys);
    figure.x = {u"distance Δ = m − n"_s, u"tokens"_s};
    figure.y = {u"attention weight"_s, u"%"_s};
    figure.y.minimum = 0;
    FigureCurve curve;
    curve.quantity = u"attention weight"_s;
    curve.ink = Ink::data(0);
    for (std::int64_t distance = 0; distance < keys; ++distance) {
        curve.x.append(static_cast<double>(distance));
        curve.y.append(100 * weights[static_cast<std::size_t>(distance)]);
    }
    // A sharp head has its weight at few distances, whose bars would lie on the axis among all keys.
    std::int64_t shown = 0;
    double sum = 0;
    for (; shown < keys && (sum < kShownWeight || shown < kFewestKeys); ++shown) {
        sum += weights[static_cast<std::size_t>(shown)];
    }
    if (shown > mostBars) shown = keys;
    if (shown <= mostBars) curve.shape = FigureCurve::Shape::bars;
    if (shown < keys) {
        figure.x.minimum = -0.5;
        figure.x.maximum = static_cast<double>(shown) - 0.5;
    }
    figure.curves.push_back(std::move(curve));
    const std::int64_t target = std::min(circuitReadout(scene).target, keys - 1);
    const QString share = percentOf(weights[static_cast<std::size_t>(target)]);
    figure.note = u"%1%2; weight at distance %3: %4"_s.arg(
        countText(keys, u"key"_s),
        keys < scene.setup.context ? u" of the context of %1"_s.arg(groupedText(scene.setup.context)) : QString(),
        groupedText(target), share);
    if (shown < keys) figure.note += u"; the nearest %1 have %2"_s.arg(groupedText(shown), percentOf(sum));
    figure.summary =
        u"Attention weight, by distance, of the head built on this page, for a query with %1. The key at distance %2 "
        "has %3."_s.arg(countText(keys, u"key"_s), groupedText(target), share);
    return figure;
}

}  // namespace ropelab::ui
