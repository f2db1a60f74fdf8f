#pragma once

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

namespace ropelab::ui {

/// A figure as small multiples: one strip per curve, or per row of its map (in `rowInk`). Each strip
/// has its own scale, so that no setting flattens another one, and says its largest value. Few points are bars, for
/// which a line would invent values in between. Where not all strips fit, the last place says how many are left out.
FigureDrawing stripsOf(const Figure& figure, Ink rowInk);
/// Of several settings, by wavelength: on one axis, a setting of one pair would flatten those of many pairs.
bool areSpectra(const Figure& figure);
/// What stands above strips, which have no axes, the most important first; `title` says when they were measured.
QStringList stripWords(const Figure& figure, const QString& title);
/// "θ 500: wavelength 123 tokens, logit contribution 4.20 %" at a place in `rect`; "" if no strip is there.
QString stripAt(const Figure& figure, const QRectF& rect, const FigureStyle& style, const QPointF& place);

}  // namespace ropelab::ui
