#include "ui/rooms/train/figures/setting_strips.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/figure/text_metrics.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// In points.
constexpr double kLeastWidth = 84;
constexpr double kLeastHeight = 26;  // of a name and its bars
constexpr double kGap = 12;
constexpr double kLeastBar = 3;  // narrower bars merge, so more points are a line
constexpr double kWidestBar = 24;
constexpr double kTall = 90;  // height of a strip that names the ends of its x axis

struct Strip {
    QString name;
    Ink ink;
    QList<double> x;
    QList<double> y;
    Range range;
};

/// The height of a value in its strip, 0 to 1; NaN if it has none.
double heightOf(double y, const Strip& strip, bool isLogarithmic) {
    const auto at = [&](double value) { return isLogarithmic ? std::log10(value) : value; };
    const double part = (at(y) - at(strip.range.minimum)) / (at(strip.range.maximum) - at(strip.range.minimum));
    return std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : std::nan("");
}

std::vector<Strip> stripsIn(const Figure& figure, Ink rowInk) {
    std::vector<Strip> strips;
    for (const FigureCurve& curve : figure.curves) {
        if (!curve.companion && !curve.x.isEmpty()) strips.push_back({curve.label, curve.ink, curve.x, curve.y, {}});
    }
    if (const auto& map = figure.map) {
        for (int row = 0; row < map->rows; ++row) {
            const QString number = figure.y.categories.value(row, QString::number(map->yFirst + row * map->yStep));
            Strip strip{u"%1 %2"_s.arg(figure.y.label, number), rowInk, {}, {}, {}};
            for (int column = 0; column < map->columns; ++column) {
                strip.x.append(map->xFirst + column * map->xStep);
                strip.y.append(static_cast<double>(map->values[qsizetype(row) * map->columns + column]));
            }
            strips.push_back(std::move(strip));
        }
    }
    for (Strip& strip : strips) {
        double low = std::numeric_limits<double>::infinity();
        double high = -low;
        for (const double y : strip.y) {
            if (!std::isfinite(y) || (figure.y.logarithmic && y <= 0)) continue;
            low = std::min(low, y);
            high = std::max(high, y);
        }
        // A logarithmic strip of one value, such as the first step of a curve, still has a height.
        strip.range = figure.y.logarithmic ? Range{low / 1.5, high} : Range{std::min(0.0, low), std::max(0.0, high)};
    }
    return strips;
}

struct Grid {
    Grid(const QRectF& rect, qsizetype count, const FigureStyle& style)
        : m_rect(rect), m_gap(style.units(kGap)), m_title(style.extentOf(u"θ"_s, style.tickPt)) {
        const double width = rect.width() + m_gap;
        m_columns = std::clamp<qsizetype>(static_cast<qsizetype>(width / (style.units(kLeastWidth) + m_gap)), 1,
                                          std::max<qsizetype>(1, count));
        const qsizetype most =
            std::max<qsizetype>(1, static_cast<qsizetype>(rect.height() / style.units(kLeastHeight)));
        const qsizetype rows = std::min(most, (count + m_columns - 1) / m_columns);
        m_cell = {width / static_cast<double>(m_columns), rect.height() / static_cast<double>(rows)};
        m_shown = count <= rows * m_columns ? count : rows * m_columns - 1;
        m_isTall = m_cell.height() >= style.units(kTall);
    }
    /// Of the strips; where not all fit, a cell is left for the number of the others.
    qsizetype shown() const { return m_shown; }
    QRectF cell(qsizetype i) const {
        return {m_rect.left() + static_cast<double>(i % m_columns) * m_cell.width(),
                m_rect.top() + static_cast<double>(i / m_columns) * m_cell.height(), m_cell.width() - m_gap,
                m_cell.height()};
    }
    /// Below the name.
    QRectF bars(qsizetype i) const {
        const double line = isTall() ? m_title.ascent + m_title.descent : 0;
        return cell(i).adjusted(0, m_title.ascent + 1.5 * m_title.descent + line, 0, -m_title.descent - line);
    }
    bool isTall() const { return m_isTall; }

 private:
    QRectF m_rect;
    double m_gap;
    FigureStyle::TextExtent m_title;
    qsizetype m_columns = 1;
    qsizetype m_shown = 0;
    bool m_isTall = false;
    QSizeF m_cell;
};

double barStep(const Strip& strip, const QRectF& bars, const FigureStyle& style) {
    return std::min(bars.width() / static_cast<double>(strip.x.size()), style.units(kWidestBar));
}

void paintStrip(QPainter& painter, const Strip& strip, const Figure& figure, const QRectF& cell, const QRectF& bars,
                const FigureStyle& style) {
    const QFont font = style.font(style.tickPt);
    painter.setFont(font);
    const TextMetrics metrics(font);
    const QString most = strip.range.maximum > strip.range.minimum
                             ? u"tallest bar %1 %2"_s.arg(readableNumber(strip.range.maximum), figure.y.unit).trimmed()
                             : QString();
    const double baseline = cell.top() + metrics.ascent();
    const double mostWidth = metrics.horizontalAdvance(most);
    const QString name = metrics.elidedText(strip.name, Qt::ElideRight, cell.width());
    painter.setPen(style.theme.text);
    painter.drawText(QPointF(cell.left(), baseline), name);
    const bool isBelow = bars.top() - cell.top() > 2 * metrics.ascent();
    if (isBelow) {
        painter.setPen(style.theme.quietText);
        painter.drawText(QPointF(cell.left(), baseline + metrics.height()), most);
    } else if (metrics.horizontalAdvance(name) + mostWidth + style.units(6) <= cell.width()) {
        painter.setPen(style.theme.quietText);
        painter.drawText(QPointF(cell.right() - mostWidth, baseline), most);
    }
    painter.setPen(QPen(style.theme.hairline, style.units(style.hairPt)));
    painter.drawLine(bars.bottomLeft(), bars.bottomRight());
    const QColor color = style.colorOf(strip.ink);
    const double step = barStep(strip, bars, style);
    const auto y = [&](qsizetype i) {
        return bars.bottom() - bars.height() * heightOf(strip.y[i], strip, figure.y.logarithmic);
    };
    if (step < style.units(kLeastBar)) {
        QPolygonF line;
        for (qsizetype i = 0; i < strip.x.size(); ++i) {
            if (std::isfinite(y(i))) line.append({bars.left() + (static_cast<double>(i) + 0.5) * step, y(i)});
        }
        painter.setPen(QPen(color, style.units(style.linePt)));
        painter.drawPolyline(line);
        return;
    }
    for (qsizetype i = 0; i < strip.x.size(); ++i) {
        if (!std::isfinite(y(i))) continue;
        painter.fillRect(QRectF(QPointF(bars.left() + static_cast<double>(i) * step, y(i)),
                                QSizeF(0.75 * step, bars.bottom() - y(i))),
                         color);
    }
}

/// From the first to the last x, below the bars.
void paintEnds(QPainter& painter, const Strip& strip, const Figure& figure, const QRectF& cell, const QRectF& bars,
               const FigureStyle& style) {
    const QString first = readableCount(strip.x.first());
    const QString ends = strip.x.size() < 2 ? first : u"%1 … %2"_s.arg(first, readableCount(strip.x.last()));
    painter.setPen(style.theme.quietText);
    painter.drawText(QRectF(bars.left(), bars.bottom(), cell.width(), cell.bottom() - bars.bottom()),
                     Qt::AlignLeft | Qt::AlignVCenter, u"%1 %2"_s.arg(ends, figure.x.unit).trimmed());
}

}  // namespace

FigureDrawing stripsOf(const Figure& figure, Ink rowInk) {
    return [figure, strips = stripsIn(figure, rowInk)](QPainter& painter, const QRectF& rect,
                                                       const FigureStyle& style) {
        const Grid grid(rect, std::ssize(strips), style);
        painter.save();
        for (qsizetype i = 0; i < grid.shown(); ++i) {
            const Strip& strip = strips[static_cast<std::size_t>(i)];
            paintStrip(painter, strip, figure, grid.cell(i), grid.bars(i), style);
            if (grid.isTall()) paintEnds(painter, strip, figure, grid.cell(i), grid.bars(i), style);
        }
        if (const qsizetype more = std::ssize(strips) - grid.shown(); more > 0) {
            painter.setFont(style.font(style.tickPt));
            painter.setPen(style.theme.quietText);
            painter.drawText(grid.cell(grid.shown()), Qt::AlignLeft | Qt::AlignTop, u"%1 more: Enlarge"_s.arg(more));
        }
        painter.restore();
    };
}

bool areSpectra(const Figure& figure) {
    return figure.x.label == "wavelength"_L1 &&
           std::count_if(figure.curves.begin(), figure.curves.end(),
                         [](const FigureCurve& curve) { return !curve.companion && !curve.x.isEmpty(); }) > 1;
}

QStringList stripWords(const Figure& figure, const QString& title) {
    QStringList notes = figure.note.split(u"; "_s, Qt::SkipEmptyParts);
    std::ranges::stable_partition(notes, [](const QString& note) { return note.startsWith("not shown"_L1); });
    QStringList when = title.split(u"; "_s);
    QStringList words = {u"Bars: %1 by %2"_s.arg(figure.y.label, figure.x.label),
                         when.takeFirst().replace(u"Measured at"_s, u"measured at"_s)};
    words << notes << when << figure.y.unit << u"scaled to the tallest bar"_s << u"lowest at the left"_s;
    words.removeAll(QString());
    return words;
}

QString stripAt(const Figure& figure, const QRectF& rect, const FigureStyle& style, const QPointF& place) {
    const std::vector<Strip> strips = stripsIn(figure, {});
    const Grid grid(rect, std::ssize(strips), style);
    for (qsizetype i = 0; i < grid.shown(); ++i) {
        const Strip& strip = strips[static_cast<std::size_t>(i)];
        const QRectF bars = grid.bars(i);
        if (!grid.cell(i).contains(place)) continue;
        const auto at = static_cast<qsizetype>((place.x() - bars.left()) / barStep(strip, bars, style));
        if (at < 0 || at >= strip.x.size()) return strip.name;
        return u"%1: %2 %3 %4, %5"_s.arg(strip.name, figure.x.label, readableCount(strip.x[at]), figure.x.unit,
                                         u"%1 %2"_s.arg(readableNumber(strip.y[at]), figure.y.unit).trimmed());
    }
    return {};
}

}  // namespace ropelab::ui
