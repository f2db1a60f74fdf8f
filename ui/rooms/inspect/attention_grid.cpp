#include <QFontMetricsF>
#include <QImage>
#include <QObject>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/figure/figure_style.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/inspect/attention_difference.h"
#include "ui/rooms/inspect/attention_figures.h"
#include "ui/rooms/inspect/attention_seen.h"
#include "ui/theme/color_maps.h"

namespace ropelab::ui {
namespace {

constexpr double kTitle = 14;             // height of the title above each small map, in points (1/72 inch)
constexpr double kGap = 4;                // in points
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
    const QRgb full = diverging(relative < 0 ? -1 : 1, 0);
    return qRgba(qRed(full), qGreen(full), qBlue(full),
                 static_cast<int>(std::lround(255 * std::sqrt(std::abs(relative)))));
}

struct Grid {
    int layers = 0;
    int heads = 0;
    std::vector<QImage> maps;
    int pickedLayer = -1;
    int pickedHead = -1;
    QString legend;  // explains axes and colours
};

QRectF cellOf(const QRectF& all, const FigureStyle& style, const Grid& grid, int layer, int head) {
    const double width = all.width() / grid.heads;
    const double height = all.height() * kMapsFraction / grid.layers;
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
    painter.setPen(style.theme.quietText);
    const QRectF below(all.left(), all.top() + all.height() * kMapsFraction, all.width(),
                       all.height() * kLegendFraction);
    painter.drawText(below, Qt::AlignCenter, grid.legend);
}

}  // namespace

InspectPicture attentionGrid(const InspectData& given) {
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
        QObject::tr("x: key, y: query (0 at the top); attention weight: dark 0, yellow 1 (square-root scale)");
    if (difference) {
        grid.legend = QObject::tr("x: key, y: query (0 at the top); orange above 0, blue below; full colour: ±%1")
                          .arg(readableNumber(most));
    }
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int head = 0; head < grid.heads; ++head) {
            const auto transparent = [](double) { return qRgba(0, 0, 0, 0); };
            const bool hasWeights = data.run->spec.layer_attention(layer) != LayerAttention::delta_net;
            grid.maps.push_back(mapImage(array.row(layer, head), sideOf(array),
                                         hasWeights ? colorOf : std::function<QRgb(double)>(transparent)));
        }
    }
    Figure& figure = picture.figure;
    figure.summary = QObject::tr("Attention weights of %1 heads per layer in %2 layers: %3; %4.")
                         .arg(grid.heads)
                         .arg(grid.layers)
                         .arg(stepNote(data, source), grid.legend);
    if (difference) {
        figure.summary = QObject::tr("Difference of attention weights of %1 heads per layer in %2 layers: %3; %4.")
                             .arg(grid.heads)
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
    figure.drawing = [grid = std::move(grid)](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        drawGrid(painter, all, style, grid);
    };
    figure.table.names = {
        QObject::tr("layer"), QObject::tr("head"), QObject::tr("query"), QObject::tr("key"),
        difference ? QObject::tr("difference of attention weights") : QObject::tr("attention weight")};
    figure.table.columns.resize(5);
    const int side = sideOf(array);
    for (std::int64_t layer = 0; layer < array.shape[0]; ++layer) {
        if (data.run->spec.layer_attention(layer) == LayerAttention::delta_net) continue;
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

}  // namespace ropelab::ui
