#include "ui/inspect/attention_figures.h"

#include <QFontMetricsF>
#include <QImage>
#include <QObject>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "core/experiment/probing.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/ticks.h"
#include "ui/theme/color_maps.h"
#include "ui/window/format.h"

namespace ropelab::ui {
namespace {

constexpr double kTitle = 14;  // points above each small map
constexpr double kGap = 4;

/// What attention figures read, and when it was seen.
struct Seen {
    const ProbeResult* result = nullptr;
    std::int64_t iteration = 0;
};

Seen seenOf(const InspectData& data) {
    if (data.run && data.text) return {data.text.get(), data.textIteration};
    if (const Snapshot* now = data.snapshot()) return {now->result.get(), now->iteration};
    return {};
}

/// The map of one head (or a mean), rows × columns.
std::vector<double> mapOf(const ProbeArray& array, const InspectData& data) {
    return meanRow(array, layerOf(data), headOf(data), data.run->spec.heads);
}

int sideOf(const ProbeArray& array) {
    return array.shape.size() == 4 ? static_cast<int>(array.shape[2]) : 0;
}

/// ProbeArray::row gives the numbers at the first two indices: of one map, row by row.
QImage pictureOf(std::span<const float> map, int side) {
    QImage image(side, side, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    for (int query = 0; query < side; ++query) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(side - 1 - query));  // upwards, as on the large map
        for (int key = 0; key <= query; ++key) {
            const double share = static_cast<double>(map[static_cast<std::size_t>(query * side + key)]);
            line[key] = viridis(std::sqrt(std::clamp(share, 0.0, 1.0)));
        }
    }
    return image;
}

struct Grid {
    int layers = 0;
    int heads = 0;
    std::vector<QImage> maps;
    int pickedLayer = -1;
    int pickedHead = -1;
};

QRectF cellOf(const QRectF& all, const FigureStyle& style, const Grid& grid, int layer, int head) {
    const double width = all.width() / grid.heads;
    const double height = all.height() / grid.layers;
    const double side = std::max(1.0, std::min(width - style.units(2 * kGap), height - style.units(kTitle + kGap)));
    const double left = all.left() + head * width + (width - side) / 2;
    const double top = all.top() + layer * height + (height - style.units(kTitle) - side) / 2 + style.units(kTitle);
    return {left, top, side, side};
}

void drawGrid(QPainter& painter, const QRectF& all, const FigureStyle& style, const Grid& grid) {
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setFont(style.font(style.tickPt));
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int head = 0; head < grid.heads; ++head) {
            const QRectF cell = cellOf(all, style, grid, layer, head);
            painter.drawImage(cell, grid.maps[static_cast<std::size_t>(layer * grid.heads + head)]);
            const bool picked = layer == grid.pickedLayer && head == grid.pickedHead;
            painter.setPen(QPen(picked ? style.theme.accent : style.theme.hairline, style.units(picked ? 2 : 0.75)));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(cell);
            painter.setPen(picked ? style.theme.accent : style.theme.quietText);
            const QFontMetricsF metrics(painter.font());
            QString text = QObject::tr("layer %1, head %2").arg(layer).arg(head);
            if (metrics.horizontalAdvance(text) > all.width() / grid.heads) {
                text = QStringLiteral("%1.%2").arg(layer).arg(head);
            }
            painter.drawText(QPointF(cell.left(), cell.top() - style.units(3)), text);
        }
    }
}

QString stepNote(const InspectData& data, const Seen& seen) {
    const QString of = data.text ? QObject::tr("%1, step %2, the typed text") : QObject::tr("%1, step %2");
    return of.arg(data.run->name, groupedText(seen.iteration));
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
    picture.readout = [map, symbols = reading.symbols, what](QPointF place) -> std::optional<FigureView::Readout> {
        const int key = static_cast<int>(std::lround(place.x()));
        const int query = static_cast<int>(std::lround(place.y()));
        if (key < 0 || query < key || query >= map.rows || query >= symbols.size()) return std::nullopt;
        const double value = static_cast<double>(map.values[static_cast<qsizetype>(query) * map.columns + key]);
        return FigureView::Readout{
            QObject::tr("“%1” at %2 reads “%3” at %4").arg(symbols[query]).arg(query).arg(symbols[key]).arg(key),
            static_cast<double>(key),
            {{what, readableNumber(value)}, {QObject::tr("distance"), QString::number(query - key)}}};
    };
    return picture;
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

InspectPicture attentionGrid(const InspectData& data) {
    constexpr const char* name = "attention-heads";
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    const ProbeArray& array = seen.result->attention;
    Grid grid{static_cast<int>(array.shape[0]),
              static_cast<int>(array.shape[1]),
              {},
              static_cast<int>(data.choices.layer),
              static_cast<int>(data.choices.head)};
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int head = 0; head < grid.heads; ++head) {
            grid.maps.push_back(pictureOf(array.row(layer, head), sideOf(array)));
        }
    }
    Figure& figure = picture.figure;
    figure.summary = QObject::tr("Attention of %1 heads in %2 layers: %3; brighter is more.")
                         .arg(grid.heads)
                         .arg(grid.layers)
                         .arg(stepNote(data, seen));
    picture.headAt = [layers = grid.layers, heads = grid.heads](QPointF share) -> std::optional<std::pair<int, int>> {
        const int layer = static_cast<int>(std::floor(share.y() * layers));
        const int head = static_cast<int>(std::floor(share.x() * heads));
        if (layer < 0 || layer >= layers || head < 0 || head >= heads) return std::nullopt;
        return std::pair(layer, head);
    };
    figure.drawing = [grid = std::move(grid)](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        drawGrid(painter, all, style, grid);
    };
    figure.table.names = {QObject::tr("layer"), QObject::tr("head"), QObject::tr("query"), QObject::tr("key"),
                          QObject::tr("share")};
    figure.table.columns.resize(5);
    const int side = sideOf(array);
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        for (std::int64_t head = 0; head < array.shape[1]; ++head) {
            const auto map = array.row(layer, head);
            for (int query = 0; query < side; ++query) {
                for (int key = 0; key <= query; ++key) {
                    figure.table.columns[0].append(static_cast<double>(layer));
                    figure.table.columns[1].append(static_cast<double>(head));
                    figure.table.columns[2].append(query);
                    figure.table.columns[3].append(key);
                    figure.table.columns[4].append(
                        static_cast<double>(map[static_cast<std::size_t>(query * side + key)]));
                }
            }
        }
    }
    return picture;
}

InspectPicture attentionMap(const InspectData& data) {
    constexpr const char* name = "attention-map";
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention.empty()) return withoutNumbers(data, name);
    return positionsMap(data, name, seen.result->attention, seen, QObject::tr("attention"),
                        FigureMap::Scale::magnitude);
}

InspectPicture pairLogits(const InspectData& data) {
    constexpr const char* name = "pair-logits";
    if (!data.run) return withoutNumbers(data, name);
    if (!data.choices.pair) {
        return withoutNumbers(data, name, QObject::tr("Pick a pair in a spectrum to see its part of the logit."));
    }
    if (!data.text || data.text->pair_logits.empty()) {
        return withoutNumbers(
            data, name,
            data.problem.isEmpty()
                ? QObject::tr("Type a text on the right: the run's checkpoint reads it, and this shows "
                              "what pair %1 adds to each logit.")
                      .arg(*data.choices.pair)
                : data.problem);
    }
    InspectPicture picture =
        positionsMap(data, name, data.text->pair_logits, seenOf(data),
                     QObject::tr("part of pair %1").arg(*data.choices.pair), FigureMap::Scale::diverging);
    picture.figure.note += QObject::tr("; F7");
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
    figure.x = {QObject::tr("wavelength"), QObject::tr("tokens"), true};
    figure.y = {QObject::tr("magnitude of attention's spectrum"), {}};
    const auto length = static_cast<double>(seen.result->length);
    for (std::int64_t head = 0; head < data.run->spec.heads; ++head) {
        if (headOf(data) >= 0 && headOf(data) != head) continue;
        const std::vector<double> bins = attention_spectrum(*seen.result, layer, head);
        if (bins.empty()) {
            return withoutNumbers(data, name,
                                  QObject::tr("Curves by distance were thinned for this long context, so they have no "
                                              "Fourier spectrum. A typed text has one."));
        }
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
