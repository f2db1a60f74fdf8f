#pragma once

#include <qcustomplot.h>

#include <QList>
#include <QString>

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

    /// `title` says which x: "iteration 1,240".
    void show(const QString& title, double x, const QList<Row>& rows, const FigureStyle& style);
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
    FigureStyle m_style;
};

}  // namespace ropelab::ui
