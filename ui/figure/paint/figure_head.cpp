#include "ui/figure/paint/figure_head.h"

#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ui/figure/text_metrics.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

// Sizes in points.
constexpr double kHeadGap = 5;
constexpr double kMaxNoteFraction = 0.3;          // of the plot's height
constexpr double kMaxPrintedNoteFraction = 0.75;  // on paper, where nobody can look up the rest, without …
constexpr int kLinesOfAxes = 5;                   // … the title, the axis names and the legend
constexpr double kSampleWidth = 14;               // width of the sample of a legend entry
constexpr double kEntryGap = 14;                  // distance of two legend entries
constexpr double kLegendGap = 3;                  // between the legend and the note
constexpr int kMostLegendLines = 40;              // of one entry on paper

/// A single point has its label beside it instead.
bool isInLegend(const Figure& figure, const FigureCurve& curve) {
    if (curve.label.isEmpty() || curve.x.isEmpty()) return false;
    const bool isLine = curve.shape == FigureCurve::Shape::line;
    const bool hasOwnLabel =
        isLine ? !curve.companion || curve.isNamed : curve.shape == FigureCurve::Shape::points && curve.x.size() == 1;
    return hasOwnLabel ? isLine && figure.hasNamesBelow : figure.hasLegend;
}

}  // namespace

QStringList wrapped(const QString& words, const TextMetrics& metrics, double width, int most) {
    QStringList lines;
    QString line;
    QStringList all;  // a number stays beside its unit, its sign of comparison and what it numbers, if there is space
    static const QStringList numbered = {u"θ"_s, u"±"_s, u"seed"_s, u"layer"_s, u"head"_s, u"pair"_s, u"step"_s};
    bool isGlued = false;
    bool isNumbered = false;
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const bool joins = word.size() == 1 && u"=<>≤≥≈"_s.contains(word);
        const bool belongs =
            joins || isGlued || (isNumbered && word.front().isDigit()) || word.startsWith(QLatin1Char('%'));
        if (!all.isEmpty() && belongs && metrics.horizontalAdvance(all.last() + QLatin1Char(' ') + word) <= width) {
            all.last() += QLatin1Char(' ') + word;
        } else {
            all << word;
        }
        isGlued = joins;
        isNumbered = numbered.contains(word);
    }
    // Only a line about as wide as the space is measured as a whole, because its letters may be kerned across spaces.
    const double doubt = metrics.height() + 0.02 * width;
    const double space = metrics.horizontalAdvance(QLatin1Char(' '));
    double about = 0;  // width of `line`
    for (qsizetype i = 0; i < all.size(); ++i) {
        const QString longer = line.isEmpty() ? all[i] : line + QLatin1Char(' ') + all[i];
        const double word = metrics.horizontalAdvance(all[i]);
        about += space + word;
        const bool isClear = std::abs(about - width) > doubt;
        if (line.isEmpty() || (isClear ? about : metrics.horizontalAdvance(longer)) <= width) {
            line = longer;
            continue;
        }
        if (lines.size() + 1 == most) {
            line += QLatin1Char(' ') + all.mid(i).join(QLatin1Char(' '));
            break;
        }
        lines.append(line);
        line = all[i];
        about = word;
    }
    lines.append(line);
    for (QString& each : lines) {
        each = metrics.elidedText(each, Qt::ElideRight, width);
    }
    return lines;
}

bool isLabelledAtEnd(const Figure& figure, const FigureCurve& curve) {
    return !curve.label.isEmpty() && (!curve.companion || curve.isNamed) && curve.shape == FigureCurve::Shape::line &&
           !figure.hasNamesBelow;
}

bool isSolidLine(const FigureLine& line) {
    return !line.handle.isEmpty() && line.ink.kind != Ink::Kind::compared;
}

QList<QPen> linePens(const FigureStyle& style, const std::vector<FigureLine>& lines) {
    static const std::array<QList<double>, 4> patterns = {QList<double>{5, 4}, QList<double>{2, 2},
                                                          QList<double>{8, 2.5, 2, 2.5}, QList<double>{10, 5}};
    QList<QPen> pens;
    QList<QColor> inLegend;
    for (const FigureLine& line : lines) {
        const bool isHandle = isSolidLine(line);
        QPen pen(style.colorOf(line.ink), style.units(style.hairPt * (isHandle ? 2 : 1.4)));
        pen.setCapStyle(Qt::FlatCap);
        // Those that only the legend names differ in colour or pattern.
        const auto same = static_cast<std::size_t>(inLegend.count(pen.color()));
        if (!isHandle || !style.onScreen) pen.setDashPattern(patterns[line.isInLegend ? same % patterns.size() : 0]);
        if (line.isInLegend) inLegend << pen.color();
        pens << pen;
    }
    return pens;
}

FigureHead::FigureHead(const Figure& figure, const FigureStyle& style, const QSizeF& plot) : m_style(style) {
    if (figure.drawing) {
        return;
    }
    m_title = figure.y.title();
    m_key = figure.map && figure.map->classes.isEmpty() ? figure.map->title() : QString();
    m_note = figure.note;
    const TextMetrics quiet(style.font(style.tickPt));
    const double edge = style.units(kHeadGap);
    const double between = style.units(3 * kHeadGap);
    const double title = TextMetrics(style.font(style.labelPt)).horizontalAdvance(m_title);
    const double key = m_key.isEmpty() ? 0 : between + quiet.horizontalAdvance(m_key);
    // On paper, where nothing is cut off, a colour bar's title without space is the first sentence of the note.
    const double least = m_key.isEmpty() ? 0 : key * FigureStyle::kLeastPt / std::max(style.tickPt, 1.0);
    if (!style.onScreen && title + least > plot.width() - 2 * edge && title < plot.width() - 2 * edge) {
        m_note = u"colours: %1"_s.arg(std::exchange(m_key, {})) + (m_note.isEmpty() ? QString() : u"; "_s + m_note);
    }
    const double space = plot.width() - 2 * edge - title - between - (m_key.isEmpty() ? 0 : key);
    if (!m_note.isEmpty() && quiet.horizontalAdvance(m_note) > space) {
        const double lines = plot.height() / quiet.lineSpacing();
        const double room = style.onScreen ? kMaxNoteFraction * lines : kMaxPrintedNoteFraction * lines - kLinesOfAxes;
        const int most = std::max(1, static_cast<int>(room));
        m_below = wrapped(m_note, quiet, plot.width() - 2 * edge, most);
    }
    addLegend(entriesOf(figure), plot.width() - 2 * edge);
}

QList<FigureHead::Entry> FigureHead::entriesOf(const Figure& figure) const {
    QList<Entry> entries;
    const auto addColor = [&entries](const QString& label, const QColor& color) {
        Entry entry;
        entry.curve.label = label;
        entry.swatch = color;
        entries.append(entry);
    };
    if (figure.map) {
        for (qsizetype i = 0; i < figure.map->classes.size(); ++i) {
            if (figure.map->values.contains(static_cast<float>(i))) {
                addColor(figure.map->classes[i], m_style.classColor(i));
            }
        }
        if (hasLabelledBlank(figure)) addColor(figure.map->blankLabel, m_style.blankColor());
    }
    qsizetype curves = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (hasLabelledBlank(figure) || !isInLegend(figure, curve)) continue;
        Entry entry{curve};
        if (curve.x.size() == 1) entry.curve.shape = FigureCurve::Shape::points;
        entry.curve.x.clear();
        entry.curve.y.clear();
        entry.curve.raw.clear();
        entries.append(entry);
        ++curves;
    }
    if (curves == 1 && !figure.hasNamesBelow) entries.removeLast();
    for (const auto* lines : {&figure.horizontalLines, &figure.verticalLines}) {
        const QList<QPen> pens = linePens(m_style, *lines);
        for (std::size_t i = 0; i < lines->size(); ++i) {
            const FigureLine& line = (*lines)[i];
            if (!line.isInLegend || line.label.isEmpty()) continue;
            Entry entry;
            entry.curve.label = line.label;
            entry.pen = pens[static_cast<qsizetype>(i)];
            entries.append(entry);
        }
    }
    return entries;
}

void FigureHead::addLegend(const QList<Entry>& entries, double width) {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    const double sample = m_style.units(kSampleWidth + kHeadGap);
    double left = 0;
    for (Entry entry : entries) {
        const double needed = sample + metrics.horizontalAdvance(entry.curve.label);
        if (m_legend.isEmpty() || (left > 0 && left + needed > width)) {
            m_legend.append(QList<Entry>());
            left = 0;
        }
        const QStringList lines = m_style.onScreen || needed <= width
                                      ? QStringList(entry.curve.label)
                                      : wrapped(entry.curve.label, metrics, width - sample, kMostLegendLines);
        entry.left = left;
        for (const QString& words : lines) {
            if (entry.isContinued) m_legend.append(QList<Entry>());
            entry.curve.label = words;
            m_legend.last().append(entry);
            entry.isContinued = true;
        }
        left += needed + m_style.units(kEntryGap);
    }
}

bool FigureHead::hasRowAbove() const {
    return !m_title.isEmpty() || !m_key.isEmpty() || (!m_note.isEmpty() && m_below.isEmpty());
}

double FigureHead::heightBelow() const {
    const bool hasBoth = !m_legend.isEmpty() && !m_below.isEmpty();
    return static_cast<double>(linesBelow()) * TextMetrics(m_style.font(m_style.tickPt)).lineSpacing() +
           (hasBoth ? m_style.units(kLegendGap) : 0);
}

QStringList FigureHead::legendTexts() const {
    QStringList texts;
    for (const QList<Entry>& line : m_legend) {
        for (const Entry& entry : line) texts.append(entry.curve.label);
    }
    return texts;
}

void FigureHead::drawSample(QPainter& painter, const Entry& entry, const QRectF& place) const {
    const QPen pen = entry.pen.style() != Qt::SolidLine ? entry.pen : m_style.penOf(entry.curve);
    const QRectF block = place.adjusted(0, place.height() / 4, 0, -place.height() / 4);
    if (entry.swatch.isValid()) {
        painter.fillRect(block, entry.swatch);
    } else if (entry.curve.shape == FigureCurve::Shape::line) {
        painter.setPen(pen);
        painter.drawLine(QPointF(place.left(), place.center().y()), QPointF(place.right(), place.center().y()));
    } else if (entry.curve.shape == FigureCurve::Shape::bars) {
        painter.fillRect(block.adjusted(block.width() / 4, 0, -block.width() / 4, 0), pen.color());
    } else {
        const auto look = m_style.pointsOf(entry.curve, m_style.units(entry.curve.pointPt));
        painter.setPen(look.pen);
        painter.setBrush(look.brush);
        painter.drawEllipse(place.center(), look.diameter / 2, look.diameter / 2);
        painter.setBrush(Qt::NoBrush);
    }
}

void FigureHead::drawLegend(QPainter& painter, double top) const {
    const TextMetrics metrics(m_style.font(m_style.tickPt));
    const double sample = m_style.units(kSampleWidth);
    for (const QList<Entry>& line : m_legend) {
        const double middle = top + metrics.lineSpacing() / 2;
        for (const Entry& entry : line) {
            const double left = m_style.units(kHeadGap) + entry.left;
            if (!entry.isContinued) drawSample(painter, entry, QRectF(left, top, sample, metrics.lineSpacing()));
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
    const TextMetrics metrics(font);
    const TextMetrics quiet(small);
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
                     TextMetrics(painter.font()).elidedText(m_title, Qt::ElideRight, row - keyWidth));
    painter.setFont(small);
    double noteLeft = left + title + m_style.units(3 * kHeadGap);
    if (!m_key.isEmpty()) {
        painter.setFont(m_style.fitting(small, m_key, keyWidth));
        const TextMetrics fitted(painter.font());
        const QString key = fitted.elidedText(m_key, Qt::ElideRight, keyWidth);
        // Beside narrow axes, it begins above the colour bar.
        const double first = std::max(axes.right() + m_style.units(kHeadGap), left + title + m_style.units(kHeadGap));
        const double last = right - fitted.horizontalAdvance(key);
        double keyLeft = std::min(first, last);
        const double note = quiet.horizontalAdvance(m_note);
        if (m_below.isEmpty() && noteLeft + note > keyLeft) {
            const double after = keyLeft + fitted.horizontalAdvance(key) + m_style.units(3 * kHeadGap);
            // A note that fits on neither side fits in front of a title at the end of the row.
            if (after + note > right)
                keyLeft = last;
            else
                noteLeft = after;
        }
        painter.drawText(QPointF(keyLeft, base), key);
        painter.setFont(small);
    }
    const double spacing = quiet.lineSpacing();
    drawLegend(painter, plot.bottom() - m_style.units(2) - heightBelow());
    painter.setPen(m_style.theme.quietText);
    if (m_below.isEmpty()) {
        painter.drawText(QPointF(noteLeft, base), quiet.elidedText(m_note, Qt::ElideRight, right - noteLeft));
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
