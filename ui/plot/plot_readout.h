#pragma once

#include <qcustomplot.h>

#include <QList>
#include <QString>
#include <limits>

#include "ui/figure/figure_style.h"

namespace ropelab::ui {

/// The crosshair: a hairline at one x, a dot on every curve, and the values in a corner of the axes. It lives on its
/// own layer, so that moving the mouse repaints no curve.
class PlotReadout : public QCPLayerable {
    Q_OBJECT

 public:
    struct Row {
        QString label;
        QString value;
        QPen pen;
        double y = 0;  // in the axes' units
        bool strong = false;
    };

    explicit PlotReadout(QCustomPlot* plot);

    /// `title` says which x: "step 1,240". Where the axes are too low for all rows, it has those about the strong one,
    /// else about `nearTo`, in the axes' units, and counts the others.
    void show(const QString& title, double x, const QList<Row>& rows, const FigureStyle& style,
              double nearTo = std::numeric_limits<double>::quiet_NaN());
    /// At most so many of the rows, in their order, as show() says.
    static QList<Row> someOf(const QList<Row>& rows, qsizetype most, double nearTo);
    void hide();
    bool isShown() const { return m_shown; }
    const QList<Row>& rows() const { return m_rows; }
    const QString& title() const { return m_title; }

 protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

 private:
    bool m_shown = false;
    QString m_title;
    double m_x = 0;
    QList<Row> m_rows;
    double m_nearTo = 0;
    FigureStyle m_style;
};

}  // namespace ropelab::ui
