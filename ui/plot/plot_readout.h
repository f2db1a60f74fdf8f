#pragma once

#include <qcustomplot.h>

#include <QList>
#include <QString>
#include <limits>

#include "ui/figure/figure_style.h"

namespace ropelab::ui {

/// A dot on every curve at the place of the mouse, and their values in a line above the axes, which covers no data. Has
/// a layer of its own, so that mouse movements do not repaint the curves.
class PlotReadout : public QCPLayerable {
    Q_OBJECT

 public:
    struct Row {
        QString label;
        QString value;
        QPen pen;
        double y = 0;  // in units of the axes
        bool strong = false;
        QList<QPointF> dots = {};  // where the values are measured, in units of the axes
    };

    explicit PlotReadout(QCustomPlot* plot);

    /// `title` describes x, for example "step 1,240". If not all rows fit, the line has the rows around the strong one,
    /// or around `nearTo` (in units of the axes), and the number of omitted rows.
    void show(const QString& title, double x, const QList<Row>& rows, const FigureStyle& style,
              double nearTo = std::numeric_limits<double>::quiet_NaN());
    /// At most `most` rows around the strong one or around `nearTo`, in their order.
    static QList<Row> rowsAround(const QList<Row>& rows, qsizetype most, double nearTo);
    void hide();
    bool isShown() const { return m_shown; }
    const QList<Row>& rows() const { return m_rows; }
    const QString& title() const { return m_title; }

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override;

 private:
    void drawLine(QCPPainter* painter, const QRectF& axes) const;

    bool m_shown = false;
    QString m_title;
    double m_x = 0;
    QList<Row> m_rows;
    double m_nearTo = 0;
    FigureStyle m_style;
};

}  // namespace ropelab::ui
