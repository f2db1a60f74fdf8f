#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/figure_head.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/theme/color_maps.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

struct AttentionSource {
    const ProbeResult* result = nullptr;
    std::int64_t iteration = 0;
};

/// The result for the typed text if there is one, else that of the snapshot at the cursor.
AttentionSource attentionSource(const InspectData& data) {
    if (data.run && data.text) return {data.text.get(), data.textIteration};
    if (const Snapshot* now = data.snapshot()) return {now->result.get(), now->iteration};
    return {};
}

/// As "step 50: run, your text".
QString stepNote(const InspectData& data, const AttentionSource& source) {
    if (data.text && !data.run->hasSteps()) return u"%1, typed text"_s.arg(data.run->name);
    if (data.textWhileTraining && data.text)
        return u"after step %2: %1 (still in training), typed text"_s.arg(data.run->name,
                                                                          groupedText(source.iteration));
    return data.run->at(source.iteration) + (data.text ? u", typed text"_s : QString());
}

struct ChosenHead {
    std::int64_t layer;
    std::int64_t head;
};

/// Searches an array of layers × heads × …, in one layer or, for −1, in all. Returns nullopt unless a value exceeds
/// `floor`.
std::optional<ChosenHead> highestHead(const ProbeArray& array, std::int64_t onlyLayer, double floor,
                                      const std::function<double(std::span<const float>)>& value) {
    std::optional<ChosenHead> best;
    if (array.empty()) return best;
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        if (onlyLayer >= 0 && layer != onlyLayer) continue;
        for (std::int64_t head = 0; head < array.shape[1]; ++head) {
            const double here = value(array.row(layer, head));
            if (!(here > floor)) continue;
            floor = here;
            best = ChosenHead{layer, head};
        }
    }
    return best;
}

}  // namespace

InspectData withOneHead(InspectData data) {
    if (data.choices.head != kAutomaticHead || !data.run) return data;
    const ProbeResult* result = data.run->snapshots.empty() ? data.text.get() : data.run->snapshots.back().result.get();
    if (!result) return data;
    const std::int64_t layer = layerOf(data);
    // The last element of a contribution is that of the unrotated channels.
    std::optional<ChosenHead> chosen = highestHead(result->logit_contribution, layer, 0, [](auto row) {
        return std::accumulate(row.begin(), row.end() - 1, 0.0);
    });
    QString reason = u"the largest rotary logit contribution"_s;
    if (!chosen) {
        chosen = highestHead(result->entropy, layer, -std::numeric_limits<double>::infinity(),
                             [](auto row) { return -static_cast<double>(row.front()); });
        reason = u"the lowest attention entropy"_s;
    }
    if (!chosen) return data;
    data.choices.layer = chosen->layer;
    data.choices.head = chosen->head;
    data.choices.headReason = layer < 0 ? reason : u"%1 in this layer"_s.arg(reason);
    return data;
}

static std::vector<double> mapOf(const ProbeArray& array, const InspectData& data) {
    // A lab stores 0 for the attention weights of gated DeltaNet layers, which have none.
    const InsideRun& run = *data.run;
    const std::int64_t chosen = layerOf(data);
    if (std::ranges::all_of(run.plan.layers, [](const LayerPlan& layer) { return layer.scores(); }))
        return meanRow(array, chosen, headOf(data), run.spec.heads);
    std::vector<double> sum;
    double layers = 0;
    for (std::int64_t layer = 0; layer < run.spec.layers; ++layer) {
        if (!run.hasWeights(layer) || (chosen >= 0 && layer != chosen)) continue;
        const std::vector<double> map = meanRow(array, layer, headOf(data), run.spec.heads);
        sum.resize(map.size(), 0.0);
        for (std::size_t i = 0; i < map.size(); ++i) sum[i] += map[i];
        ++layers;
    }
    for (double& value : sum) value /= layers;
    return sum;
}

/// Positions along a side of the maps in an array of layers × heads × positions × positions; 0 for another shape.
static int sideOf(const ProbeArray& array) {
    return array.shape.size() == 4 ? static_cast<int>(array.shape[2]) : 0;
}

// Difference of the attention weights of two runs (first minus second), token by token. Both runs' snapshots must
// contain attention maps of the same text.

/// "" if the difference can be shown.
static QString whyNoAttentionDifference(const InspectData& data) {
    if (!data.ghost) return u"Choose a second run to see the difference of the attention weights."_s;
    if (data.text) {
        return u"Only the first run's model processes the text that you typed; clear the text to compare the "
               "attention weights in the snapshots of both runs."_s;
    }
    const Snapshot* own = data.snapshot();
    const Snapshot* other = data.ghostSnapshot();
    if (!own) return whyNoSnapshots(data);
    if (own->result->attention.empty()) {
        return u"The snapshots of this run contain no attention weights, so there is no difference to show."_s;
    }
    if (!other) return u"The second run has no snapshots to compare with."_s;
    if (other->result->attention.empty()) {
        return u"The snapshots of the second run contain no attention weights to compare with."_s;
    }
    if (own->result->attention.shape != other->result->attention.shape) {
        return u"The two runs differ in their number of layers or heads or in the length of their text, so no "
               "difference can be computed; show the second run in the side figure instead."_s;
    }
    // Token ids are comparable only with the same vocabulary.
    if (own->result->map_tokens != other->result->map_tokens || data.run->vocabulary != data.ghost->vocabulary) {
        return u"The snapshots of the two runs contain different texts, so no difference can be computed; show the "
               "second run in the side figure instead."_s;
    }
    return {};
}

/// Layers × heads × map_size × map_size, from −1 to 1. Requires that whyNoAttentionDifference() returns "".
static ProbeArray attentionDifference(const InspectData& data) {
    ProbeArray result = data.snapshot()->result->attention;
    const std::vector<float>& other = data.ghostSnapshot()->result->attention.values;
    for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] -= other[i];
    return result;
}

namespace {

template <typename NumbersOf>
double largestDifference(const InspectData& data, const NumbersOf& numbersOf) {
    double most = 0;
    for (const Snapshot& snapshot : data.run->snapshots) {
        const auto own = numbersOf(snapshot.result->attention);
        const auto other = numbersOf(data.ghost->snapshotAt(snapshot.iteration)->result->attention);
        if (own.size() != other.size()) continue;
        for (std::size_t i = 0; i < own.size(); ++i) {
            most = std::max(most, std::abs(static_cast<double>(own[i]) - static_cast<double>(other[i])));
        }
    }
    return most;
}

}  // namespace

/// The maximum over all layers, heads and steps makes the colours of all steps comparable. Requires that
/// whyNoAttentionDifference() returns "".
static double largestAttentionDifference(const InspectData& data) {
    thread_local ScaleCache cache;
    return cache.get(data, {}, [&data] {
        return largestDifference(data, [](const ProbeArray& attention) { return std::span(attention.values); });
    });
}

/// As largestAttentionDifference(), but in the selected layer and head only, or in their mean.
static double largestChosenDifference(const InspectData& data) {
    thread_local ScaleCache cache;
    return cache.get(data, {layerOf(data), headOf(data)}, [&data] {
        return largestDifference(data, [&data](const ProbeArray& attention) { return mapOf(attention, data); });
    });
}

/// "step 50: run − second run", or "step 50 of run − step 40 of second run" if the steps differ. The step comes first
/// because a long note is cut off at its end.
static QString attentionDifferenceNote(const InspectData& data) {
    const std::int64_t own = data.snapshot()->iteration;
    const std::int64_t other = data.ghostSnapshot()->iteration;
    if (own != other) {
        return u"difference: step %2 of %1 − step %4 of %3"_s.arg(data.run->name, groupedText(own), data.ghost->name,
                                                                  groupedText(other));
    }
    return u"step %3: %1 − %2"_s.arg(data.run->name, data.ghost->name, groupedText(own));
}

namespace {

constexpr double kTitle = 14;             // height of the title above each small map, in points (1/72 inch)
constexpr double kGap = 4;                // in points
constexpr double kEdgeTitle = 46;         // in points, left of rows of maps without titles
constexpr double kLegendFraction = 0.07;  // of the figure's height, below the maps
constexpr double kMapsFraction = 1 - kLegendFraction;

QImage mapImage(std::span<const float> map, int side, const std::function<QRgb(double)>& colorOf) {
    QImage image(side, side, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    for (int query = 0; query < side; ++query) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(query));  // query 0 is at the top, as on the large map
        for (int key = 0; key <= query; ++key) {
            const double value = static_cast<double>(map[static_cast<std::size_t>(query * side + key)]);
            line[key] = colorOf(value);
        }
    }
    return image;
}

QRgb weightColor(double weight) {
    if (std::isnan(weight)) return qRgba(0, 0, 0, 0);  // a layer without attention weights
    return viridis(std::sqrt(std::clamp(weight, 0.0, 1.0)));
}

/// More transparent near 0, on a square-root scale; `most` has the full colour.
QRgb differenceColor(double difference, double most) {
    if (std::isnan(difference)) return qRgba(0, 0, 0, 0);
    const double relative = most > 0 ? std::clamp(difference / most, -1.0, 1.0) : 0;
    const QRgb full = diverging(relative < 0 ? -1 : 1, 0xFFFFFFFF);
    return qRgba(qRed(full), qGreen(full), qBlue(full),
                 static_cast<int>(std::lround(255 * std::sqrt(std::abs(relative)))));
}

constexpr int kMostTitled = 12;  // layers, and heads per layer

struct Grid {
    int layers = 0;
    int heads = 0;
    std::vector<QImage> maps;
    int pickedLayer = -1;
    int pickedHead = -1;
    QString legend;  // explains axes and colours

    /// Above each map; else a layer's number is left of its row and a head's above its column.
    bool hasTitles() const { return layers <= kMostTitled && heads <= kMostTitled; }
};

/// `all` is the place of all maps.
QRectF cellOf(const QRectF& all, const FigureStyle& style, const Grid& grid, int layer, int head) {
    const double title = grid.hasTitles() ? style.units(kTitle) : 0;
    const QRectF inner = grid.hasTitles() ? all : all.adjusted(style.units(kEdgeTitle), style.units(kTitle), 0, 0);
    const double width = inner.width() / grid.heads;
    const double height = inner.height() / grid.layers;
    const double gap = style.units(grid.hasTitles() ? kGap : 1);
    const double side = std::max(1.0, std::min(width - 2 * gap, height - title - gap));
    const double left = inner.left() + head * width + (width - side) / 2;
    const double top = inner.top() + layer * height + (height - title - side) / 2 + title;
    return {left, top, side, side};
}

QStringList legendLines(const Grid& grid, double width, const FigureStyle& style) {
    constexpr int mostLines = 4;
    return wrapped(grid.legend, TextMetrics(style.font(style.tickPt)), width, mostLines);
}

/// At which the maps fill the width, unless they are many times higher than wide.
double gridHeight(const Grid& grid, double width, const FigureStyle& style) {
    constexpr double mostRatio = 1.8;
    const double side = width / grid.heads - style.units(2 * kGap);
    const double above = grid.hasTitles() ? kTitle : 0;
    const double maps = std::min(grid.layers * (side + style.units(above + kGap)), mostRatio * width);
    const auto lines = static_cast<double>(legendLines(grid, width, style).size());
    const double line = TextMetrics(style.font(style.tickPt)).height();
    return std::max(maps / kMapsFraction, maps + lines * line);
}

void drawGrid(QPainter& painter, const QRectF& all, const FigureStyle& style, const Grid& grid) {
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setFont(style.font(style.tickPt));
    const TextMetrics metrics(painter.font());
    const QStringList legend = legendLines(grid, all.width(), style);
    const double legendHeight =
        std::max(all.height() * kLegendFraction, metrics.height() * static_cast<double>(legend.size()));
    const QRectF maps = all.adjusted(0, 0, 0, -legendHeight);
    // Columns that are narrower than a head's name have numbers, of which the word is at the left.
    const double column = (all.width() - style.units(kEdgeTitle)) / grid.heads - style.units(1);
    const bool areNumbered = metrics.horizontalAdvance(u"head %1"_s.arg(grid.heads - 1)) > column;
    const double number = metrics.horizontalAdvance(QString::number(grid.heads - 1));
    const int every = areNumbered ? static_cast<int>(std::ceil(number / column)) : 1;
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int head = 0; head < grid.heads; ++head) {
            const QRectF cell = cellOf(maps, style, grid, layer, head);
            painter.drawImage(cell, grid.maps[static_cast<std::size_t>(layer * grid.heads + head)]);
            const bool picked = style.onScreen && layer == grid.pickedLayer && head == grid.pickedHead;
            painter.setPen(QPen(picked ? style.theme.accent : style.theme.hairline, style.units(picked ? 2 : 0.75)));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(cell);
            painter.setPen(picked ? style.theme.accent : style.theme.quietText);
            if (!grid.hasTitles()) {
                const double base = cell.center().y() + metrics.ascent() / 2 - metrics.descent() / 2;
                if (head == 0 && cell.height() >= 0.8 * metrics.height())
                    painter.drawText(QPointF(all.left(), base), u"layer %1"_s.arg(layer));
                const double above = cell.top() - style.units(3);
                if (layer == 0 && head == 0 && areNumbered) painter.drawText(QPointF(all.left(), above), u"head"_s);
                if (layer == 0 && head % every == 0)
                    painter.drawText(QPointF(cell.left(), above), (areNumbered ? u"%1"_s : u"head %1"_s).arg(head));
                continue;
            }
            QString text = u"layer %1, head %2"_s.arg(layer).arg(head);
            if (metrics.horizontalAdvance(text) > all.width() / grid.heads) {
                text = u"%1.%2"_s.arg(layer).arg(head);
            }
            painter.drawText(QPointF(cell.left(), cell.top() - style.units(3)), text);
        }
    }
    painter.setPen(style.theme.quietText);
    painter.drawText(QRectF(maps.bottomLeft(), QSizeF(all.width(), legendHeight)), Qt::AlignCenter,
                     legend.join(QLatin1Char('\n')));
}

}  // namespace

static InspectPicture attentionGrid(const InspectData& given) {
    const InspectData data = withOneHead(given);  // the grid frames the head that the large map shows
    constexpr const char* name = "attention-heads";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    const bool difference = data.choices.difference;
    if (const QString why = difference ? whyNoAttentionDifference(data) : QString(); !why.isEmpty()) {
        return withoutNumbers(data, name, why);
    }
    const ProbeArray array = difference ? attentionDifference(data) : source.result->attention;
    const double most = difference ? largestAttentionDifference(data) : 0;
    const std::function<QRgb(double)> colorOf =
        difference ? std::function<QRgb(double)>([most](double value) { return differenceColor(value, most); })
                   : weightColor;
    Grid grid{static_cast<int>(array.shape[0]),     static_cast<int>(array.shape[1]),    {},
              static_cast<int>(data.choices.layer), static_cast<int>(data.choices.head), {}};
    grid.legend =
        u"x: key, y: query (0 at the top); attention weight: from dark (0) to yellow (1), square-root "
        "scale"_s;
    if (difference) {
        grid.legend =
            u"x: key, y: query (0 at the top); difference: orange above 0, blue below 0, full colour at "
            "±%1"_s.arg(readableNumber(most));
    }
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int head = 0; head < grid.heads; ++head) {
            const auto transparent = [](double) { return qRgba(0, 0, 0, 0); };
            const bool hasWeights = data.run->hasWeights(layer);
            grid.maps.push_back(mapImage(array.row(layer, head), sideOf(array),
                                         hasWeights ? colorOf : std::function<QRgb(double)>(transparent)));
        }
    }
    Figure& figure = picture.figure;
    figure.summary = u"Attention weights of %1 heads per layer in %2 layers: %3; %4."_s.arg(grid.heads)
                         .arg(grid.layers)
                         .arg(stepNote(data, source), grid.legend);
    if (difference) {
        figure.summary =
            u"Difference of attention weights of %1 heads per layer in %2 layers: %3; %4."_s.arg(grid.heads)
                .arg(grid.layers)
                .arg(attentionDifferenceNote(data), grid.legend);
    }
    picture.headAt = [layers = grid.layers,
                      heads = grid.heads](QPointF fraction) -> std::optional<std::pair<int, int>> {
        const int layer = static_cast<int>(std::floor(fraction.y() / kMapsFraction * layers));
        const int head = static_cast<int>(std::floor(fraction.x() * heads));
        if (layer < 0 || layer >= layers || head < 0 || head >= heads) return std::nullopt;
        return std::pair(layer, head);
    };
    figure.drawingHeight = [grid](double width, const FigureStyle& style) { return gridHeight(grid, width, style); };
    figure.drawing = [grid = std::move(grid)](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        drawGrid(painter, all, style, grid);
    };
    figure.table = FigureTable::of({u"layer"_s, u"head"_s, u"query"_s, u"key"_s,
                                    difference ? u"difference of attention weights"_s : u"attention weight"_s});
    const int side = sideOf(array);
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        if (!data.run->hasWeights(layer)) continue;
        for (std::int64_t head = 0; head < array.shape[1]; ++head) {
            const auto map = array.row(layer, head);
            for (int query = 0; query < side; ++query) {
                for (int key = 0; key <= query; ++key) {
                    figure.table.addRow({static_cast<double>(layer), static_cast<double>(head),
                                         static_cast<double>(query), static_cast<double>(key),
                                         static_cast<double>(map[static_cast<std::size_t>(query * side + key)])});
                }
            }
        }
    }
    return picture;
}

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
            FigureCurve points =
                inspectCurve({}, raises ? u"logit raised"_s : u"logit lowered"_s, Ink::data(raises ? 1 : 5));
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

constexpr int kMostNamedTokens = 16;

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
    figure.x = Axis::cells(u"key position in the text"_s, side);
    figure.y = Axis::cells(u"query position in the text"_s, side);
    figure.y.downwards = true;
    if (side <= kMostNamedTokens) {
        const QStringList names = attentionRow(data, -1).tokens;
        figure.x = Axis::cells(u"key token"_s, side, names);
        figure.y.label = u"query token"_s;
        figure.y.categories = names;
    }
    figure.note = u"%1, %2"_s.arg(stepNote(data, source), whereText(data.choices));
    figure.summary = u"Heat map (query by key) of %1 for %2 tokens: %3."_s.arg(what).arg(side).arg(figure.note);
    const AttentionRow row = attentionRow(data, -1);
    if (row.query >= 0 && data.choices.query >= 0) {
        figure.horizontalLines.push_back({static_cast<double>(row.query), {}, {Ink::Kind::accent}});
    }
    picture.tokenAt = [side](QPointF place) -> std::optional<int> {
        const int query = static_cast<int>(std::lround(place.y()));
        return query >= 0 && query < side ? std::optional(query) : std::nullopt;
    };
    picture.readout = cellReadout(map, [what, side, tokens = row.tokens, terms = pairTerms(data), pair = data.textPair,
                                        scale](int query, int key, double value) {
        if (query < key || query >= tokens.size()) return std::optional<FigureView::Readout>();
        FigureView::Readout readout{u"query “%1” at position %2, key “%3” at position %4"_s.arg(tokens[query])
                                        .arg(query)
                                        .arg(tokens[key])
                                        .arg(key),
                                    static_cast<double>(key),
                                    {{what, readableNumber(value)}, {u"distance"_s, QString::number(query - key)}}};
        if (!terms.empty() && scale == FigureMap::Scale::magnitude) {
            readout.rows.push_back({u"logit term of pair %1"_s.arg(*pair),
                                    readableNumber(terms[static_cast<std::size_t>(query * side + key)])});
        }
        return std::optional(readout);
    });
    return picture;
}

/// The spectrum requires curves by distance that cover the whole text.
QString whyNoSpectrum(const InspectData& data, const ProbeResult& result) {
    const Scores* scores = data.run->plan.scores();
    const std::int64_t slidingWindow = scores ? scores->window.value_or(0) : 0;
    if (slidingWindow > 0 && slidingWindow < result.length) {
        return u"This run has a sliding attention window of %1. Its attention weights are 0 at larger distances, so "
               "the attention by distance has no Fourier spectrum over the whole text."_s.arg(
                   countText(slidingWindow, u"token"_s));
    }
    return u"This run has a long context, so its snapshots store averages over neighbouring distances, which have no "
           "Fourier spectrum. Type a text to get a Fourier spectrum."_s;
}

QString whyNoPairTerms(const InspectData& data) {
    const auto highlighted = data.choices.pair;
    if (!data.text && !data.textRequested) {
        const QString what = highlighted ? u"pair %1"_s.arg(*highlighted) : u"one pair"_s;
        return u"Type a text on the right. The checkpoint's model then processes the text, and this map shows the term "
               "of %1 in each attention logit."_s.arg(what);
    }
    if (!data.requestedPair) {
        return highlighted ? u"Click pair %1 to see its term in each attention logit."_s.arg(*highlighted)
                           : u"Select a pair in a spectrum to see its term in each attention logit."_s;
    }
    if (data.text && data.textPair == data.requestedPair) {
        return u"Pair %1 has no term in the attention logits of this run."_s.arg(*data.requestedPair);
    }
    return u"Computing the logit term of pair %1 …"_s.arg(*data.requestedPair);
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

static InspectPicture attentionMap(const InspectData& given) {
    const InspectData data = withOneHead(given);
    constexpr const char* name = "attention-map";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention.empty()) return withoutNumbers(data, name);
    if (data.choices.difference) {
        if (const QString why = whyNoAttentionDifference(data); !why.isEmpty()) return withoutNumbers(data, name, why);
        InspectPicture picture = positionsMap(data, name, attentionDifference(data), source,
                                              u"difference of attention weights"_s, FigureMap::Scale::diverging);
        picture.figure.map->maximum = largestChosenDifference(data);
        picture.figure.map->minimum = -picture.figure.map->maximum;
        picture.figure.note = u"%1, %2"_s.arg(attentionDifferenceNote(data), whereText(data.choices));
        picture.figure.summary = u"Difference of attention weights: %1."_s.arg(picture.figure.note);
        return picture;
    }
    InspectPicture picture =
        positionsMap(data, name, source.result->attention, source, u"attention weight"_s, FigureMap::Scale::magnitude);
    if (const std::vector<double> terms = pairTerms(data); !terms.empty()) {
        picture.figure.curves = pairPoints(terms, sideOf(data.text->pair_logits));
        picture.figure.note +=
            u"; points: pair %1 raises (orange) or lowers (blue) the logit, by 1/4, 1/2 or 3/4 of its largest term or "
            "more (larger)"_s.arg(*data.textPair);
    }
    return picture;
}

static InspectPicture pairLogits(const InspectData& given) {
    const InspectData data = withOneHead(given);
    constexpr const char* name = "pair-logits";
    if (!data.run) return withoutNumbers(data, name);
    if (pairTerms(data).empty()) {
        return withoutAnswer(data, name, whyNoPairTerms(data));
    }
    return positionsMap(data, name, data.text->pair_logits, attentionSource(data),
                        u"logit term of pair %1"_s.arg(*data.textPair), FigureMap::Scale::diverging);
}

/// One curve per head of the selected layer.
static InspectPicture attentionByDistance(const InspectData& data) {
    constexpr const char* name = "attention-by-distance";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention_by_distance.empty()) return withoutNumbers(data, name);
    InspectPicture picture{
        inspectFigure(data, name, {u"distance Δ"_s, u"tokens"_s}, {u"mean attention weight"_s, {}, true})};
    Figure& figure = picture.figure;
    const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
    const auto curveOf = [&](const ProbeResult& result, std::int64_t head) {
        const auto row = meanRow(result.attention_by_distance, layer, head, data.run->spec.heads);
        return inspectCurve(u"head %1"_s.arg(head), figure.y.label, Ink::data(static_cast<int>(head)),
                            {result.distances.begin(), result.distances.end()}, {row.begin(), row.end()});
    };
    for (std::int64_t head = 0; head < data.run->spec.heads; ++head) {
        if (const Snapshot* other = data.text ? nullptr : data.ghostSnapshot()) {
            figure.curves.push_back(ghostCurve(curveOf(*other->result, head), *data.ghost));
            if (headOf(data) >= 0 && headOf(data) != head) {
                figure.curves.back().emphasis = FigureCurve::Emphasis::dimmed;
            }
        }
        FigureCurve curve = curveOf(*source.result, head);
        if (headOf(data) == head) curve.emphasis = FigureCurve::Emphasis::picked;
        if (headOf(data) >= 0 && headOf(data) != head) curve.emphasis = FigureCurve::Emphasis::dimmed;
        if (curve.emphasis != FigureCurve::Emphasis::dimmed) {
            addBand(figure,
                    meanBand(u"%1, 95 % interval"_s.arg(curve.label), curve.ink, curve.x, curve.y,
                             meanRow(source.result->attention_by_distance_error, layer, head, data.run->spec.heads),
                             source.result->sequences));
        }
        figure.curves.push_back(std::move(curve));
    }
    figure.note = u"%1, layer %2; %3"_s.arg(stepNote(data, source))
                      .arg(layer)
                      .arg(sequencesNote(*source.result, !figure.bands.empty()));
    figure.valuesNote = u"numbers at the right: values at the largest distance shown"_s;
    figure.summary = u"Mean attention weight by distance: %1."_s.arg(figure.note);
    return picture;
}

static InspectPicture attentionSpectrum(const InspectData& data) {
    constexpr const char* name = "attention-spectrum";
    const AttentionSource source = attentionSource(data);
    if (!source.result || source.result->attention_by_distance.empty()) return withoutNumbers(data, name);
    const std::int64_t layer = std::max<std::int64_t>(0, layerOf(data));
    InspectPicture picture{
        inspectFigure(data, name, {u"wavelength"_s, u"tokens"_s, true}, {u"magnitude of the Fourier spectrum"_s, {}})};
    Figure& figure = picture.figure;
    const auto length = static_cast<double>(source.result->length);
    for (std::int64_t head = 0; head < data.run->spec.heads; ++head) {
        if (headOf(data) >= 0 && headOf(data) != head) continue;
        const std::vector<double> bins = attention_spectrum(*source.result, layer, head);
        if (bins.empty()) return withoutNumbers(data, name, whyNoSpectrum(data, *source.result));
        FigureCurve curve = inspectCurve(u"head %1"_s.arg(head), figure.y.label, Ink::data(static_cast<int>(head)));
        for (std::size_t bin = bins.size() - 1; bin >= 1; --bin) {  // in ascending order of the wavelength
            curve.x.append(length / static_cast<double>(bin));
            curve.y.append(bins[bin]);
        }
        figure.curves.push_back(std::move(curve));
    }
    const auto wavelengths = wavelengthsOf(data.run->plan);
    figure.x.minimum = 2;
    figure.x.maximum = length;
    for (std::size_t pair = 0; pair < wavelengths.size(); ++pair) {
        if (!(wavelengths[pair] <= length)) continue;
        const bool highlighted = data.choices.pair == static_cast<int>(pair);
        figure.verticalLines.push_back({wavelengths[pair],
                                        highlighted ? u"pair %1"_s.arg(pair) : QString(),
                                        {highlighted ? Ink::Kind::text : Ink::Kind::quiet}});
    }
    const QString lines = figure.verticalLines.empty() ? QString() : u"; lines: wavelengths of RoPE's pairs"_s;
    figure.note = u"%1, layer %2%3; %4; no intervals computed"_s.arg(stepNote(data, source), QString::number(layer),
                                                                     lines, sequencesText(*source.result));
    figure.summary =
        u"Fourier spectrum of the mean attention weight by distance, against wavelength: %1."_s.arg(figure.note);
    return picture;
}

static void checkPairLogits(const FigureRequest& request) {
    if (request.text(option::text).isEmpty()) {
        throw BadInput(
            "The figure pair-logits shows what a rotary pair contributes to each attention logit of a text; "
            "give the text with --text.");
    }
}

InspectFigures attentionFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"attention-heads", InspectGroup::attention, u"all heads"_s,
         u"Shows the attention weights of every head. A click selects a head."_s, &need::text, Controls::layerAndHead,
         attentionGrid},
        {"attention-map", InspectGroup::attention, u"one head"_s,
         u"Shows the attention weights of one head. Point at a query to shade each token of the text by the query's "
         "attention weight for it."_s,
         &need::text, Controls::layerAndHead, attentionMap},
        {"pair-logits",
         InspectGroup::attention,
         u"logit term of a pair"_s,
         u"Shows the term that the highlighted rotary pair adds to each attention logit of a text that you type. "
         "Formula 7 of the guide"_s,
         &need::text,
         Controls::layerAndHead,
         pairLogits,
         {&option::pair},
         checkPairLogits},
        {"attention-by-distance", InspectGroup::attention, u"attention by distance"_s,
         u"Shows the mean attention weight at each distance between query and key."_s, &need::text, Controls::oneLayer,
         attentionByDistance},
        {"attention-spectrum", InspectGroup::attention, u"Fourier spectrum of attention"_s,
         u"Shows the Fourier spectrum of the attention weight by distance, with the wavelengths of RoPE's pairs."_s,
         &need::text, Controls::oneLayer, attentionSpectrum},
    };
}

}  // namespace ropelab::ui
