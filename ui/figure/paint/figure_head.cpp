#include "ui/figure/paint/figure_head.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <utility>

namespace ropelab::ui {
namespace {

// Sizes in points.
constexpr double kHeadGap = 5;
constexpr double kMaxNoteFraction = 0.3;         // of the plot's height
constexpr double kMaxPrintedNoteFraction = 0.5;  // on paper, where nobody can look up the rest
constexpr double kSampleWidth = 14;              // width of the sample of a legend entry
constexpr double kEntryGap = 14;                 // distance of two legend entries

/// A single point has its label beside it instead.
bool isInLegend(const FigureCurve& curve) {
    const bool isLine = curve.shape == FigureCurve::Shape::line;
    const bool hasOwnLabel =
        isLine ? !curve.companion || curve.isNamed : curve.shape == FigureCurve::Shape::points && curve.x.size() == 1;
    return !curve.label.isEmpty() && !curve.x.isEmpty() && !hasOwnLabel;
}

}  // namespace

QStringList wrapped(const QString& words, const QFontMetricsF& metrics, double width, int most) {
    QStringList lines;
    QString line;
    const QStringList all = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (qsizetype i = 0; i < all.size(); ++i) {
        const QString longer = line.isEmpty() ? all[i] : line + QLatin1Char(' ') + all[i];
        if (line.isEmpty() || metrics.horizontalAdvance(longer) <= width) {
            line = longer;
            continue;
        }
        if (lines.size() + 1 == most) {
            line += QLatin1Char(' ') + all.mid(i).join(QLatin1Char(' '));
            break;
        }
        lines.append(line);
        line = all[i];
    }
    lines.append(line);
    for (QString& each : lines) {
        each = metrics.elidedText(each, Qt::ElideRight, width);
    }
    return lines;
}

FigureHead::FigureHead(const Figure& figure, const FigureStyle& style, const QSizeF& plot) : m_style(style) {
    if (figure.drawing) {
        return;
    }
    m_title = figure.y.title();
    m_key = figure.map ? figure.map->title() : QString();
    m_note = figure.note;
    const QFontMetricsF quiet(style.font(style.tickPt));
    const double edge = style.units(kHeadGap);
    const double between = style.units(3 * kHeadGap);
    const double title = QFontMetricsF(style.font(style.labelPt)).horizontalAdvance(m_title);
    const double key = m_key.isEmpty() ? 0 : between + quiet.horizontalAdvance(m_key);
    const double space = plot.width() - 2 * edge - title - between - key;
    if (!m_note.isEmpty() && quiet.horizontalAdvance(m_note) > space) {
        const double fraction = style.onScreen ? kMaxNoteFraction : kMaxPrintedNoteFraction;
        const int most = std::max(1, static_cast<int>(fraction * plot.height() / quiet.lineSpacing()));
        m_below = wrapped(m_note, quiet, plot.width() - 2 * edge, most);
    }
    if (hasLabelledBlank(figure)) {
        FigureCurve blank;
        blank.label = figure.map->blankLabel;
        m_legend.append(QList<Entry>{Entry{blank, 0, true}});
    } else if (figure.hasLegend) {
        addLegend(figure, plot.width() - 2 * edge);
    }
}

void FigureHead::addLegend(const Figure& figure, double width) {
    QList<FigureCurve> entries;
    for (const FigureCurve& curve : figure.curves) {
        if (isInLegend(curve)) {
            FigureCurve sample = curve;
            sample.x.clear();
            sample.y.clear();
            sample.raw.clear();
            entries.append(sample);
        }
    }
    if (entries.size() < 2) {
        return;
    }
    const QFontMetricsF metrics(m_style.font(m_style.tickPt));
    double left = 0;
    for (const FigureCurve& curve : std::as_const(entries)) {
        const double needed = m_style.units(kSampleWidth + kHeadGap) + metrics.horizontalAdvance(curve.label);
        if (m_legend.isEmpty() || (left > 0 && left + needed > width)) {
            m_legend.append(QList<Entry>());
            left = 0;
        }
        m_legend.last().append({curve, left, false});
        left += needed + m_style.units(kEntryGap);
    }
}

QStringList FigureHead::legendTexts() const {
    QStringList texts;
    for (const QList<Entry>& line : m_legend) {
        for (const Entry& entry : line) texts.append(entry.curve.label);
    }
    return texts;
}

void FigureHead::drawLegend(QPainter& painter, double top) const {
    const QFontMetricsF metrics(m_style.font(m_style.tickPt));
    const double sample = m_style.units(kSampleWidth);
    for (const QList<Entry>& line : m_legend) {
        const double middle = top + metrics.lineSpacing() / 2;
        for (const Entry& entry : line) {
            const double left = m_style.units(kHeadGap) + entry.left;
            const QPen pen = m_style.penOf(entry.curve);
            if (entry.isBlank) {
                painter.fillRect(QRectF(left, top + metrics.lineSpacing() / 4, sample, metrics.lineSpacing() / 2),
                                 m_style.blankColor());
            } else if (entry.curve.shape == FigureCurve::Shape::line) {
                painter.setPen(pen);
                painter.drawLine(QPointF(left, middle), QPointF(left + sample, middle));
            } else {
                const bool isBar = entry.curve.shape == FigureCurve::Shape::bars;
                const auto look = m_style.pointsOf(entry.curve, m_style.units(entry.curve.pointPt));
                painter.setPen(isBar ? QPen(Qt::NoPen) : look.pen);
                painter.setBrush(isBar ? QBrush(pen.color()) : look.brush);
                const double radius = look.diameter / 2;
                const QPointF centre(left + sample / 2, middle);
                if (!isBar) {
                    painter.drawEllipse(centre, radius, radius);
                } else {
                    painter.drawRect(QRectF(left + sample / 4, top + metrics.lineSpacing() / 4, sample / 2,
                                            metrics.lineSpacing() / 2));
                }
                painter.setBrush(Qt::NoBrush);
            }
            painter.setPen(m_style.theme.text);
            painter.drawText(
                QPointF(left + sample + m_style.units(kHeadGap), middle + (metrics.ascent() - metrics.descent()) / 2),
                entry.curve.label);
        }
        top += metrics.lineSpacing();
    }
}

void FigureHead::draw(QPainter& painter, const QRectF& axes, const QRectF& plot) const {
    const QFont font = m_style.font(m_style.labelPt);
    const QFont small = m_style.font(m_style.tickPt);
    const QFontMetricsF metrics(font);
    const QFontMetricsF quiet(small);
    const double left = m_style.units(kHeadGap);
    const double right = plot.width() - m_style.units(kHeadGap);
    const double base = axes.top() - m_style.units(8) - metrics.descent();
    // In a short row, the colour bar's title and the axis title share the space.
    const double row = right - left - m_style.units(kHeadGap);
    const double title = metrics.horizontalAdvance(m_title);
    const double keyWidth =
        m_key.isEmpty() ? 0 : std::min(quiet.horizontalAdvance(m_key), std::max(row / 2, row - title));
    painter.setFont(m_style.fitting(font, m_title, row - keyWidth));
    painter.setPen(m_style.theme.text);
    painter.drawText(QPointF(left, base),
                     QFontMetricsF(painter.font()).elidedText(m_title, Qt::ElideRight, row - keyWidth));
    painter.setFont(small);
    if (!m_key.isEmpty()) {
        painter.setFont(m_style.fitting(small, m_key, keyWidth));
        const QFontMetricsF fitted(painter.font());
        const QString key = fitted.elidedText(m_key, Qt::ElideRight, keyWidth);
        // Beside narrow axes, it begins above the colour bar.
        const double first = std::max(axes.right() + m_style.units(kHeadGap), left + title + m_style.units(kHeadGap));
        painter.drawText(QPointF(std::min(first, right - fitted.horizontalAdvance(key)), base), key);
        painter.setFont(small);
    }
    const double spacing = quiet.lineSpacing();
    drawLegend(painter, plot.bottom() - m_style.units(2) - static_cast<double>(linesBelow()) * spacing);
    painter.setPen(m_style.theme.quietText);
    if (m_below.isEmpty()) {
        painter.drawText(QPointF(left + title + m_style.units(3 * kHeadGap), base), m_note);
        return;
    }
    double line =
        plot.bottom() - m_style.units(2) - quiet.descent() - static_cast<double>(m_below.size() - 1) * spacing;
    for (const QString& words : m_below) {
        painter.drawText(QPointF(left, line), words);
        line += spacing;
    }
}

}  // namespace ropelab::ui
