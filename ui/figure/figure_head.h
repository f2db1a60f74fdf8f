#pragma once

#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

class QPainter;

namespace ropelab::ui {

/// The row above a figure's axes: the y axis's title, the note, and what a map's colours are. A note without room there
/// stands beneath the axes. A drawing has neither.
class FigureHead {
 public:
    FigureHead() = default;
    /// For a plot of that size, in the style's units.
    FigureHead(const Figure& figure, const FigureStyle& style, const QSizeF& plot);

    /// The note's lines beneath the axes; empty where it has room above them, and for none.
    const QStringList& noteBeneath() const { return m_beneath; }
    void draw(QPainter& painter, const QRectF& axes, const QRectF& plot) const;

 private:
    FigureStyle m_style;
    QString m_title;
    QString m_key;
    QString m_note;
    QStringList m_beneath;
};

}  // namespace ropelab::ui
