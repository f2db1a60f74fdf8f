#include "ui/figure/paint/figure_painter.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ui/figure/paint/figure_backdrop.h"
#include "ui/figure/paint/figure_renderer.h"
#include "ui/figure/text_metrics.h"

namespace ropelab::ui {
namespace {

void paintOne(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    QCustomPlot plot;
    plot.setViewport(QRect(QPoint(0, 0), size));
    FigureRenderer renderer(plot);
    renderer.show(figure, style);
    plot.toPainter(&painter, size.width(), size.height());
}

// Size in points that a panel of a grid needs for its texts.
constexpr double kPanelWidth = 140;
constexpr double kPanelHeight = 105;
constexpr double kPanelGap = 4;
/// Width in points below which the panels of two setups are one below the other: drawings and maps need it for their
/// names.
constexpr double kLeastInRow = 190;

// Parts of the usual height: of the axes at least, and of a square map at most.
constexpr double kLeastAxes = 0.55;
constexpr double kMostRows = 1.8;  // of rows with names of the usual size; more rows have smaller names
constexpr double kMostSquare = 1.6;
constexpr double kMostStacked = 3.6;  // all squares of a column of panels together
constexpr int kFitPasses = 4;

/// Panels as they are painted: in rows, smaller by a factor, texts included, so that their texts fit.
struct PaintedPanels {
    std::vector<const Figure*> panels;
    int columns = 1;
    int rows = 1;
    double title = 0;       // height of the line above each panel
    double scale = 1;       // set by place()
    bool isTurned = false;  // the panels follow each other in columns

    PaintedPanels(const Figure& figure, double width, const FigureStyle& style) {
        // A page has no panels that only say why nothing is drawn, or what is fixed before it can be; the caption
        // says it.
        for (const Figure& panel : figure.panels) {
            if (style.onScreen || !(isEmpty(panel) || isPlaceholder(panel))) panels.push_back(&panel);
        }
        const int count = std::max(1, static_cast<int>(panels.size()));
        columns = figure.panelColumns > 0 ? std::min(figure.panelColumns, count) : count;
        if (!style.onScreen && figure.panelColumns > 0) {
            const double narrowest = style.units(kPanelWidth) * std::min(1.0, FigureStyle::kLeastPt / style.tickPt);
            columns = std::clamp(static_cast<int>(width / narrowest), 1, columns);
            // Full rows stay full; those of two setups become columns.
            const int groups = count % figure.panelColumns == 0 ? count / figure.panelColumns : 0;
            isTurned = groups > 1 && columns < figure.panelColumns && columns >= groups;
            if (isTurned) columns = groups;
            while (groups == 1 && figure.panelColumns % columns != 0) --columns;
            // Without a last row that is mostly empty, if there are as many rows.
            const int least = (count + columns - 1) / columns;
            if (groups == 0) columns = (count + least - 1) / least;
        } else if (!style.onScreen && width < count * style.units(kLeastInRow)) {
            columns = 1;
        }
        rows = (count + columns - 1) / columns;
        title = std::ceil(TextMetrics(style.font(style.labelPt)).height() + style.units(kPanelGap));
        isGrid = figure.panelColumns > 0;
    }
    void place(double width, double height, const FigureStyle& style) {
        if (!isGrid) return;
        scale = std::min({1.0, width / columns / style.units(kPanelWidth), height / rows / style.units(kPanelHeight)});
    }

 private:
    bool isGrid = false;
};

void paintPanels(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    PaintedPanels grid(figure, size.width(), style);
    if (grid.panels.empty()) return paintOne(figure.panels.front(), painter, size, style);
    grid.place(size.width(), size.height(), style);
    const QFont font = style.font(style.labelPt);
    const TextMetrics metrics(font);
    const double gap = style.units(kPanelGap);
    const int title = static_cast<int>(grid.title);
    const int width = static_cast<int>(size.width() / grid.scale) / grid.columns;
    const int height = static_cast<int>(size.height() / grid.scale) / grid.rows;
    painter.fillRect(QRect(QPoint(0, 0), size), style.theme.paper);
    painter.save();
    painter.scale(grid.scale, grid.scale);
    for (int i = 0; i < static_cast<int>(grid.panels.size()); ++i) {
        const Figure& panel = *grid.panels[static_cast<std::size_t>(i)];
        painter.save();
        const int column = grid.isTurned ? i / grid.rows : i % grid.columns;
        const int row = grid.isTurned ? i % grid.rows : i / grid.columns;
        painter.translate(column * width, row * height);
        const double space = width - 2 * gap;
        painter.setFont(style.fitting(font, panel.panelTitle, space));
        painter.setPen(style.theme.text);
        painter.drawText(QPointF(gap, gap / 2 + metrics.ascent()),
                         TextMetrics(painter.font()).elidedText(panel.panelTitle, Qt::ElideRight, space));
        painter.translate(0, title);
        paintOne(panel, painter, {width, std::max(1, height - title)}, style);
        painter.restore();
    }
    painter.restore();
}

/// At most `square` parts of the usual height for the axes of a square map.
double fittedHeight(const Figure& figure, double width, double usual, const FigureStyle& style, double square);

/// In a row, all panels are as high as the highest one.
double heightOfPanels(const Figure& figure, double width, double usual, const FigureStyle& style) {
    PaintedPanels grid(figure, width, style);
    if (grid.panels.empty()) return usual;
    grid.place(width, std::numeric_limits<double>::infinity(), style);
    const double panelWidth = width / grid.scale / grid.columns;
    const double low = figure.panelColumns > 0 ? style.units(kPanelHeight) : usual;
    double row = low;
    for (const Figure* panel : grid.panels) {
        const double square = std::min(kMostSquare, kMostStacked / grid.rows);
        row = std::max(row, fittedHeight(*panel, panelWidth, low - grid.title, style, square) + grid.title);
    }
    return std::ceil(grid.scale * row * grid.rows);
}

/// Between rows with names, in rows.
double leastDistance(const QStringList& names) {
    qsizetype before = -1;
    qsizetype least = names.size();
    for (qsizetype i = 0; i < names.size(); ++i) {
        if (names[i].isEmpty()) continue;
        if (before >= 0) least = std::min(least, i - before);
        before = i;
    }
    return static_cast<double>(std::max<qsizetype>(1, least));
}

double fittedHeight(const Figure& figure, double width, double usual, const FigureStyle& style, double square) {
    if (!figure.panels.empty()) return heightOfPanels(figure, width, usual, style);
    if (figure.drawing) {
        const QRectF inside = FigureBackdrop::drawingRect(QRectF(0, 0, width, usual), style);
        return figure.drawingHeight ? figure.drawingHeight(inside.width(), style) + usual - inside.height() : usual;
    }
    if (isEmpty(figure)) return usual;
    QCustomPlot plot;
    FigureRenderer renderer(plot);
    const double line = 1.05 * TextMetrics(style.font(style.tickPt)).height();
    const double rows = figure.y.categories.isEmpty()
                            ? 0
                            : (yRange(figure).maximum - yRange(figure).minimum) / leastDistance(figure.y.categories);
    const double least = std::min(1.0, FigureStyle::kLeastPt / style.tickPt);
    const double rowsHeight = std::clamp(kMostRows * usual, least * rows * line, rows * line);
    // At first, the page is so high that no text is omitted.
    double height = kFitPasses * usual;
    double needed = 0;
    bool isSquare = false;
    for (int pass = 0; pass < kFitPasses; ++pass) {
        plot.setViewport(QRect(0, 0, static_cast<int>(width), static_cast<int>(std::ceil(height))));
        renderer.show(figure, style);
        for (const auto phase :
             {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout}) {
            plot.plotLayout()->update(phase);
        }
        const QRectF axes = renderer.axesRect();
        const double around = height - axes.height() - renderer.blankHeight();
        isSquare = isSquare || renderer.blankHeight() > 0;
        if (isSquare) {
            needed = std::max(needed, std::min(axes.width(), square * usual));
        } else {
            needed = std::max({needed, kLeastAxes * usual, usual - around, renderer.endLabelsHeight(), rowsHeight});
        }
        const double next = around + needed;
        if (pass > 0 && next <= height) break;
        height = next;
    }
    return std::ceil(height);
}

}  // namespace

void beginVectors(QCPPainter& painter, QPaintDevice& device) {
    painter.begin(&device);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNonCosmetic);
    painter.setRenderHint(QPainter::LosslessImageRendering);
}

void paintFigure(const Figure& figure, QPaintDevice& device, const QSize& size, const FigureStyle& style,
                 bool vectors) {
    QCPPainter painter;
    if (vectors) {
        beginVectors(painter, device);
    } else {
        painter.begin(&device);
    }
    paintFigure(figure, painter, size, style);
    painter.end();
}

void paintFigure(const Figure& figure, QCPPainter& painter, const QSize& size, const FigureStyle& style) {
    if (figure.panels.empty()) return paintOne(figure, painter, size, style);
    paintPanels(figure, painter, size, style);
}

double fittedHeight(const Figure& figure, double width, double usual, const FigureStyle& style) {
    return fittedHeight(figure, width, usual, style, kMostSquare);
}

}  // namespace ropelab::ui
