#include "ui/figure/paint/figure_annotations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/figure/paint/figure_backdrop.h"
#include "ui/figure/paint/figure_curves.h"
#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Sizes in points.
constexpr double kNoteGap = 5;
constexpr double kNoteSwatch = 14;
constexpr double kBesideLine = 14;  // space beside the label of a straight line
constexpr double kMaxFractionWithValues = 0.36;
constexpr double kMaxFraction = 0.44;
constexpr double kMaxPrintedFraction = 0.6;  // where a single word of an exported figure is so long
constexpr int kMostLabelLines = 3;
constexpr double kLongestLeader = 0.2;  // inside the axes, as a part of their width
constexpr double kTightest = 0.93;      // distance of labels on paper relative to the usual one

std::optional<qsizetype> lastDrawn(const FigureCurve& curve, const AxisScale& x, const AxisScale& y) {
    std::optional<qsizetype> last;
    bool isBelowTop = false, isAboveBottom = false;
    for (qsizetype i = std::min(curve.x.size(), curve.y.size()) - 1; i >= 0 && !(isBelowTop && isAboveBottom); --i) {
        const double at = y.toDevice(curve.y[i]);
        if (!x.contains(curve.x[i]) || !std::isfinite(at)) continue;
        last = last.value_or(i);
        isBelowTop = isBelowTop || at <= y.length;
        isAboveBottom = isAboveBottom || at >= 0;
    }
    return isBelowTop && isAboveBottom ? last : std::nullopt;  // none for a curve that is outside of the axes
}

/// A map has a colour bar in the place of the end labels.
bool isLabelAtEnd(const FigureLine& line, const Figure& figure) {
    return line.labelAtEnd && !line.label.isEmpty() && !figure.map && !line.isInLegend;
}

}  // namespace

FigureAnnotations::FigureAnnotations(QCustomPlot* plot, const QString& layer) : QCPLayerable(plot, layer) {}

FigureAnnotations::EndMargin FigureAnnotations::endLabelMargin(const Figure& figure, const FigureStyle& style,
                                                               double plotWidth) {
    const TextMetrics metrics(style.font(style.tickPt));
    double label = 0;
    double value = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (!isLabelledAtEnd(figure, curve)) {
            continue;
        }
        label = std::max(label, metrics.horizontalAdvance(curve.label));
        for (qsizetype i = curve.y.size() - 1; i >= 0; --i) {
            if (std::isfinite(curve.y[i]) && (!figure.y.logarithmic || curve.y[i] > 0)) {
                value = std::max(value, metrics.horizontalAdvance(readableCount(curve.y[i])));
                break;
            }
        }
    }
    double lineLabel = 0;
    for (const FigureLine& line : figure.horizontalLines) {
        lineLabel = isLabelAtEnd(line, figure) ? std::max(lineLabel, metrics.horizontalAdvance(line.label)) : lineLabel;
    }
    const double colorBar = FigureBackdrop::colorBarWidth(figure, style);
    if ((label == 0 && lineLabel == 0) || colorBar > 0) {
        return {std::max(colorBar, style.units(3 * kNoteGap)), false};
    }
    const double line = lineLabel > 0 ? lineLabel + style.units(kBesideLine) : 0;
    const double withoutValue = label > 0 ? label + style.units(3.6 * kNoteGap + kNoteSwatch) : 0;
    const double withValue = withoutValue + (label > 0 ? value + style.units(1.4 * kNoteGap) : 0);
    if (std::max(line, withValue) <= plotWidth * kMaxFractionWithValues) {
        return {std::max(line, withValue), label > 0};
    }
    double most = plotWidth * kMaxFraction;
    if (!style.onScreen) {  // an exported label is broken into lines instead of shortened, so each word has its space
        double word = 0;
        const auto add = [&](const QString& text, double beside) {
            for (const QString& each : text.split(QLatin1Char(' '))) {
                word = std::max(word, metrics.horizontalAdvance(each) + beside);
            }
        };
        for (const FigureCurve& curve : figure.curves) {
            if (isLabelledAtEnd(figure, curve)) add(curve.label, style.units(3.6 * kNoteGap + kNoteSwatch));
        }
        for (const FigureLine& each : figure.horizontalLines) {
            if (isLabelAtEnd(each, figure)) add(each.label, style.units(kBesideLine));
        }
        most = std::clamp(word, most, plotWidth * kMaxPrintedFraction);
    }
    return {std::min(std::max(line, withoutValue), most), false};
}

void FigureAnnotations::set(const Figure& figure, const FigureStyle& style, const AxisScale& x, const AxisScale& y,
                            const QList<Polyline>& drawn, bool hasRowAbove) {
    m_style = style;
    m_head = FigureHead(figure, style, mParentPlot->viewport().size());
    m_emptyText = isEmpty(figure) ? figure.emptyText : QString();
    m_showsValues = endLabelMargin(figure, style, mParentPlot->viewport().width()).values;
    m_vertical = figure.verticalLines;
    m_horizontal = figure.horizontalLines;
    m_hasRows = !figure.y.categories.isEmpty();
    m_hasBars = std::ranges::count(figure.curves, FigureCurve::Shape::bars, &FigureCurve::shape) > 0;
    m_x = x;
    m_y = y;
    m_ends.clear();
    m_labels = FigureLabels(style, x, y, hasRowAbove);
    if (figure.drawing) {
        m_vertical.clear();
        m_horizontal.clear();
        return;
    }
    if (figure.map) {  // the colour bar replaces the end labels
        placeLabels(figure, {});
        return;
    }
    for (const FigureCurve& curve : figure.curves) {
        const auto last = isLabelledAtEnd(figure, curve) ? lastDrawn(curve, x, y) : std::nullopt;
        if (last) {
            const QPointF end(std::clamp(x.toDevice(curve.x[*last]), 0.0, x.length),
                              std::clamp(y.toDevice(curve.y[*last]), 0.0, y.length));
            m_ends.append({curve.label, readableCount(curve.y[*last]), end, style.penOf(curve),
                           curve.emphasis == FigureCurve::Emphasis::dimmed, false,
                           end.x() >= (1 - kLongestLeader) * x.length && y.contains(curve.y[*last])});
        }
    }
    for (FigureLine& line : m_horizontal) {
        if (isLabelAtEnd(line, figure) && y.contains(line.at)) {
            m_ends.append(
                {line.label, {}, {x.length, y.toDevice(line.at)}, QPen(style.colorOf(line.ink)), false, true});
            line.label.clear();
        }
    }
    placeLabels(figure, drawn);
    // Sorted from top to bottom; curves with equal ends keep the figure's order.
    std::stable_sort(m_ends.begin(), m_ends.end(),
                     [](const EndLabel& a, const EndLabel& b) { return a.end.y() > b.end.y(); });
}

void FigureAnnotations::placeLabels(const Figure& figure, const QList<Polyline>& drawn) {
    const QRectF box = emptyTextBox(QRectF(0, 0, m_x.length, m_y.length));
    if (!box.isEmpty()) m_labels.occupy(box);
    QList<FigureLabels::Point> points;
    for (qsizetype i = 0; i < drawn.size(); ++i) {
        const FigureCurve& curve = figure.curves[static_cast<std::size_t>(i)];
        if (curve.shape == FigureCurve::Shape::points && !curve.label.isEmpty() && curve.x.size() == 1 &&
            m_x.contains(curve.x.first()) && m_y.contains(curve.y.first())) {
            points.append({curve.label,
                           {m_x.toDevice(curve.x.first()), m_y.length - m_y.toDevice(curve.y.first())},
                           m_style.units(curve.pointPt / 2),
                           curve.emphasis == FigureCurve::Emphasis::picked,
                           curve.companion});
        }
    }
    const auto hasLabel = [](const FigureLine& line) { return !line.label.isEmpty() && !line.isInLegend; };
    // On paper, no label covers data; all of a map is data.
    if (figure.map && !m_style.onScreen) m_labels.occupy(QRectF(0, 0, m_x.length, m_y.length));
    if (points.isEmpty() && std::none_of(m_vertical.begin(), m_vertical.end(), hasLabel) &&
        std::none_of(m_horizontal.begin(), m_horizontal.end(), hasLabel)) {
        return;
    }
    for (qsizetype i = 0; i < drawn.size(); ++i) {
        const FigureCurve& curve = figure.curves[static_cast<std::size_t>(i)];
        const bool isLine = curve.shape == FigureCurve::Shape::line;
        m_labels.addCurve(drawn[i], isLine ? std::nullopt : std::optional(m_style.units(curve.pointPt / 2)));
    }
    for (const FigureBand& band : figure.bands) {
        if (m_style.onScreen) break;
        Polyline hatching;  // as dense as its points, so that no label has space in it
        for (qsizetype i = 0; i < band.x.size(); ++i) {
            hatching.x.append({band.x[i], band.x[i], band.x[i]});
            hatching.y.append({band.lower[i], band.upper[i], std::numeric_limits<double>::quiet_NaN()});
        }
        m_labels.addCurve(hatching, std::nullopt);
    }
    for (const FigureCurve& curve : figure.curves) {
        if (curve.shape != FigureCurve::Shape::bars || m_y.logarithmic) continue;
        const double half = halfBarOf(curve);
        for (qsizetype i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
            const QPointF top(m_x.toDevice(curve.x[i] - half), m_y.length - m_y.toDevice(curve.y[i]));
            const QPointF foot(m_x.toDevice(curve.x[i] + half), m_y.length - m_y.toDevice(0));
            if (std::isfinite(top.y())) m_labels.addBar(QRectF(top, foot).normalized());
        }
    }
    m_labels.placeLines(m_vertical, m_horizontal);
    // The labels of picked points are placed first.
    std::stable_partition(points.begin(), points.end(), [](const auto& point) { return point.isPicked; });
    m_labels.placePoints(points);
}

QStringList FigureAnnotations::namesWithoutSpace() const {
    QStringList names = m_labels.omittedPoints();
    names.removeIf([](QString name) {  // a number of the note would look like another value
        bool isValue = false;
        name.remove(u',').toDouble(&isValue);
        return isValue;
    });
    return names;
}

QList<QRectF> FigureAnnotations::labelBoxes() const {
    const QPointF corner = QRectF(mParentPlot->axisRect()->rect()).topLeft();
    QList<QRectF> boxes;
    for (const QRectF& box : m_labels.boxes()) boxes.append(box.translated(corner));
    return boxes;
}

void FigureAnnotations::draw(QCPPainter* painter) {
    const QRectF axes(mParentPlot->axisRect()->rect());
    m_head.draw(*painter, axes.adjusted(0, -m_labels.heightAbove(), 0, 0), QRectF(mParentPlot->viewport()));
    if (m_hasBars) drawLines(painter);
    drawEmptyText(painter, axes);
    drawLabels(painter, axes);
    drawEndLabels(painter, axes);
}

// Centred above the middle, where the only horizontal line of an empty figure stands.
QRectF FigureAnnotations::emptyTextPlace(const QRectF& axes) {
    return {axes.topLeft(), QSizeF(axes.width(), 0.7 * axes.height())};
}

QRectF FigureAnnotations::emptyTextBox(const QRectF& axes) const {
    if (m_emptyText.isEmpty()) {
        return {};
    }
    const TextMetrics metrics(m_style.font(m_style.labelPt));
    return metrics.boundingRect(emptyTextPlace(axes), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
}

void FigureAnnotations::drawEmptyText(QCPPainter* painter, const QRectF& axes) const {
    const QRectF box = emptyTextBox(axes);
    if (box.isEmpty()) {
        return;
    }
    const double edge = m_style.units(2);
    painter->setFont(m_style.font(m_style.labelPt));
    painter->fillRect(box.adjusted(-edge, -edge, edge, edge), m_style.theme.paper);
    painter->setPen(m_style.theme.quietText);
    painter->drawText(emptyTextPlace(axes), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
}

void FigureAnnotations::drawLines(QCPPainter* painter) const {
    const QRectF axes(mParentPlot->axisRect()->rect());
    QList<QPen> pens = linePens(m_style, m_horizontal);
    for (const FigureLine& line : m_horizontal) {
        painter->setPen(pens.takeFirst());
        // A row has its line of the grid: a dashed one would look like an interval.
        if (m_hasRows && line.ink.kind == Ink::Kind::quiet) continue;
        const double y = axes.bottom() - m_y.toDevice(line.at);
        if (m_y.contains(line.at) && std::isfinite(y)) {
            painter->drawLine(QPointF(axes.left(), y), QPointF(axes.right(), y));
        }
    }
    pens = linePens(m_style, m_vertical);
    for (const FigureLine& line : m_vertical) {
        painter->setPen(pens.takeFirst());
        const double x = axes.left() + m_x.toDevice(line.at);
        if (m_x.contains(line.at) && std::isfinite(x)) {
            painter->drawLine(QPointF(x, axes.top()), QPointF(x, axes.bottom()));
        }
    }
}

void FigureAnnotations::drawLabels(QCPPainter* painter, const QRectF& axes) const {
    for (const FigureLabels::Placed& label : m_labels.placed()) {
        QFont font = m_style.font(m_style.tickPt);
        font.setWeight(label.isBold ? QFont::DemiBold : font.weight());
        const QRectF box = label.box.translated(axes.topLeft());
        // A background behind the label covers curves; on paper, where labels avoid data, it covers the grid only.
        QColor paper = m_style.theme.paper;
        paper.setAlphaF(0.8F);
        const double edge = m_style.onScreen ? m_style.units(2) : 0;
        painter->fillRect(box.adjusted(-edge, 0, edge, 0), paper);
        painter->setFont(font);
        painter->setPen(label.ink);
        painter->drawText(QPointF(box.left(), box.top() + TextMetrics(font).ascent()), label.text);
        if (label.leader) {
            painter->setPen(QPen(label.ink, m_style.units(m_style.hairPt)));
            painter->drawLine(label.leader->translated(axes.topLeft()));
        }
    }
}

double FigureAnnotations::endValuesWidth() const {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    double width = 0;
    for (const EndLabel& each : m_ends) {  // straight lines have no value here: their labels contain it
        width = std::max(width, metrics.horizontalAdvance(each.value));
    }
    return m_showsValues ? width : 0;
}

double FigureAnnotations::widthOf(const EndLabel& each, const QRectF& axes) const {
    const double values = each.isLine ? 0 : endValuesWidth();
    const double swatch = axes.right() + m_style.units(kNoteGap * 1.2);
    const double left = each.isLine ? swatch : swatch + m_style.units(kNoteSwatch + kNoteGap * 0.8);
    return mParentPlot->viewport().right() - m_style.units(kNoteGap) - left -
           (values > 0 ? values + m_style.units(kNoteGap) : 0);
}

int FigureAnnotations::linesOfEndLabels(const QRectF& axes) const {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    qsizetype most = 1;
    for (const EndLabel& each : m_ends) {
        if (m_style.onScreen) break;
        most = std::max(most, wrapped(each.label, metrics, widthOf(each, axes), kMostLabelLines).size());
    }
    return static_cast<int>(most);
}

double FigureAnnotations::distanceOfEnds() const {
    constexpr double lines = 1.05;
    constexpr double rows = 0.7;  // where the names of many rows have tight rows, the labels of the rows have them too
    return m_hasRows && !m_style.onScreen ? rows : lines;
}

double FigureAnnotations::endLabelsHeight() const {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    const int lines = linesOfEndLabels(mParentPlot->axisRect()->rect());
    return metrics.height() *
           (distanceOfEnds() * lines * static_cast<double>(std::max<qsizetype>(0, m_ends.size() - 1)) + 0.35);
}

void FigureAnnotations::drawEndLabels(QCPPainter* painter, const QRectF& axes) const {
    if (m_ends.isEmpty()) {
        return;
    }
    const QFont font = m_style.font(m_style.tickPt);
    const TextMetrics metrics(font);
    const double top = axes.top();
    const double last = std::max(top, axes.bottom() - metrics.height() * 0.3);
    const double right = mParentPlot->viewport().right() - m_style.units(kNoteGap);
    const double swatch = axes.right() + m_style.units(kNoteGap * 1.2);
    const double besideSwatch = swatch + m_style.units(kNoteSwatch + kNoteGap * 0.8);
    const auto rowsOf = [&](double gap) {
        return std::max<qsizetype>(1, static_cast<qsizetype>((last - top) / gap) + 1);
    };
    // Labels on paper are broken into lines if there is space for them, and shortened otherwise.
    double gap = metrics.height() * distanceOfEnds();
    int mostLines = linesOfEndLabels(axes);
    if (rowsOf(gap * mostLines) < m_ends.size()) mostLines = 1;
    gap *= mostLines;
    // At a low resolution, letters are wider by a part of a pixel than where the height of the page was computed.
    if (const auto others = static_cast<double>(m_ends.size() - 1); others * gap > last - top) {
        const double tight = 0.9999 * (last - top) / std::max(others, 1.0);
        gap = !m_style.onScreen && tight > kTightest * gap ? tight : gap;
    }

    // If there is no space for all labels, the highest, the lowest and some between them are drawn, and the last row
    // states the number of the others.
    const auto rows = rowsOf(gap);
    const bool isTight = rows < m_ends.size();
    const qsizetype space = isTight ? std::max<qsizetype>(1, rows - 1) : rows;
    const double bottom = isTight ? std::max(top, last - gap) : last;
    const qsizetype count = std::min(space, m_ends.size());
    QList<EndLabel> shown;
    QList<double> wanted;
    for (qsizetype i = 0; i < count; ++i) {
        shown.append(m_ends[i * (m_ends.size() - 1) / std::max<qsizetype>(1, count - 1)]);
        wanted.append(axes.bottom() - shown.last().end.y());
    }
    const QList<double> places = spread(wanted, gap, top, bottom);

    QStringList labels;
    QList<double> widths;
    for (const EndLabel& each : shown) {
        labels << each.label;
        widths << widthOf(each, axes);
    }
    if (mostLines == 1) labels = labelsWithin(labels, widths, metrics);
    painter->setFont(font);
    const double toBase = (metrics.ascent() - metrics.descent()) / 2;
    if (isTight) {
        painter->setPen(m_style.theme.quietText);
        // Where the labels are short, so is the room beside the swatches.
        QString rest = u"and %1 more"_s.arg(m_ends.size() - shown.size());
        const bool isWide = metrics.horizontalAdvance(rest) > right - besideSwatch;
        if (isWide && metrics.horizontalAdvance(rest) > right - swatch) {
            rest = u"+ %1"_s.arg(m_ends.size() - shown.size());
        }
        painter->drawText(QPointF(isWide ? swatch : besideSwatch, last + toBase), rest);
    }
    for (qsizetype i = 0; i < shown.size(); ++i) {
        const EndLabel& each = shown[i];
        const double y = places[i];
        const QPointF end(axes.left() + each.end.x(), axes.bottom() - each.end.y());

        const double text = each.isLine ? swatch : besideSwatch;

        // Grey and dotted, so that the leader does not look like a part of the curve.
        QColor faint = m_style.theme.quietText;
        faint.setAlphaF(each.dimmed ? 0.2F : 0.6F);
        QPen leader(faint, m_style.units(m_style.hairPt));
        leader.setCapStyle(Qt::FlatCap);
        leader.setDashPattern({1.5, 4});
        painter->setPen(leader);
        if (each.hasLeader && axes.right() - end.x() > m_style.units(1)) {
            painter->drawLine(end, QPointF(axes.right(), end.y()));
        }
        if (each.hasLeader) painter->drawLine(QPointF(axes.right(), end.y()), QPointF(swatch, y));

        if (!each.isLine) {
            painter->setPen(each.pen);
            painter->drawLine(QPointF(swatch, y), QPointF(swatch + m_style.units(kNoteSwatch), y));
        }
        QColor ink = each.isLine ? each.pen.color() : m_style.theme.text;
        ink.setAlphaF(each.dimmed ? 0.65F : 1.0F);  // 4.5:1
        painter->setPen(ink);
        const double base = y + toBase;
        const QStringList lines =
            mostLines == 1 ? QStringList(labels[i]) : wrapped(labels[i], metrics, widths[i], mostLines);
        double line = base - metrics.height() * static_cast<double>(lines.size() - 1) / 2;
        for (const QString& words : lines) {
            painter->drawText(QPointF(text, line), words);
            line += metrics.height();
        }
        if (m_showsValues && !each.isLine) {
            painter->drawText(QPointF(right - metrics.horizontalAdvance(each.value), base), each.value);
        }
    }
}

}  // namespace ropelab::ui

#include "moc_figure_annotations.cpp"
