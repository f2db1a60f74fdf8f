#include "ui/figure/paint/dials_painting.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/figure/paint/figure_head.h"
#include "ui/figure/text_metrics.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Lengths in points.
constexpr double kSwatch = 12;
constexpr double kGap = 5;
constexpr double kLine = 16;          // height of a line of text above or below the dials, on screen
constexpr double kPrintedLine = 1.5;  // relative to the size of the text
constexpr double kMargin = 26;        // width of the indices at the beginning of each row
constexpr double kRatio = 0.55;       // height of the dials on a page relative to their width
constexpr double kCaption = 14;       // height of the index below a dial
constexpr double kRoomy = 72;         // smallest cell that fits its index
constexpr double kLargest = 280;      // largest cell
// A smaller cell, as a fraction of the largest possible one, is accepted for the sake of full rows.
constexpr double kSmallestForFullRows = 0.85;
constexpr double kWidestPitch = 1.3;  // from one cell to the next, relative to the cell

constexpr int kMostLines = 4;  // of the note below the dials

double lineHeight(const FigureStyle& style) {
    return style.units(style.onScreen ? kLine : kPrintedLine * style.tickPt);
}

QString indexText(const Dial& dial) {
    return dial.kind == Dial::Kind::outside ? QString() : QString::number(dial.index);
}

QString rowText(const QString& index) {
    return index.isEmpty() ? index : u"pair "_s + index;
}

double marginOf(const FigureStyle& style) {
    return std::max(style.units(kMargin), style.extentOf(rowText(u"00"_s), style.tickPt).width + style.units(6));
}

double headerWidth(const DialsWords& words, const FigureStyle& style) {
    const auto widthOf = [&](const QString& text) { return style.extentOf(text, style.tickPt).width; };
    return widthOf(words.query) + widthOf(words.key) + style.units(2 * (kSwatch + kGap) + 14);
}

bool fitsBeside(const DialsWords& words, double width, const FigureStyle& style) {
    const double note = style.extentOf(words.note, style.tickPt).width;
    return headerWidth(words, style) + note + style.units(20) <= width;
}

void drawHand(QPainter& painter, const QPointF& centre, double radius, double angle, const QColor& color,
              double width) {
    if (!std::isfinite(angle)) return;
    const QPointF tip = centre + radius * QPointF(std::cos(angle), -std::sin(angle));
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(centre, tip);
}

void drawDial(QPainter& painter, const DialHands& hands, const QPointF& centre, double radius,
              const FigureStyle& style) {
    const bool rotates = hands.dial.kind == Dial::Kind::rotated;
    QColor rim = rotates ? style.theme.quietText : style.theme.unrotated;
    rim.setAlphaF(rotates ? 0.6F : 0.7F);
    QPen pen(rim, style.units(style.hairPt));
    if (hands.dial.kind == Dial::Kind::outside) {
        pen.setDashPattern({3, 3});
    }
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(centre, radius, radius);
    // The hand of k is wider and drawn first, so that both hands are visible where they point in the same direction.
    const double width = std::max(style.units(1.0), radius * 0.07);
    const QColor grey = style.theme.unrotated;
    drawHand(painter, centre, 0.86 * hands.keyLength * radius, hands.key, rotates ? style.theme.key : grey,
             2.1 * width);
    drawHand(painter, centre, 0.92 * hands.queryLength * radius, hands.query, rotates ? style.theme.query : grey,
             width);
}

void drawWords(QPainter& painter, const DialsWords& words, const QRectF& rect, const FigureStyle& style) {
    const QFont font = style.font(style.tickPt);
    const TextMetrics metrics(font);
    painter.setFont(font);
    const double line = lineHeight(style);
    const double y = rect.top() + line / 2;
    double x = rect.left() + style.units(2);
    const auto entry = [&](const QString& text, const QColor& color, double width) {
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(x, y), QPointF(x + style.units(kSwatch), y));
        x += style.units(kSwatch + kGap);
        painter.setPen(style.theme.text);
        painter.drawText(QPointF(x, y + (metrics.ascent() - metrics.descent()) / 2), text);
        x += metrics.horizontalAdvance(text) + style.units(14);
    };
    entry(words.query, words.isGrey ? style.theme.unrotated : style.theme.query, style.units(1.5));
    entry(words.key, words.isGrey ? style.theme.unrotated : style.theme.key, style.units(2.6));
    painter.setPen(style.theme.quietText);
    if (fitsBeside(words, rect.width(), style)) {
        painter.drawText(QRectF(rect.left(), rect.top(), rect.width(), line), Qt::AlignRight | Qt::AlignVCenter,
                         words.note);
    }
    const QStringList below = noteBelow(words, rect.width(), style);
    double top = rect.bottom() - static_cast<double>(below.size()) * line;
    for (const QString& each : below) {
        painter.drawText(QRectF(rect.left(), top, rect.width(), line), Qt::AlignLeft | Qt::AlignVCenter, each);
        top += line;
    }
}

}  // namespace

QStringList noteBelow(const DialsWords& words, double width, const FigureStyle& style) {
    if (words.noteIsOptional || fitsBeside(words, width, style)) return {};
    return wrapped(words.note, TextMetrics(style.font(style.tickPt)), width, kMostLines);
}

double dialsHeight(const DialsPicture& picture, double width, const FigureStyle& style) {
    const auto count = static_cast<int>(picture.hands.size());
    const double all = width - marginOf(style);
    double best = 0;
    for (int columns = 1; columns <= count; ++columns) {
        if (columns > 4 && columns % 2 != 0 && columns != count) continue;
        const int rows = (count + columns - 1) / columns;
        const double height = rows * std::min(all / columns, style.units(kLargest));
        if (best == 0 || std::abs(height / all - kRatio) < std::abs(best / all - kRatio)) best = height;
    }
    const auto lines = static_cast<double>(1 + noteBelow(picture.words, width, style).size());
    return best + lines * (lineHeight(style) + style.units(2));
}

void paintDials(QPainter& painter, const QRectF& rect, const FigureStyle& style, const DialsPicture& picture) {
    drawWords(painter, picture.words, rect, style);
    const QFont font = style.font(style.tickPt);
    const qsizetype count = picture.hands.size();
    const DialGrid grid = gridOf(rect, count, noteBelow(picture.words, rect.width(), style).size(), style);
    if (grid.radius <= 0) {
        return;
    }
    for (qsizetype i = 0; i < count; ++i) {
        const DialHands& hands = picture.hands[i];
        const QRectF cell = grid.cellOf(i);
        const bool isHighlighted =
            picture.highlighted && hands.dial.kind != Dial::Kind::outside && hands.dial.index == *picture.highlighted;
        if (isHighlighted && style.onScreen) {
            const double inset = style.units(0.5);
            painter.setPen(QPen(style.theme.accent, style.units(1.5)));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(cell.adjusted(inset, inset, -inset, -inset), style.units(3), style.units(3));
        }
        drawDial(painter, hands, grid.centreOf(i, style), grid.radius, style);
        painter.setFont(font);
        painter.setPen(isHighlighted && style.onScreen ? style.theme.accent : style.theme.quietText);
        if (grid.captions) {
            const QRectF place(cell.left(), cell.bottom() - style.units(kCaption + 1), cell.width(),
                               style.units(kCaption));
            const QString index = indexText(hands.dial);
            painter.drawText(place, Qt::AlignCenter, index.isEmpty() ? index : u"pair "_s + index);
        } else if (i % grid.columns == 0) {
            const QRectF place(rect.left(), cell.top(), grid.cells.left() - rect.left() - style.units(4),
                               cell.height());
            painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, rowText(indexText(hands.dial)));
        }
    }
}

QRectF DialGrid::cellOf(qsizetype dial) const {
    const QPointF corner(static_cast<double>(dial % columns) * pitch.width(),
                         static_cast<double>(dial / columns) * pitch.height());
    return {cells.topLeft() + corner + QPointF(pitch.width() - cell, pitch.height() - cell) / 2, QSizeF(cell, cell)};
}

QPointF DialGrid::centreOf(qsizetype dial, const FigureStyle& style) const {
    const QRectF place = cellOf(dial);
    return place.center() - QPointF(0, captions ? style.units(kCaption) / 2 : 0);
}

std::optional<qsizetype> DialGrid::dialAt(const QPointF& place, qsizetype count) const {
    if (cell <= 0 || !cells.contains(place)) {
        return std::nullopt;
    }
    const auto column = static_cast<qsizetype>((place.x() - cells.left()) / pitch.width());
    const auto row = static_cast<qsizetype>((place.y() - cells.top()) / pitch.height());
    const qsizetype dial = row * columns + column;
    return column < columns && dial < count ? std::optional(dial) : std::nullopt;
}

DialGrid gridOf(const QRectF& rect, qsizetype count, qsizetype linesBelow, const FigureStyle& style) {
    DialGrid grid;
    const double line = lineHeight(style) + style.units(2);
    const double margin = marginOf(style);
    const double width = rect.width() - margin;
    const double height = rect.height() - static_cast<double>(1 + linesBelow) * line;
    if (count == 0 || width <= 0 || height <= 0) {
        return grid;
    }
    const auto rowsOf = [&](int columns) { return static_cast<double>((count + columns - 1) / columns); };
    const auto cellOf = [&](int columns) {
        return std::min({width / columns, height / rowsOf(columns), style.units(kLargest)});
    };
    double largestInFullRows = 0;
    int fullColumns = 1;
    for (int columns = 1; columns <= static_cast<int>(count); ++columns) {
        // Rows of an even number of dials are easy to count.
        if (columns > 4 && columns % 2 != 0 && columns != static_cast<int>(count)) {
            continue;
        }
        const double cell = cellOf(columns);
        if (cell > grid.cell) {
            grid.cell = cell;
            grid.columns = columns;
        }
        if (count % columns == 0 && cell > largestInFullRows) {
            largestInFullRows = cell;
            fullColumns = columns;
        }
    }
    if (largestInFullRows >= kSmallestForFullRows * grid.cell) {
        grid.cell = largestInFullRows;
        grid.columns = fullColumns;
    }
    const double rows = rowsOf(grid.columns);
    grid.pitch = {std::min(width / grid.columns, kWidestPitch * grid.cell),
                  std::min(height / rows, kWidestPitch * grid.cell)};
    grid.captions = grid.cell >= style.units(kRoomy);
    const double used = grid.captions ? grid.cell - style.units(kCaption) : grid.cell;
    grid.radius = 0.46 * used;
    const QSizeF size(grid.columns * grid.pitch.width(), rows * grid.pitch.height());
    grid.cells = QRectF(
        QPointF(rect.left() + margin + (width - size.width()) / 2, rect.top() + line + (height - size.height()) / 2),
        size);
    return grid;
}

}  // namespace ropelab::ui
