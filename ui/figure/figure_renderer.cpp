#include "ui/figure/figure_renderer.h"

#include <qcustomplot.h>

#include <QFontMetricsF>
#include <QSharedPointer>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/figure/curve_graph.h"
#include "ui/figure/figure_annotations.h"
#include "ui/figure/figure_backdrop.h"

namespace ropelab::ui {
namespace {

/// Our marks on a QCustomPlot axis.
class FigureTicker : public QCPAxisTicker {
 public:
    explicit FigureTicker(Ticks marks) : m_marks(std::move(marks)) {}

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* tickLabels) override {
        ticks.clear();
        QVector<QString> labels;
        for (qsizetype i = 0; i < m_marks.at.size(); ++i) {
            if (range.contains(m_marks.at[i])) {
                ticks.append(m_marks.at[i]);
                labels.append(m_marks.labels[i]);
            }
        }
        if (subTicks != nullptr) {
            subTicks->clear();
            for (const double minor : m_marks.minor) {
                if (range.contains(minor)) {
                    subTicks->append(minor);
                }
            }
        }
        if (tickLabels != nullptr) {
            *tickLabels = labels;
        }
    }

 private:
    Ticks m_marks;
};

/// A column to thin curves by: a pixel on a screen, a quarter of a point on paper, which is finer than its lines.
double columnOf(const FigureStyle& style) {
    return std::max(1.0, style.units(0.25));
}

/// How far a line goes up and down in all, in device units.
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

int rounded(double value) {
    return static_cast<int>(std::lround(value));
}

// Of the plot's size: names of an axis are cut past it.
constexpr double kNameShare = 0.35;

}  // namespace

FigureRenderer::FigureRenderer(QCustomPlot& plot) : m_plot(plot) {
    plot.axisRect()->setAutoMargins(QCP::msNone);
    plot.axisRect()->setMinimumMargins(QMargins(0, 0, 0, 0));
    plot.addLayer(QStringLiteral("annotations"), plot.layer(QStringLiteral("main")));
    // Curves above the axes' base line, words above the curves.
    plot.xAxis->setLayer(QStringLiteral("grid"));
    plot.yAxis->setLayer(QStringLiteral("grid"));
    m_backdrop = new FigureBackdrop(&plot, QStringLiteral("background"));
    m_annotations = new FigureAnnotations(&plot, QStringLiteral("annotations"));
}

QRectF FigureRenderer::axesRect() const {
    return m_plot.axisRect()->rect();
}

const QList<QRectF>& FigureRenderer::labelBoxes() const {
    return m_annotations->labelBoxes();
}

void FigureRenderer::show(const Figure& figure, const FigureStyle& style) {
    const Range x = xRange(figure);
    const Range y = yRange(figure);
    m_xScale = {x.minimum, x.maximum, figure.x.logarithmic, 1};
    m_yScale = {y.minimum, y.maximum, figure.y.logarithmic, 1};
    setMargins(figure, style);
    setAxes(figure, style);
    m_usedGraphs = 0;
    drawBands(figure, style);
    drawCurves(figure, style);
    for (int i = m_usedGraphs; i < m_plot.graphCount(); ++i) {
        m_plot.graph(i)->data()->clear();
        m_plot.graph(i)->setVisible(false);
    }
    m_backdrop->set(figure, style, m_xScale, m_yScale);
    m_annotations->set(figure, style, m_xScale, m_yScale, m_lines);
}

void FigureRenderer::setMargins(const Figure& figure, const FigureStyle& style) {
    const QFontMetricsF tick(style.font(style.tickPt));
    const QFontMetricsF label(style.font(style.labelPt));
    const QRect all = m_plot.viewport();

    const int top = rounded(label.height() + style.units(11));
    const int right = rounded(FigureAnnotations::roomOfEndLabels(figure, style, all.width()).width);
    const QString key = QStringLiteral("%1 %2 %3").arg(figure.y.title()).arg(figure.y.logarithmic).arg(style.unit);
    const bool isSame = key == m_axesKey;
    m_axesKey = key;
    const int note =
        rounded(static_cast<double>(FigureHead(figure, style, all.size()).noteBeneath().size()) * tick.lineSpacing());
    m_noteMargin = isSame ? std::max(m_noteMargin, note) : note;
    if (note == 0) m_noteMargin = 0;
    const double beneath = style.units(8) + (figure.x.label.isEmpty() ? 0 : label.height() + style.units(3)) +
                           m_noteMargin + (m_noteMargin > 0 ? style.units(4) : 0);

    // Names of the x axis may need more height, which the y axis has to know.
    const auto setWidth = [&](int left) {
        m_leftMargin = left;
        m_xScale.length = std::max(1, all.width() - left - right);
        m_xMarks = marksAcross(figure.x, m_xScale, style, left, right, kNameShare * all.height());
    };
    const auto setHeight = [&] {
        const int bottom = rounded(m_xMarks.extent + beneath);
        m_yScale.length = std::max(1, all.height() - top - bottom);
        m_yMarks = marksUp(figure.y, m_yScale, style, kNameShare * all.width());
        return bottom;
    };
    setWidth(m_leftMargin);
    setHeight();
    const double widest = std::max(m_yMarks.extent, tick.horizontalAdvance(QStringLiteral("0.0")));
    const int left = rounded(widest + style.units(12));
    setWidth(isSame ? std::max(m_leftMargin, left) : left);
    const int bottom = setHeight();
    m_plot.axisRect()->setMargins(QMargins(m_leftMargin, top, right, bottom));
}

void FigureRenderer::setAxes(const Figure& figure, const FigureStyle& style) {
    const QPen hairline(style.theme.hairline, style.units(style.hairPt));
    const QPen base(style.theme.quietText, style.units(style.hairPt));
    m_plot.setBackground(QBrush(style.theme.paper));
    m_plot.axisRect()->setBackground(QBrush(Qt::NoBrush));
    struct Part {
        QCPAxis* axis;
        const AxisScale& scale;
        const AxisMarks& marks;
    };
    for (const Part& part : {Part{m_plot.xAxis, m_xScale, m_xMarks}, Part{m_plot.yAxis, m_yScale, m_yMarks}}) {
        QCPAxis* axis = part.axis;
        axis->setScaleType(part.scale.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setRange(part.scale.minimum, part.scale.maximum);
        axis->setTicker(QSharedPointer<FigureTicker>::create(part.marks.ticks));
        axis->setTickLabelRotation(part.marks.upright ? -90 : 0);
        axis->setTickLabelFont(style.font(style.tickPt));
        axis->setTickLabelColor(style.theme.quietText);
        axis->setTickLabelPadding(rounded(style.units(4)));
        axis->setBasePen(axis == m_plot.xAxis ? base : QPen(Qt::NoPen));
        axis->setTickPen(axis == m_plot.xAxis ? base : QPen(Qt::NoPen));
        axis->setSubTickPen(axis == m_plot.xAxis ? base : QPen(Qt::NoPen));
        axis->setTickLength(0, rounded(style.units(3)));
        axis->setSubTickLength(0, rounded(style.units(1.5)));
        axis->grid()->setPen(hairline);
        axis->grid()->setSubGridVisible(false);
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    m_plot.xAxis->setVisible(!figure.drawing);
    m_plot.yAxis->setVisible(!figure.drawing);
    m_plot.xAxis->grid()->setVisible(false);
    const bool empty = isEmpty(figure);
    m_plot.yAxis->grid()->setVisible(!empty && !figure.map && !figure.drawing);
    m_plot.yAxis->setTickLabels(!empty);
    m_plot.xAxis->setTickLabels(!empty || std::isfinite(figure.x.maximum));
    // It stands under the axis's middle.
    const double rightRoom = m_plot.viewport().width() - m_leftMargin - m_xScale.length;
    const double titleRoom = m_xScale.length + 2 * std::min<double>(m_leftMargin, rightRoom) - style.units(4);
    m_plot.xAxis->setLabel(titleWithin(figure.x, style.font(style.labelPt), titleRoom));
    m_plot.xAxis->setLabelFont(style.font(style.labelPt));
    m_plot.xAxis->setLabelColor(style.theme.text);
    m_plot.xAxis->setLabelPadding(rounded(style.units(2)));
}

QCPGraph* FigureRenderer::nextGraph() {
    // A new graph belongs to the plot by itself.
    QCPGraph* graph =
        m_usedGraphs < m_plot.graphCount() ? m_plot.graph(m_usedGraphs) : new CurveGraph(m_plot.xAxis, m_plot.yAxis);
    ++m_usedGraphs;
    graph->setVisible(true);
    graph->setAntialiased(true);
    graph->setAdaptiveSampling(false);  // drawable() did that, and cut at the axes
    graph->setSelectable(QCP::stNone);
    graph->setBrush(Qt::NoBrush);
    graph->setChannelFillGraph(nullptr);
    graph->setScatterStyle(QCPScatterStyle::ssNone);
    graph->setLineStyle(QCPGraph::lsLine);
    return graph;
}

void FigureRenderer::setLine(QCPGraph* graph, const Polyline& line, const QPen& pen, const FigureStyle& style) const {
    graph->setPen(pen);
    // A zigzag that fills its ground is painted one pixel wide, without dashes and smoothed edges: it looks the same,
    // and takes a fraction of the time. A faint line fills it sooner than one that has to stay readable.
    const double climb = style.onScreen ? climbOf(line, m_yScale) / m_xScale.length : 0;
    const bool everyColumn = static_cast<double>(line.x.size()) > 1.2 * m_xScale.length;
    const bool isFaint = pen.color().alphaF() < 0.3F;
    if (pen.style() != Qt::NoPen && climb > (isFaint || everyColumn ? 5 : 25)) {
        graph->setPen(QPen(pen.color(), 1));
        graph->setAntialiased(false);
    }
    graph->setData(line.x, line.y, true);
}

void FigureRenderer::drawBands(const Figure& figure, const FigureStyle& style) {
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
            if (here == column) {  // a column is filled as far as any of its points reaches
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
        fill.setAlphaF(0.15F);
        upper->setBrush(fill);
        upper->setChannelFillGraph(lower);
    }
}

void FigureRenderer::drawCurves(const Figure& figure, const FigureStyle& style) {
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
    // Dimmed ones first, the picked one last.
    for (const auto emphasis :
         {FigureCurve::Emphasis::dimmed, FigureCurve::Emphasis::normal, FigureCurve::Emphasis::picked}) {
        for (std::size_t i = 0; i < figure.curves.size(); ++i) {
            const FigureCurve& curve = figure.curves[i];
            if (curve.emphasis != emphasis) {
                continue;
            }
            if (curve.shape == FigureCurve::Shape::points) {
                setPoints(curve, style);
            } else if (curve.shape == FigureCurve::Shape::bars) {
                setBars(curve, style);
            } else {
                setLine(nextGraph(), m_lines[static_cast<qsizetype>(i)], style.penOf(curve), style);
                if (curve.dots) {
                    setDots(curve, style.penOf(curve), style);
                }
            }
        }
    }
}

void FigureRenderer::setPoints(const FigureCurve& curve, const FigureStyle& style) {
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
    dots->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(Qt::NoPen), QBrush(color), style.units(curve.pointPt)));
    dots->setPen(QPen(color));
    dots->setData(seen.x, seen.y, true);
}

void FigureRenderer::setBars(const FigureCurve& curve, const FigureStyle& style) {
    // One closed outline a bar, cut at the axes: it goes up, across, down, and a gap ends it.
    const qsizetype count = std::min(curve.x.size(), curve.y.size());
    double step = std::numeric_limits<double>::infinity();
    for (qsizetype i = 1; i < count; ++i) {
        step = std::min(step, curve.x[i] - curve.x[i - 1]);
    }
    const double half = 0.38 * (std::isfinite(step) && step > 0 ? step : 1.0);
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

void FigureRenderer::setDots(const FigureCurve& curve, const QPen& pen, const FigureStyle& style) {
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
    // A dot a measurement, where they are so far apart that dots do not merge.
    if (x.isEmpty() || m_xScale.toDevice(x.last()) - m_xScale.toDevice(x.first()) <
                           static_cast<double>(x.size() - 1) * style.units(9)) {
        return;
    }
    QCPGraph* dots = nextGraph();
    dots->setLineStyle(QCPGraph::lsNone);
    const double size = std::max(pen.widthF() * 2.6, style.units(2.6));
    dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(Qt::NoPen), QBrush(pen.color()), size));
    dots->setPen(QPen(pen.color()));
    dots->setData(x, y, true);
}

std::optional<double> FigureRenderer::distanceTo(std::size_t curve, const QPointF& place) const {
    if (curve >= static_cast<std::size_t>(m_lines.size())) {
        return std::nullopt;
    }
    const Polyline& line = m_lines[static_cast<qsizetype>(curve)];
    const QRectF axes = axesRect();
    const QPointF at(place.x() - axes.left(), axes.bottom() - place.y());
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
        const double share = length > 0 ? std::clamp(QPointF::dotProduct(at - from, along) / length, 0.0, 1.0) : 0.0;
        const QPointF off = at - (from + along * share);
        const double distance = std::hypot(off.x(), off.y());
        nearest = std::min(nearest.value_or(distance), distance);
        previous = here;
    }
    return nearest;
}

}  // namespace ropelab::ui
