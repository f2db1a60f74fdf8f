#include "ui/figure/export/pgfplots.h"

#include <QByteArrayList>
#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "ui/figure/export/latex_text.h"
#include "ui/figure/figure_caption.h"
#include "ui/figure/figure_style.h"
#include "ui/figure/paint/axis_marks.h"
#include "ui/figure/paint/figure_curves.h"
#include "ui/figure/polyline.h"
#include "ui/figure/ticks.h"
#include "ui/theme/color_maps.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kLargestMap = 10'000;     // cells; LaTeX's memory is limited
constexpr int kMostMarked = 40;         // a line with more points has no marks
constexpr double kDotPt = 2.6;          // diameter of a mark on a line
constexpr double kColumnsPerPoint = 2;  // resolution to which curves are thinned
constexpr double kBarFraction = 0.76;   // width of a bar relative to the distance of bars
constexpr int kColorSteps = 33;         // colours of a colour scale
constexpr int kXMarks = 6;
constexpr int kYMarks = 5;

QString plain(double value) {
    return std::isnan(value) ? u"nan"_s : QString::fromStdString(number_text(value));
}

QString hexOf(const QColor& color) {
    return color.name().mid(1).toUpper();
}

class PgfplotsWriter {
 public:
    PgfplotsWriter(const Figure& figure, const ExportOptions& options, QString dataFile)
        : m_figure(figure),
          m_options(options),
          m_dataFile(std::move(dataFile)),
          m_style(FigureStyle::print(Theme::of(options.appearance), options.fontPt, 1)),
          m_x(xRange(figure)),
          m_y(yRange(figure)) {
        m_style.dashes = options.dashes;
        const double length = options.widthMm / 25.4 * 72 * kColumnsPerPoint;
        m_xScale = {m_x.minimum, m_x.maximum, figure.x.logarithmic, length};
        m_yScale = {m_y.minimum, m_y.maximum, figure.y.logarithmic, length, figure.y.downwards};
    }

    PgfplotsFiles write() {
        if (m_figure.map) addMap(*m_figure.map);
        for (const FigureBand& band : m_figure.bands) addBand(band);
        for (const FigureCurve& curve : m_figure.curves) addRaw(curve);
        for (const FigureCurve& curve : m_figure.curves) addCurve(curve);
        for (const FigureLine& line : m_figure.verticalLines) addLine(line, true);
        for (const FigureLine& line : m_figure.horizontalLines) addLine(line, false);
        return {head().toUtf8() + m_body.toUtf8() + "\\end{axis}\n\\end{tikzpicture}%\n", table()};
    }

 private:
    QString head() const {
        QString text = u"%% Figure \"%1\", exported by RoPE Lab %2.\n"_s.arg(oneLine(m_figure.name),
                                                                             QCoreApplication::applicationVersion());
        text += u"%% Caption: %1\n"_s.arg(oneLine(latexText(captionOf(m_figure))));
        text +=
            u"%% The preamble of the document needs: \\usepackage{pgfplots} \\pgfplotsset{compat=1.16}\n"
            "%% If %1 is in another folder than the document:\n"
            "%% \\pgfplotsset{table/search path={folder}}\n"_s.arg(m_dataFile);
        text += u"\\begin{tikzpicture}[font=\\fontsize{%1}{%2}\\selectfont]\n"_s.arg(plain(m_options.fontPt),
                                                                                     plain(m_options.fontPt * 1.2));
        text += m_colors + u"\\definecolor{ropelabhairline}{HTML}{%1}\n"_s.arg(hexOf(m_style.theme.hairline));
        text += u"\\begin{axis}[\n  width=%1mm, height=%2mm,\n"_s.arg(plain(m_options.widthMm - outsideMm()),
                                                                      plain(m_options.heightMm));
        text += axisOptions(QLatin1Char('x'), m_figure.x, m_x, kXMarks) +
                axisOptions(QLatin1Char('y'), m_figure.y, m_y, kYMarks);
        text +=
            u"  unbounded coords=jump, axis lines=left, axis line style={-},\n"
            "  ymajorgrids=%1, grid style={color=ropelabhairline, line width=0.5pt},\n"
            "  legend style={draw=none, at={(0.5,-0.28)}, anchor=north, legend columns=2},\n"
            "  legend cell align=left,\n"_s.arg(m_figure.map ? u"false"_s : u"true"_s);
        if (m_labelsOutside) text += u"  clip=false,\n"_s;
        return text + m_axisExtras + u"]\n"_s;
    }

    /// About half the font size per letter, at most half of the figure's width.
    double outsideMm() const {
        const double points = (0.5 * static_cast<double>(m_outsideLetters) + 1) * m_options.fontPt;
        return m_labelsOutside ? std::round(std::min(points * 25.4 / 72, m_options.widthMm / 2)) : 0;
    }

    static QString oneLine(QString text) { return text.replace(QLatin1Char('\n'), QLatin1Char(' ')); }

    static QString axisOptions(QChar which, const Axis& axis, const Range& range, int about) {
        QString text = u"  %1label={%2}, %1min=%3, %1max=%4,"_s.arg(which).arg(
            latexText(axis.title()), plain(range.minimum), plain(range.maximum));
        if (axis.logarithmic) text += u" %1mode=log, log origin=infty,"_s.arg(which);
        if (axis.downwards) text += u" %1 dir=reverse,"_s.arg(which);
        Ticks ticks = customMarks(axis, {range.minimum, range.maximum, axis.logarithmic, 1});
        if (ticks.at.isEmpty()) {
            ticks = ticksOf(range.minimum, range.maximum, axis.logarithmic, about, axis.whole);
        }
        QStringList places;
        for (const double value : std::as_const(ticks.at)) places << plain(value);
        QStringList texts;
        for (const QString& label : std::as_const(ticks.labels))
            texts << QLatin1Char('{') + latexText(label) + QLatin1Char('}');
        return text + u"\n  %1tick={%2}, %1ticklabels={%3}, scaled %1 ticks=false,\n"_s.arg(which).arg(
                          places.join(QLatin1Char(',')), texts.join(QLatin1Char(',')));
    }

    /// Also defines the colour.
    QString colorName(const QColor& color) {
        const QString name = u"ropelab"_s + hexOf(color).toLower();
        const QString definition = u"\\definecolor{%1}{HTML}{%2}\n"_s.arg(name, hexOf(color));
        if (!m_colors.contains(definition)) m_colors += definition;
        return name;
    }

    /// Adds two columns to the table and returns the commands that plot them.
    QString plotOf(const QList<double>& x, const QList<double>& y, const QString& what) {
        if (m_figure.map) {  // the table contains the map's cells
            QStringList points;
            for (qsizetype i = 0; i < std::min(x.size(), y.size()); ++i) {
                points << u"(%1,%2)"_s.arg(plain(x[i]), plain(y[i]));
            }
            return u"coordinates {%1}"_s.arg(points.join(QLatin1Char(' ')));
        }
        const auto number = static_cast<int>(m_columns.size() / 2);
        m_columns << x << y;
        m_comments += u"# x%1 y%1: %2\n"_s.arg(number).arg(oneLine(what));
        return u"table[x=x%1,y=y%1] {%2}"_s.arg(number).arg(m_dataFile);
    }

    static QString lineOptions(const QPen& pen) {
        QString text = u"line width=%1pt"_s.arg(plain(pen.widthF()));
        const QList<qreal> pattern = pen.style() == Qt::CustomDashLine ? pen.dashPattern() : QList<qreal>();
        QStringList parts;
        for (qsizetype i = 0; i < pattern.size(); ++i) {
            parts << u"%1 %2pt"_s.arg(i % 2 == 0 ? u"on"_s : u"off"_s, plain(pattern[i] * pen.widthF()));
        }
        if (!parts.isEmpty()) text += u", dash pattern=%1"_s.arg(parts.join(QLatin1Char(' ')));
        if (pen.color().alphaF() < 1) text += u", opacity=%1"_s.arg(pen.color().alphaF(), 0, 'f', 2);
        return text;
    }

    void addRaw(const FigureCurve& curve) {
        if (curve.raw.isEmpty()) return;
        QColor color = m_style.penOf(curve).color();
        color.setAlphaF(color.alphaF() * 0.25F);
        const QPen pen(color, m_style.linePt * 0.7);
        const Polyline line = drawable(curve.x, curve.raw, m_xScale, m_yScale);
        addPlot(colorName(color), lineOptions(pen) + u", no marks"_s, plotOf(line.x, line.y, curve.label + u" (raw)"_s),
                {});
    }

    void addCurve(const FigureCurve& curve) {
        const QPen pen = m_style.penOf(curve);
        const QString color = colorName(pen.color());
        const QString label = curve.companion && !curve.isNamed ? QString() : curve.label;
        const QString what = curve.label.isEmpty() ? curve.quantity : curve.label;
        if (curve.shape == FigureCurve::Shape::bars) {
            addPlot(color, barOptions(curve, color), plotOf(curve.x, curve.y, what), label);
        } else if (curve.shape == FigureCurve::Shape::points) {
            const Polyline seen = visible(curve);
            addPlot(color, u"only marks, "_s + markOf(curve, curve.pointPt), plotOf(seen.x, seen.y, what), label);
        } else {
            const Polyline line = drawable(curve.x, curve.y, m_xScale, m_yScale);
            const bool isMarked = curve.dots && line.x.size() <= kMostMarked;
            const QString marks = isMarked ? u", "_s + markOf(curve, kDotPt) : u", no marks"_s;
            addPlot(color, lineOptions(pen) + marks, plotOf(line.x, line.y, what), label);
        }
    }

    /// `diameter` is in points; points of a second setup are hollow.
    QString markOf(const FigureCurve& curve, double diameter) const {
        const bool isHollow = curve.ink.kind == Ink::Kind::compared;
        const double drawn = m_style.pointsOf(curve, m_style.units(diameter)).diameter / m_style.unit;
        const QString options = isHollow ? u"{solid, fill=white}"_s : u"{solid}"_s;
        return u"mark=%1, mark size=%2pt, mark options=%3"_s.arg(isHollow ? QLatin1Char('o') : QLatin1Char('*'))
            .arg(plain(drawn / 2), options);
    }

    QString barOptions(const FigureCurve& curve, const QString& color) const {
        double step = std::numeric_limits<double>::infinity();
        for (qsizetype i = 1; i < curve.x.size(); ++i) step = std::min(step, curve.x[i] - curve.x[i - 1]);
        const double width = kBarFraction * (std::isfinite(step) && step > 0 ? step : 1.0);
        return u"ybar, bar shift=0pt, bar width=%1, draw=none, fill=%2, area legend"_s.arg(plain(width), color);
    }

    Polyline visible(const FigureCurve& curve) const {
        Polyline seen;
        for (qsizetype i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
            if (!m_xScale.contains(curve.x[i]) || !m_yScale.contains(curve.y[i])) continue;
            seen.x << curve.x[i];
            seen.y << curve.y[i];
        }
        return seen;
    }

    void addBand(const FigureBand& band) {
        // The outline of the area: along the upper ends, then back along the lower ends.
        QList<double> x;
        QList<double> y;
        const qsizetype count = std::min({band.x.size(), band.lower.size(), band.upper.size()});
        const auto add = [&](qsizetype i, double value) {
            if (!m_xScale.contains(band.x[i]) || !std::isfinite(value)) return;
            x << band.x[i];
            y << std::clamp(value, m_y.minimum, m_y.maximum);
        };
        const qsizetype stride = std::max<qsizetype>(1, count / static_cast<qsizetype>(m_xScale.length));
        for (qsizetype i = 0; i < count; i += stride) add(i, band.upper[i]);
        for (qsizetype i = (count - 1) / stride * stride; i >= 0; i -= stride) add(i, band.lower[i]);
        if (x.isEmpty()) return;
        const QColor ink = m_style.colorOf(band.ink);
        const QString color = colorName(ink);
        addPlot(
            color,
            u"draw=none, fill=%1, fill opacity=%2, no marks, unbounded coords=discard, area legend"_s.arg(color).arg(
                opacityOfBand(ink, m_style.theme.paper), 0, 'f', 2),
            plotOf(x, y, band.label + u" (area)"_s) + u" -- cycle"_s, band.label);
    }

    void addPlot(const QString& color, const QString& how, const QString& points, const QString& label) {
        m_body += u"\\addplot[color=%1, %2%3] %4;\n"_s.arg(color, how, label.isEmpty() ? u", forget plot"_s : QString(),
                                                           points);
        if (!label.isEmpty()) m_body += u"\\addlegendentry{%1}\n"_s.arg(latexText(label));
    }

    void addLine(const FigureLine& line, bool isVertical) {
        const Range& across = isVertical ? m_x : m_y;
        if (line.at < across.minimum || line.at > across.maximum) return;
        const auto place = [&](double along) {
            return isVertical ? u"(axis cs:%1,%2)"_s.arg(plain(line.at), plain(along))
                              : u"(axis cs:%1,%2)"_s.arg(plain(along), plain(line.at));
        };
        const Range& along = isVertical ? m_y : m_x;
        m_labelsOutside = m_labelsOutside || line.labelAtEnd;
        if (line.labelAtEnd) m_outsideLetters = std::max(m_outsideLetters, line.label.size());
        const QString anchor = line.labelAtEnd ? u"west"_s : isVertical ? u"north west"_s : u"south east"_s;
        m_body += u"\\draw[%1, dashed, line width=0.5pt] %2 -- %3 node[anchor=%4] {%5};\n"_s.arg(
            colorName(m_style.colorOf(line.ink)), place(along.minimum), place(along.maximum), anchor,
            latexText(line.label));
    }

    void addMap(const FigureMap& map) {
        const auto cells = static_cast<qsizetype>(map.columns) * map.rows;
        if (cells > kLargestMap) {
            throw BadInput("The heat map of the figure has " + std::to_string(cells) +
                           " cells, but LaTeX can draw at most " + std::to_string(kLargestMap) +
                           "; export it as PDF, SVG or PNG.");
        }
        const Range range = map.range();
        QStringList colors;
        for (int i = 0; i < kColorSteps; ++i) {
            const double fraction = i / (kColorSteps - 1.0);
            const QColor color = map.scale == FigureMap::Scale::magnitude ? viridis(fraction)
                                 : map.scale == FigureMap::Scale::cyclic
                                     ? cyclic(fraction)
                                     : diverging(2 * fraction - 1, m_style.theme.paper.rgb());
            colors << u"rgb255=(%1,%2,%3)"_s.arg(color.red()).arg(color.green()).arg(color.blue());
        }
        m_axisExtras +=
            u"  colormap={ropelab}{%1}, point meta min=%2, point meta max=%3, colorbar,\n"
            "  colorbar style={title={%4}, xticklabels={}},\n"_s.arg(
                colors.join(QLatin1Char(' ')), plain(range.minimum), plain(range.maximum), latexText(map.title()));
        m_columns.resize(3);
        m_comments += u"# value: %1\n"_s.arg(oneLine(map.title()));
        for (int row = 0; row < map.rows; ++row) {
            for (int column = 0; column < map.columns; ++column) {
                const float value = map.values.value(static_cast<qsizetype>(row) * map.columns + column);
                m_columns[0] << map.xFirst + column * map.xStep;
                m_columns[1] << map.yFirst + row * map.yStep;
                m_columns[2] << static_cast<double>(value);
            }
        }
        m_body +=
            u"\\addplot[matrix plot*, mesh/cols=%1, point meta=explicit, forget plot] "
            "table[x=x,y=y,meta=value] {%2};\n"_s.arg(map.columns)
                .arg(m_dataFile);
    }

    QByteArray table() const {
        QByteArrayList names;
        qsizetype rows = 0;
        for (qsizetype i = 0; i < m_columns.size(); ++i) {
            names << (i % 2 == 0 ? "x" : "y") + QByteArray::number(i / 2);
            rows = std::max(rows, m_columns[i].size());
        }
        if (m_figure.map) names = {"x", "y", "value"};
        QByteArray text = m_comments.toUtf8() + names.join(' ') + '\n';
        for (qsizetype row = 0; row < rows; ++row) {
            QByteArrayList fields;
            for (const QList<double>& column : m_columns) {
                fields << (row < column.size() ? plain(column[row]).toLatin1() : QByteArray("nan"));
            }
            text += fields.join(' ') + '\n';
        }
        return text;
    }

    const Figure& m_figure;
    const ExportOptions& m_options;
    QString m_dataFile;
    FigureStyle m_style;
    Range m_x;
    Range m_y;
    AxisScale m_xScale;
    AxisScale m_yScale;
    QString m_colors;
    QString m_axisExtras;
    QString m_body;
    QString m_comments;
    QList<QList<double>> m_columns;
    bool m_labelsOutside = false;
    qsizetype m_outsideLetters = 0;  // of the longest label outside
};

}  // namespace

PgfplotsFiles pgfplots(const Figure& figure, const ExportOptions& options, const QString& dataFile) {
    if (figure.drawing) {
        throw BadInput("The figure " + figure.name.toStdString() +
                       " is a drawing without axes, which PGFPlots cannot show; export it as PDF, SVG or PNG.");
    }
    if (!figure.panels.empty()) {
        throw BadInput("The figure " + figure.name.toStdString() +
                       " has several panels, which one PGFPlots file cannot show; export it as PDF, SVG or PNG.");
    }
    if (isEmpty(figure)) throw BadInput("The figure " + figure.name.toStdString() + " has no data to plot.");
    return PgfplotsWriter(figure, options, dataFile).write();
}

}  // namespace ropelab::ui
