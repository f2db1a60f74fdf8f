#pragma once

#include "ui/figure/dials_painting.h"
#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// Highest frequency first: head_dim/2 dials, or 128 evenly spaced ones where there are more. The enlarged pair is
/// always among them.
QList<Dial> dialsOf(const RotationScene& scene);

DialGrid gridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

std::optional<int> pairAt(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                          const QPointF& place);

/// Tells which pairs are grey and how many dials are omitted.
QString dialsNote(const RotationScene& scene);
/// The frequency, wavelength and number of periods of `pair`, or the note of the dials where `pair` is nullopt.
QString dialsToolTip(const RotationScene& scene, std::optional<int> pair);

Figure dialsFigure(const RotationScene& scene);

}  // namespace ropelab::ui
