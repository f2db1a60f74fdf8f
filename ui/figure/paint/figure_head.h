#pragma once

#include <QColor>
#include <QList>
#include <QPen>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

class QPainter;

namespace ropelab::ui {

class TextMetrics;

/// At most `most` lines. The last line is shortened if the text is longer, and so is a line of one word that is wider.
QStringList wrapped(const QString& words, const TextMetrics& metrics, double width, int most);

/// The label of a curve stands at its end.
bool isLabelledAtEnd(const Figure& figure, const FigureCurve& curve);
/// One per line.
/// Lines that can be dragged, except for those of setup B, which is dashed everywhere.
bool isSolidLine(const FigureLine& line);
QList<QPen> linePens(const FigureStyle& style, const std::vector<FigureLine>& lines);

/// The row above the axes: title of y, note, title of the colour bar. The legend and a note that is too long are below.
class FigureHead {
 public:
    FigureHead() = default;
    /// `plot` is in the style's units.
    FigureHead(const Figure& figure, const FigureStyle& style, const QSizeF& plot);

    /// There is a text above the axes.
    bool hasRowAbove() const;
    /// Empty if the note is above the axes or there is none.
    const QStringList& noteBelow() const { return m_below; }
    /// Lines of the legend and of the note.
    qsizetype linesBelow() const { return m_legend.size() + m_below.size(); }
    /// Of these lines, in the style's units.
    double heightBelow() const;
    QStringList legendTexts() const;
    void draw(QPainter& painter, const QRectF& axes, const QRectF& plot) const;

 private:
    struct Entry {
        FigureCurve curve;   // its label, and its look where no other one is given
        QColor swatch = {};  // of the cells of a map
        QPen pen = {};       // of a straight line
        double left = 0;
        bool isContinued = false;  // a further line of the entry before, without a sample
    };
    QList<Entry> entriesOf(const Figure& figure) const;
    void addLegend(const QList<Entry>& entries, double width);
    void drawLegend(QPainter& painter, double top) const;
    void drawSample(QPainter& painter, const Entry& entry, const QRectF& place) const;

    FigureStyle m_style;
    QString m_title;
    QString m_key;
    QString m_note;
    QStringList m_below;
    QList<QList<Entry>> m_legend;  // by line
};

}  // namespace ropelab::ui
