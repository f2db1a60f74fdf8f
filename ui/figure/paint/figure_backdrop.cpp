#include "ui/figure/paint/figure_backdrop.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"
#include "ui/theme/color_maps.h"

namespace ropelab::ui {
namespace {

// Sizes in points.
constexpr double kScaleGap = 5;
constexpr double kBar = 8;
constexpr int kMarks = 5;
// A vector file has more cells than these as an image, which is smaller.
constexpr qsizetype kMaxRectangles = 4096;

}  // namespace

FigureBackdrop::FigureBackdrop(QCustomPlot* plot, const QString& layer) : QCPLayerable(plot, layer) {}

double FigureBackdrop::colorBarWidth(const Figure& figure, const FigureStyle& style) {
    if (!figure.map || !figure.map->classes.isEmpty()) {
        return 0;
    }
    const TextMetrics metrics(style.font(style.tickPt));
    const Range range = figure.map->range();
    double widest = 0;
    for (const QString& label : ticksOf(range.minimum, range.maximum, false, kMarks).labels) {
        widest = std::max(widest, metrics.horizontalAdvance(label));
    }
    return style.units(2 * kScaleGap + kBar + 2 * kScaleGap) + widest;
}

QRectF FigureBackdrop::drawingRect(const QRectF& viewport, const FigureStyle& style) {
    const double edge = style.units(4);
    return viewport.adjusted(edge, edge, -edge, -edge);
}

QRgb FigureBackdrop::colorOf(double fraction) const {
    switch (m_map->scale) {
        case FigureMap::Scale::diverging:
            return diverging(2 * fraction - 1, m_style.theme.paper.rgb());
        case FigureMap::Scale::cyclic:
            return cyclic(fraction);
        case FigureMap::Scale::magnitude:
            break;
    }
    return viridis(fraction);
}

void FigureBackdrop::set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y) {
    m_style = style;
    m_drawing = figure.drawing;
    m_map = figure.map;
    m_x = x;
    m_y = y;
    m_cells = QImage();
    if (!m_map || m_map->columns <= 0 || m_map->rows <= 0 ||
        m_map->values.size() < static_cast<qsizetype>(m_map->columns) * m_map->rows) {
        m_map.reset();
        return;
    }
    m_range = m_map->range();
    m_hasBlank = hasLabelledBlank(figure);
    const QRgb blank = (m_hasBlank ? m_style.blankColor() : m_style.theme.paper).rgb();
    if (const std::pair key(m_map->scale, m_style.theme.paper.rgb()); m_colorsOf != key) {
        m_colorsOf = key;
        for (std::size_t i = 0; i < m_colors.size(); ++i) m_colors[i] = colorOf(static_cast<double>(i) / 255.0);
    }
    m_cells = QImage(m_map->columns, m_map->rows, QImage::Format_RGB32);
    const float scale = static_cast<float>(255.0 / (m_range.maximum - m_range.minimum));
    const float low = static_cast<float>(m_range.minimum);
    for (int row = 0; row < m_map->rows; ++row) {
        const float* values = m_map->values.constData() + static_cast<qsizetype>(row) * m_map->columns;
        // An image's first line is at the top.
        auto* line = reinterpret_cast<QRgb*>(m_cells.scanLine(m_y.reversed ? row : m_map->rows - 1 - row));
        for (int column = 0; column < m_map->columns; ++column) {
            const float value = values[column];
            const float place = std::clamp((value - low) * scale, 0.0F, 255.0F);
            line[column] = std::isnan(value)           ? blank
                           : !m_map->classes.isEmpty() ? m_style.classColor(std::lround(value)).rgb()
                                                       : m_colors[static_cast<std::size_t>(place)];
        }
    }
}

void FigureBackdrop::draw(QCPPainter* painter) {
    if (m_drawing) {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        m_drawing(*painter, drawingRect(mParentPlot->viewport(), m_style), m_style);
        painter->restore();
        return;
    }
    if (m_map) {
        const QRectF axes(mParentPlot->axisRect()->rect());
        if (m_hasBlank) painter->fillRect(axes, m_style.blankColor());
        drawMap(painter, axes);
        if (m_map->classes.isEmpty()) drawColorBar(painter, axes);
    }
}

void FigureBackdrop::drawMap(QCPPainter* painter, const QRectF& axes) const {
    const auto deviceX = [&](double x) { return axes.left() + m_x.toDevice(x); };
    const auto deviceY = [&](double y) { return axes.bottom() - m_y.toDevice(y); };
    const double left = deviceX(m_map->xFirst - 0.5 * m_map->xStep);
    const double right = deviceX(m_map->xFirst + (m_map->columns - 0.5) * m_map->xStep);
    const double first = deviceY(m_map->yFirst - 0.5 * m_map->yStep);
    const double last = deviceY(m_map->yFirst + (m_map->rows - 0.5) * m_map->yStep);
    const QRectF whole(QPointF(left, std::min(first, last)), QPointF(right, std::max(first, last)));
    const QRectF seen = whole & axes;
    if (seen.isEmpty()) {
        return;
    }
    const bool onPaper = painter->modes().testFlag(QCPPainter::pmVectorized);
    if (!onPaper || static_cast<qsizetype>(m_map->columns) * m_map->rows > kMaxRectangles) {
        // Only the visible cells are drawn, because not every device clips.
        const double perX = m_map->columns / whole.width();
        const double perY = m_map->rows / whole.height();
        const QRectF source((seen.left() - whole.left()) * perX, (seen.top() - whole.top()) * perY, seen.width() * perX,
                            seen.height() * perY);
        painter->setRenderHint(QPainter::SmoothPixmapTransform, false);
        painter->drawImage(seen, m_cells, source);
        return;
    }
    painter->setPen(Qt::NoPen);
    const double width = whole.width() / m_map->columns;
    const double height = whole.height() / m_map->rows;
    // Each cell reaches under the next ones: between cells that only touch, viewers show the paper as stripes.
    const double seam = m_style.units(0.25);
    for (int row = 0; row < m_map->rows; ++row) {
        for (int column = 0; column < m_map->columns; ++column) {
            const QRectF cell(whole.left() + column * width, whole.top() + row * height, width, height);
            const QRectF visible = cell.adjusted(0, 0, seam, seam) & whole & axes;
            if (!visible.isEmpty()) {
                painter->fillRect(visible, QColor(m_cells.pixel(column, row)));
            }
        }
    }
}

void FigureBackdrop::drawColorBar(QCPPainter* painter, const QRectF& axes) const {
    const QRectF bar(axes.right() + m_style.units(2 * kScaleGap), axes.top(), m_style.units(kBar), axes.height());
    constexpr int steps = 64;
    for (int i = 0; i < steps; ++i) {
        const double height = bar.height() / steps;
        const double y = bar.bottom() - (i + 1) * height;
        // Neighbouring rectangles overlap slightly, so that the background is not visible between them.
        const double overlap = i == 0 ? 0 : 0.5 * height;
        painter->fillRect(QRectF(bar.left(), y, bar.width(), height + overlap),
                          QColor(colorOf((i + 0.5) / static_cast<double>(steps))));
    }
    const QFont font = m_style.font(m_style.tickPt);
    const TextMetrics metrics(font);
    painter->setFont(font);
    painter->setPen(m_style.theme.quietText);
    const Ticks ticks = ticksOf(m_range.minimum, m_range.maximum, false, kMarks);
    double below = std::numeric_limits<double>::infinity();  // baseline of the label below
    for (qsizetype i = 0; i < ticks.at.size(); ++i) {
        const double fraction = (ticks.at[i] - m_range.minimum) / (m_range.maximum - m_range.minimum);
        if (fraction < -1e-9 || fraction > 1 + 1e-9) {
            continue;
        }
        const double y = bar.bottom() - fraction * bar.height();
        const double base = std::clamp(y + (metrics.ascent() - metrics.descent()) / 2,
                                       bar.top() + metrics.ascent() - metrics.descent(), bar.bottom());
        if (below - base < metrics.ascent()) continue;  // a low bar has no space for all labels
        below = base;
        painter->drawText(QPointF(bar.right() + m_style.units(kScaleGap), base), ticks.labels[i]);
    }
}

}  // namespace ropelab::ui

#include "moc_figure_backdrop.cpp"
