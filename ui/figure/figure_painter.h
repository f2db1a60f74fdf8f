#pragma once

#include <QSize>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

class QPaintDevice;

namespace ropelab::ui {

/// Paints a figure on a device, `size` in its units (style.unit of them are a point). `vectors`:
/// no pixel tricks, for PDF and SVG. Needs a QApplication (any platform, offscreen too); nothing becomes visible.
void paintFigure(const Figure& figure, QPaintDevice& device, const QSize& size, const FigureStyle& style, bool vectors);

}  // namespace ropelab::ui
