#pragma once

#include "ui/figure/dials_painting.h"
#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// Returns the dials of a scene, highest frequency first: head_dim/2 dials, or 128 evenly spaced ones where there are
/// more. The enlarged pair is always among them.
QList<Dial> dialsOf(const RotationScene& scene);

/// Returns the positions of the dials of `scene` in a rectangle.
DialGrid gridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// Returns the pair whose dial contains the point `place` of the drawing, or nullopt.
std::optional<int> pairAt(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                          const QPointF& place);

/// Returns the note beside or below the dials: which pairs are grey and how many dials are omitted.
QString dialsNote(const RotationScene& scene);
/// Returns the tooltip of a dial: the frequency, wavelength and number of periods of `pair`. Returns the note of the
/// dials where `pair` is nullopt.
QString dialsToolTip(const RotationScene& scene, std::optional<int> pair);

/// Returns the figure "dials": one dial per pair, with one hand for q at position m and one for k at position n.
Figure dialsFigure(const RotationScene& scene);

}  // namespace ropelab::ui
