#pragma once

#include <QRectF>
#include <span>
#include <vector>

#include "ui/figure/export/export_options.h"
#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

class QPaintDevice;

namespace ropelab::ui {

/// Lengths are in millimetres.
struct PageLayout {
    std::vector<QRectF> panels;  // place of each figure, with the line of its letter
    double heightMm = 0;         // of the page
};

/// `columns` is the number of panels per row; 0 chooses it by their number and the width, so that
/// no name is cut off. If `heightMm` is 0, each row is as high as
/// its panels need for text of this size. Throws BadInput if a panel would be too small to be drawn.
PageLayout pageLayout(std::span<const Figure> panels, double widthMm, double heightMm, int columns, double fontPt);

/// Height in mm of a page on which every figure is as high as it needs: that of the options for one figure without long
/// texts. Throws BadInput as pageLayout().
double fittedHeightMm(std::span<const Figure> panels, const ExportOptions& options);

/// One sentence if the figures, as panels of one page, need more height than a page of the publishers has (9 inches,
/// see figurePresets); "" if they fit.
QString higherThanPage(std::span<const Figure> panels, const ExportOptions& options);

/// Panels have the letters a, b, c … above their upper left corners; a single figure has none. `widthMm` is the width
/// of the page in millimetres; the other parameters are those of paintFigure.
void paintPage(std::span<const Figure> panels, const PageLayout& layout, QPaintDevice& device, const QSize& size,
               const FigureStyle& style, bool vectors);

}  // namespace ropelab::ui
