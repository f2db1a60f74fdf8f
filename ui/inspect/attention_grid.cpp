// Small maps of every head, for an overview and to pick one from.
#include <QFontMetricsF>
#include <QImage>
#include <QObject>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/figure/figure_style.h"
#include "ui/figure/ticks.h"
#include "ui/inspect/attention_difference.h"
#include "ui/inspect/attention_figures.h"
#include "ui/inspect/attention_seen.h"
#include "ui/theme/color_maps.h"

namespace ropelab::ui {
namespace {

constexpr double kTitle = 14;  // points above each small map
constexpr double kGap = 4;
constexpr double kKeyShare = 0.07;  // of the height, below the maps
constexpr double kMapsShare = 1 - kKeyShare;

/// ProbeArray::row gives the numbers at the first two indices: of one map, row by row.
QImage pictureOf(std::span<const float> map, int side, const std::function<QRgb(double)>& colorOf) {
    QImage image(side, side, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    for (int query = 0; query < side; ++query) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(side - 1 - query));  // upwards, as on the large map
        for (int key = 0; key <= query; ++key) {
            const double share = static_cast<double>(map[static_cast<std::size_t>(query * side + key)]);
            line[key] = colorOf(share);
        }
    }
    return image;
}

QRgb shareColor(double share) {
    return viridis(std::sqrt(std::clamp(share, 0.0, 1.0)));
}

/// Thinner over the paper where it is nearer 0, by the root as shares are; `most` is the full colour.
QRgb differenceColor(double difference, double most) {
    const double share = most > 0 ? std::clamp(difference / most, -1.0, 1.0) : 0;
    const QRgb full = diverging(share < 0 ? -1 : 1, 0);
    return qRgba(qRed(full), qGreen(full), qBlue(full),
                 static_cast<int>(std::lround(255 * std::sqrt(std::abs(share)))));
}

struct Grid {
    int layers = 0;
    int heads = 0;
    std::vector<QImage> maps;
    int pickedLayer = -1;
    int pickedHead = -1;
    QString key;  // what the axes and colours mean
};

QRectF cellOf(const QRectF& all, const FigureStyle& style, const Grid& grid, int layer, int head) {
    const double width = all.width() / grid.heads;
    const double height = all.height() * kMapsShare / grid.layers;
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
    const QRectF below(all.left(), all.top() + all.height() * kMapsShare, all.width(), all.height() * kKeyShare);
    painter.drawText(below, Qt::AlignCenter, grid.key);
}

}  // namespace

InspectPicture attentionGrid(const InspectData& data) {
    constexpr const char* name = "attention-heads";
    const Seen seen = seenOf(data);
    if (!seen.result || seen.result->attention.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    const bool difference = data.choices.difference;
    if (const QString why = difference ? whyNoAttentionDifference(data) : QString(); !why.isEmpty()) {
        return withoutNumbers(data, name, why);
    }
    const ProbeArray array = difference ? attentionDifference(data) : seen.result->attention;
    const double most = difference ? largestAttentionDifference(data) : 0;
    const std::function<QRgb(double)> colorOf =
        difference ? std::function<QRgb(double)>([most](double value) { return differenceColor(value, most); })
                   : shareColor;
    Grid grid{static_cast<int>(array.shape[0]),     static_cast<int>(array.shape[1]),    {},
              static_cast<int>(data.choices.layer), static_cast<int>(data.choices.head), {}};
    grid.key = QObject::tr("key across, query up; share: dark 0, yellow 1 (root scale)");
    if (difference) {
        grid.key = QObject::tr("orange above 0, blue below; full colour: ±%1").arg(readableNumber(most));
    }
    for (int layer = 0; layer < grid.layers; ++layer) {
        for (int head = 0; head < grid.heads; ++head) {
            grid.maps.push_back(pictureOf(array.row(layer, head), sideOf(array), colorOf));
        }
    }
    Figure& figure = picture.figure;
    figure.summary = QObject::tr("Attention of %1 heads in %2 layers: %3; %4.")
                         .arg(grid.heads)
                         .arg(grid.layers)
                         .arg(stepNote(data, seen), grid.key);
    if (difference) {
        figure.summary = QObject::tr("Difference of attention in %1 heads of %2 layers: %3; %4.")
                             .arg(grid.heads)
                             .arg(grid.layers)
                             .arg(attentionDifferenceNote(data), grid.key);
    }
    picture.headAt = [layers = grid.layers, heads = grid.heads](QPointF share) -> std::optional<std::pair<int, int>> {
        const int layer = static_cast<int>(std::floor(share.y() / kMapsShare * layers));
        const int head = static_cast<int>(std::floor(share.x() * heads));
        if (layer < 0 || layer >= layers || head < 0 || head >= heads) return std::nullopt;
        return std::pair(layer, head);
    };
    figure.drawing = [grid = std::move(grid)](QPainter& painter, const QRectF& all, const FigureStyle& style) {
        drawGrid(painter, all, style, grid);
    };
    figure.table.names = {QObject::tr("layer"), QObject::tr("head"), QObject::tr("query"), QObject::tr("key"),
                          difference ? QObject::tr("difference of shares") : QObject::tr("share")};
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

}  // namespace ropelab::ui
