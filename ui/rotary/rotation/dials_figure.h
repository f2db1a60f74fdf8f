#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// One place in the grid of dials: a pair that turns, a pair that truncate stopped, or two of the channels that slice
/// leaves outside every pair.
struct Dial {
    enum class Kind { turning, stopped, outside } kind = Kind::turning;
    int index = 0;
};

/// The dials of a scene, fastest first: head_dim/2 of them, or 128 spread evenly where there are more. The large pair
/// is always among them.
QList<Dial> dialsOf(const RotationScene& scene);

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
DialGrid gridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// The pair whose dial is at a place of the drawing, nullopt where none is.
std::optional<int> pairAt(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                          const QPointF& place);

/// What stands beside or beneath the dials: what is grey, what is not shown.
QString dialsNote(const RotationScene& scene);

/// "dials": a hand for q at m and one for k at n in every pair's plane.
Figure dialsFigure(const RotationScene& scene);

}  // namespace ropelab::ui
