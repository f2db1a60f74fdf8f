#include "ui/figure/paint/figure_curves.h"

#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

namespace ropelab::ui {
namespace {

/// Paints noisy lines fast. Qt's raster engine strokes a polyline as one path, which takes seconds for a few thousand
/// steep segments; as separate lines they take milliseconds. Vector devices get the polyline, and dashed lines are one
/// everywhere: as separate lines, each would begin its pattern anew.
class CurveGraph : public QCPGraph {
 public:
    using QCPGraph::QCPGraph;
    /// Many circles are copies of the pictures of a few, which takes a tenth of the time. Each is at most an eighth of
    /// a device pixel from its place.
    void setCopiesCircles(bool on) { m_copiesCircles = on; }

 protected:
    /// A point at the edge of the axes is drawn whole.
    QRect clipRect() const override {
        const int edge = static_cast<int>(std::ceil(std::max(scatterStyle().size(), pen().widthF()) / 2)) + 1;
        return QCPGraph::clipRect().adjusted(-edge, -edge, edge, edge);
    }

    void drawLinePlot(QCPPainter* painter, const QVector<QPointF>& lines) const override {
        if (painter->modes().testFlag(QCPPainter::pmVectorized) || pen().style() != Qt::SolidLine) {
            QCPGraph::drawLinePlot(painter, lines);
            return;
        }
        applyDefaultAntialiasingHint(painter);
        QPen fast = pen();
        if (fast.capStyle() == Qt::RoundCap) {
            fast.setCapStyle(Qt::SquareCap);  // the raster engine paints round caps slowly
        }
        painter->setPen(fast);
        painter->setBrush(Qt::NoBrush);
        QVector<QLineF> pieces;
        for (qsizetype i = 1; i < lines.size(); ++i) {
            if (!std::isnan(lines[i].y()) && !std::isnan(lines[i - 1].y())) {
                pieces.append(QLineF(lines[i - 1], lines[i]));
            }
        }
        painter->drawLines(pieces);
    }

    void drawScatterPlot(QCPPainter* painter, const QVector<QPointF>& points,
                         const QCPScatterStyle& style) const override {
        constexpr int phases = 4;  // places of a circle within a device pixel, in each direction
        applyScattersAntialiasingHint(painter);
        style.applyTo(painter, mPen);
        const QTransform toDevice = painter->deviceTransform();
        if (!m_copiesCircles || points.size() <= phases * phases || toDevice.type() > QTransform::TxScale) {
            return QCPGraph::drawScatterPlot(painter, points, style);
        }
        const double radius = style.size() / 2;
        const double scale = toDevice.m11();
        const int middle = static_cast<int>(std::ceil((radius + painter->pen().widthF()) * scale)) + 1;
        std::array<QImage, phases * phases> copies;  // made when they are needed
        painter->save();
        painter->setTransform(toDevice.inverted() * painter->transform());  // now the units are device pixels
        for (const QPointF& point : points) {
            const QPointF at = toDevice.map(point);
            if (!std::isfinite(at.x()) || !std::isfinite(at.y())) continue;
            const auto x = static_cast<int>(std::lround(at.x() * phases));
            const auto y = static_cast<int>(std::lround(at.y() * phases));
            const QPoint phase(x & (phases - 1), y & (phases - 1));
            QImage& copy = copies[static_cast<std::size_t>(phase.y() * phases + phase.x())];
            if (copy.isNull()) {
                copy = QImage(2 * middle + 1, 2 * middle + 1, QImage::Format_ARGB32_Premultiplied);
                copy.fill(Qt::transparent);
                QPainter circle(&copy);
                circle.setRenderHint(QPainter::Antialiasing, painter->antialiasing());
                circle.setPen(painter->pen());
                circle.setBrush(painter->brush());
                circle.translate(QPointF(middle, middle) + QPointF(phase) / phases);
                circle.scale(scale, scale);
                circle.drawEllipse(QPointF(), radius, radius);
            }
            painter->drawImage((QPoint(x, y) - phase) / phases - QPoint(middle, middle), copy);
        }
        painter->restore();
    }

 private:
    bool m_copiesCircles = false;
};

/// One pixel on a screen, a quarter of a point on paper.
double columnOf(const FigureStyle& style) {
    return std::max(1.0, style.units(0.25));
}

constexpr double kLeastPointPt = 2;     // smallest diameter of a point beside a short error bar
constexpr double kPointFraction = 0.6;  // largest diameter of a point, relative to the length of its error bar

/// On paper, the part of their diameter with which points of neighbouring settings do not hide each other: that of the
/// largest ones is part of the median distance of the settings.
double pointScaleOf(const Figure& figure, const FigureStyle& style, const AxisScale& x) {
    constexpr double kGapFraction = 0.7;
    constexpr double kLeastScale = 0.3;
    QList<double> places = figure.x.marks;
    for (qsizetype i = 0; i < figure.x.categories.size(); ++i) places.append(static_cast<double>(i));
    std::ranges::sort(places);
    QList<double> gaps;
    for (qsizetype i = 1; i < places.size(); ++i) gaps.append(x.toDevice(places[i]) - x.toDevice(places[i - 1]));
    if (style.onScreen || gaps.isEmpty()) return 1;
    std::ranges::nth_element(gaps, gaps.begin() + gaps.size() / 2);
    double largest = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape == FigureCurve::Shape::points) largest = std::max(largest, style.units(curve.pointPt));
    }
    return largest > 0 ? std::clamp(kGapFraction * gaps[gaps.size() / 2] / largest, kLeastScale, 1.0) : 1;
}

/// In device units; smaller than the error bar, so that the bar stays visible.
double diameterOf(const FigureCurve& curve, const FigureStyle& style, const AxisScale& y) {
    const double wanted = style.units(curve.pointPt);
    if (!curve.bar) return wanted;
    const double length = std::abs(y.toDevice(curve.bar->maximum) - y.toDevice(curve.bar->minimum));
    const double least = std::min(wanted, style.units(kLeastPointPt));
    return std::isfinite(length) ? std::clamp(kPointFraction * length, least, wanted) : wanted;
}

QCPScatterStyle scatterOf(const FigureStyle::PointLook& look) {
    return QCPScatterStyle(QCPScatterStyle::ssCircle, look.pen, look.brush, look.diameter);
}

/// Total vertical distance that a line covers, in device units.
double climbOf(const Polyline& line, const AxisScale& scale) {
    double climb = 0;
    double previous = std::numeric_limits<double>::quiet_NaN();
    for (const double y : line.y) {
        const double here = scale.toDevice(y);
        if (std::isfinite(here) && std::isfinite(previous)) {
            climb += std::abs(here - previous);
        }
        previous = here;
    }
    return climb;
}

}  // namespace

void FigureCurves::show(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y) {
    m_xScale = x;
    m_yScale = y;
    m_usedGraphs = 0;
    drawBands(figure, style);
    drawCurves(figure, style);
    for (int i = m_usedGraphs; i < m_plot.graphCount(); ++i) {
        m_plot.graph(i)->data()->clear();
        m_plot.graph(i)->setVisible(false);
    }
}

QCPGraph* FigureCurves::nextGraph() {
    // The constructor adds a new graph to the plot, which owns it.
    QCPGraph* graph =
        m_usedGraphs < m_plot.graphCount() ? m_plot.graph(m_usedGraphs) : new CurveGraph(m_plot.xAxis, m_plot.yAxis);
    ++m_usedGraphs;
    graph->setVisible(true);
    graph->setAntialiased(true);
    graph->setAdaptiveSampling(false);  // drawable() has thinned and cut the curves
    graph->setSelectable(QCP::stNone);
    graph->setBrush(Qt::NoBrush);
    graph->setChannelFillGraph(nullptr);
    graph->setScatterStyle(QCPScatterStyle::ssNone);
    graph->setLineStyle(QCPGraph::lsLine);
    return graph;
}

void FigureCurves::setLine(QCPGraph* graph, const Polyline& line, const QPen& pen, const FigureStyle& style) const {
    graph->setPen(pen);
    // A noisy line that fills its area is painted one pixel wide, on a large stage two, without dashes and
    // antialiasing: it looks the same and is much faster. The threshold is lower for faint lines, whose details are not
    // visible.
    const double climb = style.onScreen ? climbOf(line, m_yScale) / m_xScale.length : 0;
    const bool everyColumn = static_cast<double>(line.x.size()) > 1.2 * m_xScale.length;
    const bool isFaint = pen.color().alphaF() < 0.3F;
    if (pen.style() != Qt::NoPen && climb > (isFaint || everyColumn ? 5 : 25)) {
        graph->setPen(QPen(pen.color(), std::max(1.0, std::round(style.units(style.linePt) / 2))));
        graph->setAntialiased(false);
    }
    graph->setData(line.x, line.y, true);
}

void FigureCurves::drawBands(const Figure& figure, const FigureStyle& style) {
    // On paper, where none can be hidden, many bands together are as faint as three, unless each has its own row.
    const auto many = static_cast<double>(figure.bands.size()) / 3;
    const double less = style.onScreen || many <= 1 || !figure.y.categories.isEmpty() ? 1 : 1 / many;
    for (const FigureBand& band : figure.bands) {
        Polyline low;
        Polyline high;
        double column = -1;
        const qsizetype count = std::min({band.x.size(), band.lower.size(), band.upper.size()});
        for (qsizetype i = 0; i < count; ++i) {
            if (!m_xScale.contains(band.x[i])) {
                continue;
            }
            const double bottom = std::clamp(band.lower[i], m_yScale.minimum, m_yScale.maximum);
            const double top = std::clamp(band.upper[i], m_yScale.minimum, m_yScale.maximum);
            const double here = std::floor(m_xScale.toDevice(band.x[i]) / columnOf(style));
            if (here == column) {  // a column extends from its lowest to its highest value
                low.y.last() = std::min(low.y.last(), bottom);
                high.y.last() = std::max(high.y.last(), top);
                continue;
            }
            column = here;
            low.x.append(band.x[i]);
            high.x.append(band.x[i]);
            low.y.append(bottom);
            high.y.append(top);
        }
        QCPGraph* lower = nextGraph();
        setLine(lower, low, QPen(Qt::NoPen), style);
        QCPGraph* upper = nextGraph();
        setLine(upper, high, QPen(Qt::NoPen), style);
        QColor fill = style.colorOf(band.ink);
        fill.setAlphaF(static_cast<float>(less * opacityOfBand(fill, style.theme.paper)));
        upper->setBrush(fill);
        upper->setChannelFillGraph(lower);
    }
}

bool paintsDots(const Figure& figure, bool onScreen) {
    constexpr std::ptrdiff_t most = 40;
    return !onScreen || std::ranges::count(figure.curves, true, &FigureCurve::dots) <= most;
}

void FigureCurves::drawCurves(const Figure& figure, const FigureStyle& style) {
    for (const FigureCurve& curve : figure.curves) {
        if (!curve.raw.isEmpty()) {
            QPen pen = style.penOf(curve);
            QColor faint = pen.color();
            faint.setAlphaF(faint.alphaF() * 0.25F);
            pen = QPen(faint, style.units(style.linePt * 0.7), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
            setLine(nextGraph(), drawable(curve.x, curve.raw, m_xScale, m_yScale, columnOf(style)), pen, style);
        }
    }
    m_lines.clear();
    for (const FigureCurve& curve : figure.curves) {
        m_lines.append(curve.shape == FigureCurve::Shape::line
                           ? drawable(curve.x, curve.y, m_xScale, m_yScale, columnOf(style))
                           : Polyline{curve.x, curve.y});
    }
    // Dimmed curves are drawn first and picked curves last, on top; points, among them rings, are above the lines, and
    // secondary curves behind the others.
    std::vector<std::size_t> order(figure.curves.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
        using Emphasis = FigureCurve::Emphasis;
        const FigureCurve& curve = figure.curves[i];
        const bool arePoints = curve.shape == FigureCurve::Shape::points;
        const bool isBehind = curve.emphasis == Emphasis::dimmed && !arePoints;
        return std::tuple(curve.emphasis == Emphasis::picked, !isBehind, arePoints, !curve.companion);
    });
    const bool hasDots = paintsDots(figure, style.onScreen);
    const double pointScale = pointScaleOf(figure, style, m_xScale);
    for (const std::size_t i : order) {
        const FigureCurve& curve = figure.curves[i];
        if (curve.shape == FigureCurve::Shape::points) {
            if (pointScale == 1) {
                setPoints(curve, style);
                continue;
            }
            FigureCurve points = curve;
            points.pointPt *= pointScale;
            setPoints(points, style);
        } else if (curve.shape == FigureCurve::Shape::bars) {
            setBars(curve, style);
        } else {
            setLine(nextGraph(), m_lines[static_cast<qsizetype>(i)], style.penOf(curve), style);
            if (curve.dots && hasDots) setDots(curve, style.penOf(curve), style);
        }
    }
}

double opacityOfBand(const QColor& color, const QColor& paper) {
    double opacity = 0;
    const auto mixed = [&opacity](int from, int to) {
        return from + static_cast<int>(std::lround(opacity * (to - from)));
    };
    const auto contrast = [&] {
        return contrastRatio(paper, QColor(mixed(paper.red(), color.red()), mixed(paper.green(), color.green()),
                                           mixed(paper.blue(), color.blue())));
    };
    while (opacity < 1 && contrast() < 1.5) opacity += 0.01;
    return opacity;
}

double halfBarOf(const FigureCurve& curve) {
    double step = std::numeric_limits<double>::infinity();
    for (qsizetype i = 1; i < curve.x.size(); ++i) step = std::min(step, curve.x[i] - curve.x[i - 1]);
    return 0.38 * (std::isfinite(step) && step > 0 ? step : 1.0);
}

void FigureCurves::setPoints(const FigureCurve& curve, const FigureStyle& style) {
    Polyline seen;
    for (qsizetype i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
        if (m_xScale.contains(curve.x[i]) && m_yScale.contains(curve.y[i])) {
            seen.x.append(curve.x[i]);
            seen.y.append(curve.y[i]);
        }
    }
    const QColor color = style.penOf(curve).color();
    QCPGraph* dots = nextGraph();
    dots->setLineStyle(QCPGraph::lsNone);
    dots->setScatterStyle(scatterOf(style.pointsOf(curve, diameterOf(curve, style, m_yScale))));
    dots->setPen(QPen(color));
    static_cast<CurveGraph*>(dots)->setCopiesCircles(style.onScreen);
    dots->setData(seen.x, seen.y, true);
}

void FigureCurves::setBars(const FigureCurve& curve, const FigureStyle& style) {
    // The outline of each bar goes up, across and down, cut at the axes. The graph is filled down to the base.
    const qsizetype count = std::min(curve.x.size(), curve.y.size());
    const double half = halfBarOf(curve);
    const double base = m_yScale.logarithmic ? m_yScale.minimum : std::clamp(0.0, m_yScale.minimum, m_yScale.maximum);
    Polyline outline;
    Polyline floor;
    const auto add = [&](double x, double y) {
        outline.x.append(x);
        outline.y.append(y);
        floor.x.append(x);
        floor.y.append(base);
    };
    for (qsizetype i = 0; i < count; ++i) {
        if (!std::isfinite(curve.y[i])) {
            continue;
        }
        const double left = std::max(curve.x[i] - half, m_xScale.minimum);
        const double right = std::min(curve.x[i] + half, m_xScale.maximum);
        if (left >= right) {
            continue;
        }
        const double y = std::clamp(curve.y[i], m_yScale.minimum, m_yScale.maximum);
        add(left, base);
        add(left, y);
        add(right, y);
        add(right, base);
    }
    const QColor color = style.penOf(curve).color();
    QCPGraph* bottom = nextGraph();
    setLine(bottom, floor, QPen(Qt::NoPen), style);
    QCPGraph* top = nextGraph();
    setLine(top, outline, QPen(Qt::NoPen), style);
    top->setBrush(color);
    top->setChannelFillGraph(bottom);
}

void FigureCurves::setDots(const FigureCurve& curve, const QPen& pen, const FigureStyle& style) {
    QList<double> x;
    QList<double> y;
    for (qsizetype i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
        if (m_xScale.contains(curve.x[i]) && m_yScale.contains(curve.y[i])) {
            x.append(curve.x[i]);
            y.append(curve.y[i]);
            if (x.size() > 64) {
                return;
            }
        }
    }
    // Dots are drawn only if they are far enough apart not to merge.
    if (x.isEmpty() || m_xScale.toDevice(x.last()) - m_xScale.toDevice(x.first()) <
                           static_cast<double>(x.size() - 1) * style.units(9)) {
        return;
    }
    QCPGraph* dots = nextGraph();
    dots->setLineStyle(QCPGraph::lsNone);
    const double size = std::max(pen.widthF() * 2.6, style.units(2.6));
    dots->setScatterStyle(scatterOf(style.pointsOf(curve, size)));
    dots->setPen(QPen(pen.color()));
    dots->setData(x, y, true);
}

std::optional<double> FigureCurves::distanceTo(std::size_t curve, const QPointF& at) const {
    if (curve >= static_cast<std::size_t>(m_lines.size())) {
        return std::nullopt;
    }
    const Polyline& line = m_lines[static_cast<qsizetype>(curve)];
    std::optional<double> nearest;
    std::optional<QPointF> previous;
    for (qsizetype i = 0; i < line.x.size(); ++i) {
        const QPointF here(m_xScale.toDevice(line.x[i]), m_yScale.toDevice(line.y[i]));
        if (!std::isfinite(here.y())) {
            previous.reset();
            continue;
        }
        const QPointF from = previous.value_or(here);
        const QPointF along = here - from;
        const double length = QPointF::dotProduct(along, along);
        const double fraction = length > 0 ? std::clamp(QPointF::dotProduct(at - from, along) / length, 0.0, 1.0) : 0.0;
        const QPointF off = at - (from + along * fraction);
        const double distance = std::hypot(off.x(), off.y());
        nearest = std::min(nearest.value_or(distance), distance);
        previous = here;
    }
    return nearest;
}

}  // namespace ropelab::ui
