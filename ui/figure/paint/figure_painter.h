#pragma once

#include <QSize>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

class QCPPainter;
class QPaintDevice;

namespace ropelab::ui {

/// `size` is in the device's units, style.unit of which are one point. `vectors` disables pixel optimizations, for PDF
/// and SVG. Needs a QApplication (any platform, also offscreen); shows no window.
void paintFigure(const Figure& figure, QPaintDevice& device, const QSize& size, const FigureStyle& style, bool vectors);

/// Begins a PDF or SVG: without pixel optimizations, and with the exact colours of images, which a JPEG would change.
void beginVectors(QCPPainter& painter, QPaintDevice& device);

/// At the origin of a painter, whose modes are those for its device.
void paintFigure(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style);

/// Height at which the figure on paper fills a page of this width: `usual`, and more where names, notes or rows need
/// it; all in the units of the style.
double fittedHeight(const Figure& figure, double width, double usual, const FigureStyle& style);

}  // namespace ropelab::ui
