#include "ui/rooms/rotation/figures/scene_figures.h"

#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/random_stream.h"
#include "ui/common/format.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/text_metrics.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kMostColumns = 12;
constexpr int kMostRows = 8;

// Lengths in points.
constexpr double kTokenLine = 16;   // height of a line of text
constexpr double kPrintedRow = 34;  // height of a row on a page
constexpr int kPrintedRows = 3;
constexpr double kLowestRow = 26;  // smallest height of a row
constexpr double kHighestRow = 72;
constexpr double kWidestToken = 96;
constexpr double kPairColumn = 46;     // width of the names of the pairs
constexpr double kSmallestHead = 3.5;  // smallest arrow head

struct TokenPicture {
    RotationScene scene;
    QStringList tokens;
    std::vector<std::vector<std::complex<double>>> queries;  // by token and pair
};

/// Spreads `count` pairs evenly; the enlarged pair replaces the nearest of them.
QList<int> shownPairs(const RotationScene& scene, int count) {
    const int total = static_cast<int>(scene.pairs.size());
    QList<int> pairs;
    for (int i = 0; i < count; ++i)
        pairs.append(count == 1 ? 0
                                : static_cast<int>(std::lround(static_cast<double>(i) * (total - 1) / (count - 1))));
    if (const auto enlarged = scene.enlargedPair(); enlarged && !pairs.isEmpty()) {
        *std::min_element(pairs.begin(), pairs.end(),
                          [&](int a, int b) { return std::abs(a - *enlarged) < std::abs(b - *enlarged); }) = *enlarged;
    }
    return pairs;
}

std::int64_t positionOf(const RotationScene& scene, qsizetype token) {
    return scene.state.m + token;
}

TokenPicture tokenPicture(const RotationScene& scene) {
    TokenPicture picture;
    picture.scene = scene;
    picture.tokens = tokensOf(scene.state.text, kMostColumns);
    for (const QString& token : std::as_const(picture.tokens)) picture.queries.push_back(tokenQuery(scene, token));
    return picture;
}

QString titleOf(const RotationScene& scene, qsizetype pairs) {
    const QString title = u"random q per token; dashed: before rotation"_s;
    const auto total = static_cast<qsizetype>(scene.pairs.size());
    return pairs < total ? u"%1 of %2 pairs: "_s.arg(pairs).arg(total) + title : title;
}

double lineHeight(const FigureStyle& style) {
    constexpr double spacing = 1.5;
    return style.units(style.onScreen ? kTokenLine : spacing * style.tickPt);
}

/// The widest token in the smallest font that fits it.
QFont tokenFont(const QStringList& tokens, double space, const FigureStyle& style) {
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    const auto widest = std::max_element(tokens.begin(), tokens.end(), [&metrics](const QString& a, const QString& b) {
        return metrics.horizontalAdvance(a) < metrics.horizontalAdvance(b);
    });
    return widest == tokens.end() ? font : style.fitting(font, *widest, space);
}

/// On paper, tokens that are wider than their columns stand in two rows, each above the gap between its neighbours.
bool isStaggered(const QStringList& tokens, double column, const FigureStyle& style) {
    if (style.onScreen) return false;
    const TextMetrics metrics(tokenFont(tokens, column, style));
    return std::ranges::any_of(tokens, [&](const QString& token) { return metrics.horizontalAdvance(token) > column; });
}

void drawHeader(QPainter& painter, const QRectF& rect, const FigureStyle& style, const TokenPicture& picture,
                const TokenGrid& grid) {
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    const double line = lineHeight(style);
    rotation::drawTitle(painter, {rect.left(), rect.top(), rect.width(), line}, style,
                        titleOf(picture.scene, grid.pairs.size()));
    const bool staggered = isStaggered(picture.tokens, grid.column - style.units(1), style);
    const double space = (staggered ? 2 : 1) * grid.column - style.units(1);
    const QFont names = tokenFont(picture.tokens, space, style);
    const double positions = grid.cells.top() - line - style.units(2);
    for (int token = 0; token < grid.tokens; ++token) {
        const QRectF column(grid.cellOf(token, 0).left(), positions, grid.column, line);
        const double aside = (space - column.width()) / 2;
        const double up = staggered && token % 2 == 0 ? 2 * line : line;
        painter.setFont(names);
        painter.setPen(style.theme.text);
        QRectF place = column.translated(0, -up).adjusted(-aside, 0, aside, 0);
        const QString name = TextMetrics(names).elidedText(picture.tokens[token], Qt::ElideRight, space);
        const double end = place.center().x() + TextMetrics(names).horizontalAdvance(name) / 2;
        place.translate(std::min(0.0, rect.right() - end), 0);
        painter.drawText(place, Qt::AlignCenter, name);
        painter.setFont(font);
        painter.setPen(style.theme.quietText);
        painter.drawText(
            column, Qt::AlignCenter,
            metrics.elidedText(groupedText(positionOf(picture.scene, token)), Qt::ElideRight, grid.column));
    }
    painter.setPen(style.theme.quietText);
    painter.drawText(QRectF(rect.left(), positions, style.units(kPairColumn), line), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(u"position"_s, Qt::ElideRight, style.units(kPairColumn)));
}

void drawSmallArrow(QPainter& painter, const QPointF& from, const QPointF& to, const QColor& color,
                    const FigureStyle& style) {
    const QPointF along = to - from;
    const double length = std::hypot(along.x(), along.y());
    if (length <= 0) return;
    const double head = std::min(length, std::max(style.units(kSmallestHead), 0.3 * length));
    const QPointF unit = along / length;
    const QPointF across(-unit.y(), unit.x());
    painter.setPen(QPen(color, style.units(1.4), Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(from, to - head * unit);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(
        QPolygonF({to, to - head * unit + 0.42 * head * across, to - head * unit - 0.42 * head * across}));
    painter.setBrush(Qt::NoBrush);
}

void drawTokenDial(QPainter& painter, const QRectF& cell, const TokenPicture& picture, int token, int pair,
                   const FigureStyle& style) {
    const RotationScene& scene = picture.scene;
    const bool rotates = scene.frequency(pair) > 0;
    const double radius = 0.44 * std::min(cell.width(), cell.height());
    const auto tip = [&](std::complex<double> value) {
        return cell.center() + radius * QPointF(value.real(), -value.imag());
    };
    QColor rim = style.theme.quietText;
    rim.setAlphaF(0.45F);
    painter.setPen(QPen(rim, style.units(0.5)));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(cell.center(), radius, radius);
    const std::complex<double> before =
        picture.queries[static_cast<std::size_t>(token)][static_cast<std::size_t>(pair)];
    const double angle = static_cast<double>(positionOf(scene, token)) * scene.frequency(pair);
    const QColor color = rotates ? style.theme.query : style.theme.unrotated;
    QPen dashed(color, style.units(1), Qt::SolidLine, Qt::FlatCap);
    dashed.setDashPattern({2.5, 2});
    painter.setPen(dashed);
    painter.drawLine(cell.center(), tip(before));
    drawSmallArrow(painter, cell.center(), tip(before * std::polar(1.0, angle)), color, style);
}

void paintTokens(QPainter& painter, const QRectF& rect, const FigureStyle& style, const TokenPicture& picture) {
    const TokenGrid grid = tokenGridOf(picture.scene, rect, style);
    if (grid.row <= 0 || grid.pairs.isEmpty()) return;
    drawHeader(painter, rect, style, picture, grid);
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    const auto enlarged = picture.scene.markedPair();
    for (int row = 0; row < grid.pairs.size(); ++row) {
        const int pair = grid.pairs[row];
        const QRectF first = grid.cellOf(0, row);
        const bool isEnlarged = style.onScreen && enlarged == pair;
        painter.setFont(font);
        painter.setPen(isEnlarged ? style.theme.accent : style.theme.quietText);
        const QRectF place(rect.left(), first.top(), style.units(kPairColumn), grid.row);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(u"pair %1"_s.arg(pair), Qt::ElideRight, place.width()));
        if (isEnlarged) {
            painter.setPen(QPen(style.theme.accent, style.units(1.2)));
            painter.setBrush(Qt::NoBrush);
            const double inset = style.units(0.6);
            painter.drawRoundedRect(QRectF(first.topLeft(), QSizeF(grid.tokens * grid.column, grid.row))
                                        .adjusted(inset, inset, -inset, -inset),
                                    style.units(3), style.units(3));
        }
        for (int token = 0; token < grid.tokens; ++token)
            drawTokenDial(painter, grid.cellOf(token, row), picture, token, pair, style);
    }
}

/// Title, names and positions of the tokens.
double headerHeight(const RotationScene& scene, const QStringList& tokens, double width, const FigureStyle& style) {
    if (tokens.isEmpty()) return 0;
    const double column =
        std::min((width - style.units(kPairColumn)) / static_cast<double>(tokens.size()), style.units(kWidestToken));
    const auto lines = static_cast<double>(rotation::titleLines(titleOf(scene, 0), width, style).size());
    const double names = isStaggered(tokens, column - style.units(1), style) ? 2 : 1;
    return (lines + names + 1) * lineHeight(style) + style.units(2);
}

FigureTable tokenTable(const TokenPicture& picture) {
    FigureTable table =
        FigureTable::of({u"position"_s, u"pair"_s, u"frequency (rad/token)"_s, u"angle before (degrees)"_s,
                         u"rotation (degrees)"_s, u"angle after (degrees)"_s});
    QStringList words;
    for (qsizetype token = 0; token < picture.tokens.size(); ++token) {
        const auto& query = picture.queries[static_cast<std::size_t>(token)];
        for (std::size_t pair = 0; pair < query.size(); ++pair) {
            const double position = static_cast<double>(positionOf(picture.scene, token));
            const double frequency = picture.scene.frequency(static_cast<int>(pair));
            const double angle = position * frequency;
            words << picture.tokens[token];
            table.addRow({position, static_cast<double>(pair), frequency, degreesOf(std::arg(query[pair])),
                          degreesOf(angle), degreesOf(std::arg(query[pair] * std::polar(1.0, angle)))});
        }
    }
    table.words = {{u"token"_s, words}};
    return table;
}

}  // namespace

QStringList tokensOf(const std::string& text, int most) {
    const QString all = QString::fromStdString(text).simplified();
    QStringList tokens = all.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (tokens.size() == 1) {
        tokens.clear();
        for (const char32_t letter : all.toUcs4()) tokens << QString::fromUcs4(&letter, 1);
    }
    return tokens.mid(0, most);
}

std::vector<std::complex<double>> tokenQuery(const RotationScene& scene, const QString& token) {
    std::vector<float> numbers(2 * scene.pairs.size());
    RandomStream(scene.state.seed, "query of " + token.toStdString()).fill_normal(numbers, 1.0);
    std::vector<std::complex<double>> pairs;
    for (std::size_t pair = 0; pair < scene.pairs.size(); ++pair)
        pairs.push_back(std::polar(1.0, static_cast<double>(std::atan2(numbers[2 * pair + 1], numbers[2 * pair]))));
    return pairs;
}

QRectF TokenGrid::cellOf(int token, int rowIndex) const {
    return {cells.left() + token * column, cells.top() + rowIndex * row, column, row};
}

std::optional<int> TokenGrid::pairAt(const QPointF& place) const {
    if (row <= 0 || place.y() < cells.top() || place.y() >= cells.bottom()) return std::nullopt;
    const auto at = static_cast<qsizetype>((place.y() - cells.top()) / row);
    return at < pairs.size() ? std::optional(pairs[at]) : std::nullopt;
}

TokenGrid tokenGridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style) {
    TokenGrid grid;
    const QStringList tokens = tokensOf(scene.state.text, kMostColumns);
    grid.tokens = static_cast<int>(tokens.size());
    const int total = static_cast<int>(scene.pairs.size());
    const double left = style.units(kPairColumn);
    const double width = rect.width() - left;
    const double top = headerHeight(scene, tokens, rect.width(), style);
    const double height = rect.height() - top;
    if (grid.tokens == 0 || total == 0 || width <= 0 || height <= 0) return grid;
    const int rows = std::clamp(static_cast<int>(height / style.units(kLowestRow)), 1, std::min(total, kMostRows));
    grid.pairs = shownPairs(scene, rows);
    grid.column = std::min(width / grid.tokens, style.units(kWidestToken));
    grid.row = std::min(height / rows, style.units(kHighestRow));
    grid.cells = QRectF(rect.left() + left, rect.top() + top, grid.tokens * grid.column, rows * grid.row);
    return grid;
}

Figure tokenFigure(const RotationScene& scene) {
    TokenPicture picture = tokenPicture(scene);
    Figure figure = rotation::figure(u"token-rotation"_s, scene);
    figure.settings.insert(u"text"_s, QString::fromStdString(scene.state.text));
    const qsizetype tokens = picture.tokens.size();
    if (tokens == 0) {
        figure.emptyText = u"Type a text to see how RoPE rotates its tokens."_s;
        figure.summary = figure.emptyText;
        return figure;
    }
    if (scene.pairs.empty()) {
        figure.emptyText = u"No channels are rotated, so the position does not change the queries of the tokens."_s;
        figure.summary = figure.emptyText;
        return figure;
    }
    figure.summary =
        u"%1 tokens from position %2 on, each with a random query before (dashed) and after rotation (solid), of "
        "evenly spaced pairs: pair i is rotated by the position times its frequency ωᵢ, which is above 0 for %3 of "
        "%4 pairs."_s.arg(tokens)
            .arg(scene.state.m)
            .arg(scene.rotatedPairs())
            .arg(scene.pairs.size());
    figure.table = tokenTable(picture);
    figure.drawingHeight = [scene, tokens = picture.tokens](double width, const FigureStyle& style) {
        const int rows = std::min<int>(kPrintedRows, static_cast<int>(scene.pairs.size()));
        return headerHeight(scene, tokens, width, style) + rows * style.units(kPrintedRow);
    };
    figure.drawing = rotation::drawing(std::move(picture), paintTokens);
    return figure;
}

}  // namespace ropelab::ui
