#pragma once

#include "ui/figure/figure.h"
#include "ui/rotary/rotation/dials_painting.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// The dials of a scene, fastest first: head_dim/2 of them, or 128 spread evenly where there are more. The large pair
/// is always among them.
QList<Dial> dialsOf(const RotationScene& scene);

/// Where they stand in a rectangle.
DialGrid gridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// The pair whose dial is at a place of the drawing, nullopt where none is.
std::optional<int> pairAt(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                          const QPointF& place);

/// What stands beside or beneath the dials: what is grey, what is not shown.
QString dialsNote(const RotationScene& scene);
/// How fast a pair turns, with today's numbers; without one what stands beside the dials.
QString dialsWhy(const RotationScene& scene, std::optional<int> pair);

/// "dials": a hand for q at m and one for k at n in every pair's plane.
Figure dialsFigure(const RotationScene& scene);

}  // namespace ropelab::ui
