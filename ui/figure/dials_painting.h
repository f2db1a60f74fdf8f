#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <limits>
#include <optional>

#include "ui/figure/figure_style.h"

class QPainter;

namespace ropelab::ui {

/// One cell of the grid of dials: a rotated pair, a pair with frequency 0 (truncate), or two channels that belong to no
/// pair (slice).
struct Dial {
    enum class Kind { rotated, frozen, outside } kind = Kind::rotated;
    int index = 0;
};

/// A dial with one hand for q and one for k.
struct DialHands {
    Dial dial;
    // Angles in radians, counterclockwise from the right; NaN draws no hand.
    double query = std::numeric_limits<double>::quiet_NaN();
    double key = std::numeric_limits<double>::quiet_NaN();
    // Lengths of the hands as fractions of the full length, 0 to 1.
    double queryLength = 1;
    double keyLength = 1;
};

/// The texts above and below the dials.
struct DialsWords {
    QString query;  // legend entry of the hands of q
    QString key;    // legend entry of the hands of k
    QString note;
    /// Omits the note where it does not fit on the line of the legend.
    bool noteIsOptional = false;
};

/// Everything that paintDials draws.
struct DialsPicture {
    QList<DialHands> hands;
    std::optional<int> highlighted;  // index of the highlighted pair
    DialsWords words;
};

/// Layout of the dials in a rectangle: rows of equal cells, as large as fits.
struct DialGrid {
    QRectF cells;
    int columns = 1;
    double cell = 0;
    double radius = 0;
    /// Writes the index of each dial below it; otherwise each row begins with the index of its first dial.
    bool captions = false;

    /// Returns the cell of a dial, including its index.
    QRectF cellOf(qsizetype dial) const;
    /// Returns the centre of a dial.
    QPointF centreOf(qsizetype dial, const FigureStyle& style) const;
    /// Returns the dial of `count` dials whose cell contains a point, or nullopt.
    std::optional<qsizetype> dialAt(const QPointF& place, qsizetype count) const;
};
/// Returns the layout of `count` dials in `rect`. One line of text is reserved above the dials, and one below them
/// where `roomBelow` is true.
DialGrid gridOf(const QRectF& rect, qsizetype count, bool roomBelow, const FigureStyle& style);
/// Returns whether the note needs a line of its own below the dials in a drawing of this width.
bool needsLineBelow(const DialsWords& words, double width, const FigureStyle& style);

/// Paints the dials, their indices, the legend and the note into `rect`.
void paintDials(QPainter& painter, const QRectF& rect, const FigureStyle& style, const DialsPicture& picture);

}  // namespace ropelab::ui
