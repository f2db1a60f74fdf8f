#include "ui/rooms/rotation/figures/scene_figures.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "ui/common/format.h"
#include "ui/figure/text_metrics.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Lengths in points.
constexpr double kTitle = 15;
constexpr double kRow = 13;
constexpr double kWidestColumn = 46;
constexpr double kTallestRow = 24;
constexpr int kFewestSlots = 7;

/// The scene is copied because the drawing outlives it.
struct MatrixPicture {
    RotationScene scene;
    std::optional<int> large;
    QString title;
};

std::optional<int> pairOf(const RotationScene& scene, int channel) {
    const int d = scene.setup.head_dim;
    const bool slice = scene.setup.partial == Partial::slice;
    const int paired = slice ? scene.frequencies.rotary_dim : d;
    if (channel < 0 || channel >= paired) {
        return std::nullopt;
    }
    return scene.setup.pairing == Pairing::interleaved ? channel / 2 : channel % (paired / 2);
}

/// A tight column omits the zero before the decimal point.
double columnWidth(const FigureStyle& style, bool tight) {
    const QString widest = tight ? u"−.00"_s : u"−0.00"_s;
    return TextMetrics(style.font(style.tickPt)).horizontalAdvance(widest) + style.units(4);
}

double headerWidth(const RotationScene& scene, const FigureStyle& style) {
    return TextMetrics(style.font(style.tickPt)).horizontalAdvance(QString::number(scene.setup.head_dim)) +
           style.units(10);
}

QString entryText(double value, bool tight) {
    QString digits = QString::number(std::abs(value), 'f', 2);
    const bool isZero = digits == "0.00"_L1;
    if (tight && digits.startsWith(QLatin1Char('0'))) {
        digits.remove(0, 1);
    }
    return value < 0 && !isZero ? QChar(0x2212) + digits : digits;
}

/// One row per shown channel, with −1 for each gap between channels.
std::vector<int> slotsOf(const std::vector<int>& channels) {
    std::vector<int> places;
    for (const int channel : channels) {
        if (!places.empty() && channel != places.back() + 1) {
            places.push_back(-1);
        }
        places.push_back(channel);
    }
    return places;
}

struct Grid {
    QPointF corner;  // top left corner of the first entry
    double column = 0;
    double row = 0;
    int count = 0;
    bool tight = false;

    QRectF cell(int r, int c) const { return {corner.x() + c * column, corner.y() + r * row, column, row}; }
    QRectF all() const { return {corner, QSizeF(count * column, count * row)}; }
};

void drawBrackets(QPainter& painter, const QRectF& around, const FigureStyle& style) {
    const double foot = style.units(4);
    painter.setPen(QPen(style.theme.text, style.units(1)));
    for (const double side : {-1.0, 1.0}) {
        const double x = side < 0 ? around.left() : around.right();
        painter.drawPolyline(QPolygonF({{x - side * foot, around.top()},
                                        {x, around.top()},
                                        {x, around.bottom()},
                                        {x - side * foot, around.bottom()}}));
    }
}

void drawEntry(QPainter& painter, const MatrixPicture& picture, const QRectF& place, int row, int column, bool tight,
               const FigureStyle& style) {
    if (row < 0 || column < 0) {
        painter.setPen(style.theme.quietText);
        painter.drawText(place, Qt::AlignCenter, row >= 0 ? u"⋯"_s : column >= 0 ? u"⋮"_s : u"⋱"_s);
        return;
    }
    const auto rowPair = pairOf(picture.scene, row);
    const bool belongs = row == column || (rowPair && rowPair == pairOf(picture.scene, column));
    if (!belongs) {
        painter.setPen(style.theme.quietText);
        painter.drawText(place, Qt::AlignCenter, u"0"_s);
        return;
    }
    const bool rotates = rowPair && *rowPair < picture.scene.rotatedPairs();
    const bool isEnlarged = rowPair && rowPair == picture.large;
    if (isEnlarged) {
        QColor fill = style.theme.accent;
        fill.setAlphaF(0.14F);
        painter.fillRect(place, fill);
    }
    const double value = matrixEntry(picture.scene, row, column);
    painter.setPen(isEnlarged ? style.theme.accent : rotates ? style.theme.text : style.theme.quietText);
    // Entries that do not depend on m are written as integers.
    painter.drawText(place, Qt::AlignCenter,
                     !rotates && row == column && value == 1 ? u"1"_s
                     : !rotates && row != column             ? u"0"_s
                                                             : entryText(value, tight));
}

void paint(QPainter& painter, const QRectF& rect, const FigureStyle& style, const MatrixPicture& picture) {
    rotation::drawTitle(painter, {rect.left(), rect.top(), rect.width(), style.units(kTitle)}, style, picture.title);

    const double header = headerWidth(picture.scene, style);
    const auto lines = static_cast<double>(rotation::titleLines(picture.title, rect.width(), style).size());
    const double top = rect.top() + lines * style.units(kTitle) + style.units(kRow);
    const double height = rect.bottom() - top - style.units(3);
    const double width = rect.width() - header - style.units(6);
    const int fits = static_cast<int>(std::min(width / columnWidth(style, false), height / style.units(kRow)));
    const std::vector<int> places = slotsOf(matrixChannels(picture.scene, fits));
    Grid grid;
    grid.count = static_cast<int>(places.size());
    grid.tight = width / grid.count < columnWidth(style, false);
    const double narrowest = columnWidth(style, grid.tight);
    grid.column = std::clamp(width / grid.count, narrowest, std::max(narrowest, style.units(kWidestColumn)));
    grid.row =
        std::clamp(height / grid.count, std::min(style.units(kRow), height / grid.count), style.units(kTallestRow));
    grid.corner = {rect.left() + header + std::max(0.0, (width - grid.count * grid.column) / 2), top};

    for (int r = 0; r < grid.count; ++r) {
        const int channel = places[static_cast<std::size_t>(r)];
        if (channel >= 0) {
            const bool isEnlarged = picture.large && pairOf(picture.scene, channel) == picture.large;
            painter.setPen(isEnlarged ? style.theme.accent : style.theme.quietText);
            const QString text = QString::number(channel);
            painter.drawText(QRectF(grid.corner.x() - header, grid.cell(r, 0).top(), header - style.units(9), grid.row),
                             Qt::AlignRight | Qt::AlignVCenter, text);
            painter.drawText(QRectF(grid.cell(0, r).left(), top - style.units(kRow), grid.column, style.units(kRow)),
                             Qt::AlignCenter, text);
        }
        for (int c = 0; c < grid.count; ++c) {
            drawEntry(painter, picture, grid.cell(r, c), channel, places[static_cast<std::size_t>(c)], grid.tight,
                      style);
        }
    }
    drawBrackets(painter, grid.all().adjusted(-style.units(4), 0, style.units(4), 0), style);
}

}  // namespace

std::vector<int> matrixChannels(const RotationScene& scene, int places) {
    const int d = scene.setup.head_dim;
    std::vector<int> best;
    if (d <= kWholeMatrix) {
        for (int channel = 0; channel < d; ++channel) {
            best.push_back(channel);
        }
        return best;
    }
    std::vector<int> middles = {0, d - 1};
    const auto add = [&](const ChannelPair& pair) {
        middles.push_back(static_cast<int>(pair.first));
        middles.push_back(static_cast<int>(pair.second));
    };
    if (const auto large = scene.enlargedPair()) add(scene.pairs[static_cast<std::size_t>(*large)]);
    // The partners of the first and the last channel: without them, a row would look as if it had one entry.
    const std::vector<int> least = middles;
    for (const int end : {0, d - 1}) {
        if (const auto pair = pairOf(scene, end)) add(scene.pairs[static_cast<std::size_t>(*pair)]);
    }
    const std::set<int> all(middles.begin(), middles.end());
    if (static_cast<int>(slotsOf({all.begin(), all.end()}).size()) > places) middles = least;
    for (int reach = 0; reach < d; ++reach) {
        std::set<int> shown;
        for (const int middle : middles) {
            for (int channel = std::max(0, middle - reach); channel <= std::min(d - 1, middle + reach); ++channel) {
                shown.insert(channel);
            }
        }
        const std::vector<int> channels(shown.begin(), shown.end());
        if (reach > 0 && static_cast<int>(slotsOf(channels).size()) > places) {
            break;
        }
        best = channels;
    }
    return best;
}

double matrixEntry(const RotationScene& scene, int row, int column) {
    const auto pair = pairOf(scene, row);
    if (!pair) {
        return row == column ? 1 : 0;
    }
    const ChannelPair channels = scene.pairs[static_cast<std::size_t>(*pair)];
    const double angle = static_cast<double>(scene.state.m) * scene.frequency(*pair);
    if (row == column) {
        return std::cos(angle);
    }
    const auto first = static_cast<int>(channels.first);
    const auto second = static_cast<int>(channels.second);
    if (row == first && column == second) {
        return -std::sin(angle);
    }
    return row == second && column == first ? std::sin(angle) : 0;
}

QSizeF matrixMinimum(const RotationScene& scene, const FigureStyle& style) {
    const bool whole = scene.setup.head_dim <= kWholeMatrix;
    const int count = whole ? scene.setup.head_dim : kFewestSlots;
    // The added points are the margin that the view leaves around a drawing.
    return {headerWidth(scene, style) + count * columnWidth(style, true) + style.units(18),
            style.units(kTitle + kRow * (count + 1) + 14)};
}

Figure matrixFigure(const RotationScene& scene) {
    Figure figure = rotation::figure(u"rotation-matrix"_s, scene);
    MatrixPicture picture;
    picture.scene = scene;
    picture.large = scene.enlargedPair();
    const QString layout = scene.setup.pairing == Pairing::half ? u"channels i and i + %1 form a pair (half)"_s
                                                                : u"channels 2i and 2i + 1 form a pair (interleaved)"_s;
    const int half = (scene.setup.partial == Partial::slice ? scene.frequencies.rotary_dim : scene.setup.head_dim) / 2;
    picture.title =
        scene.rotatedPairs() == 0
            ? u"rotation matrix R at m = %1: the identity, because the rotary fraction is 0"_s.arg(
                  groupedText(scene.state.m))
            : u"rotation matrix R at position m = %1; %2"_s.arg(
                  groupedText(scene.state.m), scene.setup.pairing == Pairing::half ? layout.arg(half) : layout);
    if (picture.large) picture.title += u"; blue: pair %1"_s.arg(*picture.large);
    figure.summary = u"%1 × %1 entries of the "_s.arg(scene.setup.head_dim) + picture.title + QLatin1Char('.');
    figure.table = FigureTable::of({u"row"_s, u"column"_s, u"entry"_s});
    const auto add = [&](int row, int column) {
        figure.table.addRow({static_cast<double>(row), static_cast<double>(column), matrixEntry(scene, row, column)});
    };
    for (int channel = 0; channel < scene.setup.head_dim; ++channel) {
        const auto pair = pairOf(scene, channel);
        if (!pair || *pair >= scene.rotatedPairs()) {
            add(channel, channel);
            continue;
        }
        const ChannelPair channels = scene.pairs[static_cast<std::size_t>(*pair)];
        add(channel, static_cast<int>(channels.first));
        add(channel, static_cast<int>(channels.second));
    }
    figure.drawing = rotation::drawing(std::move(picture), paint);
    return figure;
}

}  // namespace ropelab::ui
