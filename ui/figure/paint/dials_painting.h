#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>
#include <limits>
#include <optional>

#include "ui/figure/figure_style.h"

class QPainter;

namespace ropelab::ui {

/// A rotated pair, a pair with frequency 0 (truncate), or two channels that belong to no pair (slice).
struct Dial {
    enum class Kind { rotated, frozen, outside } kind = Kind::rotated;
    int index = 0;
};

struct DialHands {
    Dial dial;
    // Angles in radians, counterclockwise from the right; NaN draws no hand.
    double query = std::numeric_limits<double>::quiet_NaN();
    double key = std::numeric_limits<double>::quiet_NaN();
    // Lengths of the hands as fractions of the full length, 0 to 1.
    double queryLength = 1;
    double keyLength = 1;
};

struct DialsWords {
    QString query;  // legend entry of the hands of q
    QString key;    // legend entry of the hands of k
    QString note;
    /// The note is omitted where it does not fit on the line of the legend.
    bool noteIsOptional = false;
    bool isGrey = false;  // no pair is rotated, so that all hands are grey
};

struct DialsPicture {
    QList<DialHands> hands;
    std::optional<int> highlighted;  // index of the highlighted pair
    DialsWords words;
};

/// Rows of equal cells, as large as fits. Full rows are preferred to slightly larger cells, and cells are apart
/// where there is space between them.
struct DialGrid {
    QRectF cells;
    int columns = 1;
    double cell = 0;  // width and height that a dial needs
    QSizeF pitch;     // from one cell to the next, at least `cell`
    double radius = 0;
    /// The index of each dial is below it; otherwise each row begins with the index of its first dial.
    bool captions = false;

    /// Includes the dial's index.
    QRectF cellOf(qsizetype dial) const;
    QPointF centreOf(qsizetype dial, const FigureStyle& style) const;
    std::optional<qsizetype> dialAt(const QPointF& place, qsizetype count) const;
};
/// One line of text is reserved above the dials, and `linesBelow` lines below them.
DialGrid gridOf(const QRectF& rect, qsizetype count, qsizetype linesBelow, const FigureStyle& style);
/// The note in lines of this width, to be painted below the dials; empty if it stands beside the legend or is omitted.
QStringList noteBelow(const DialsWords& words, double width, const FigureStyle& style);

/// At which the dials fill the width.
double dialsHeight(const DialsPicture& picture, double width, const FigureStyle& style);
void paintDials(QPainter& painter, const QRectF& rect, const FigureStyle& style, const DialsPicture& picture);

}  // namespace ropelab::ui
