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

/// One place in the grid of dials: a pair that turns, a pair that does not, or two of the channels that slice leaves
/// outside every pair.
struct Dial {
    enum class Kind { turning, stopped, outside } kind = Kind::turning;
    int index = 0;
};

/// A dial with a hand for q and one for k.
struct DialHands {
    Dial dial;
    // Radians, counterclockwise from the right; NaN where there is no hand.
    double query = std::numeric_limits<double>::quiet_NaN();
    double key = std::numeric_limits<double>::quiet_NaN();
    // Shares of a hand's full length, 0 to 1.
    double queryLength = 1;
    double keyLength = 1;
};

/// The words around the dials.
struct DialsWords {
    QString query;  // what the hands of q stand for
    QString key;
    QString note;
    /// Whether the note is left out where it has no room beside the others.
    bool noteMayGo = false;
};

/// What is drawn.
struct DialsPicture {
    QList<DialHands> hands;
    std::optional<int> lit;
    DialsWords words;
};

/// Where dials stand in a rectangle: rows of equal cells, as large as fits.
struct DialGrid {
    QRectF cells;
    int columns = 1;
    double cell = 0;
    double radius = 0;
    /// Under each dial its index; otherwise each row begins with the index of its first dial.
    bool captions = false;

    QRectF cellOf(qsizetype dial) const;
    QPointF centreOf(qsizetype dial, const FigureStyle& style) const;
    std::optional<qsizetype> dialAt(const QPointF& place, qsizetype count) const;
};
/// `roomBelow`: whether a line of words stands beneath the dials; one always stands above.
DialGrid gridOf(const QRectF& rect, qsizetype count, bool roomBelow, const FigureStyle& style);
/// Whether the note stands beneath the dials in a drawing so wide.
bool needsRoomBelow(const DialsWords& words, double width, const FigureStyle& style);

void paintDials(QPainter& painter, const QRectF& rect, const FigureStyle& style, const DialsPicture& picture);

}  // namespace ropelab::ui
