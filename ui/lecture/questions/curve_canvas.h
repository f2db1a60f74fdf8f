#pragma once

#include <QList>

#include "core/lecture/answer.h"
#include "ui/plot/figure_view.h"

namespace ropelab::ui {

/// Empty axes over which a curve is drawn with the mouse, a pen or the arrow keys.
///
/// Keys: left and right move the pen along the x axis and continue the curve; up and down move it along the y axis;
/// with Shift they move further. Home and End go to the ends of the x axis without drawing, Delete removes the curve.
class CurveCanvas : public FigureView {
    Q_OBJECT

 public:
    explicit CurveCanvas(QWidget* parent = nullptr);

    /// Keeps the ranges of the figure, without its curves, and removes what was drawn.
    void setAxesOf(const Figure& figure);
    /// Before setAxesOf(), the canvas shows no numbers and says that the axes are computed.
    bool hasAxes() const { return m_hasAxes; }
    bool hasAxesOf(const Figure& figure) const;
    void clearCurve();
    bool hasCurve() const;
    /// Part of the x axis over which a curve was drawn, 0 to 1.
    double drawnPart() const;
    /// In the units of the axes; x are evenly spaced on the axis.
    AnswerCurve curve() const;
    AnswerAxes axes() const;
    /// Shows the right curves under the drawn one, and draws no more.
    void showTruth(const Figure& figure);

 signals:
    void curveChanged();

 protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void mousePressed(const QPointF& where, Qt::KeyboardModifiers modifiers) override;
    void mouseDragged(const QPointF& where, Qt::KeyboardModifiers modifiers) override;
    void mouseReleased(const QPointF& where) override;
    void mouseMoved(const QPointF& where) override;

 private:
    /// The column of the drawn curve, and the height as a part of the y axis.
    struct Place {
        int column = 0;
        double height = 0.5;
    };
    Place placeAt(const QPointF& where) const;
    void drawLine(const Place& from, const Place& to);
    void movePen(int columns, double height);
    double xOf(int column) const;
    double yOf(double height) const;
    void refreshFigure();

    Figure m_empty;         // the axes without curves
    QList<double> m_drawn;  // height of each column as a part of the y axis, NaN where nothing is drawn
    Place m_last;           // where the pen was last
    Place m_pen;            // the pen that the arrow keys move
    Place m_penFrom;        // the end of the line that the arrow keys change
    bool m_penShown = false;
    bool m_hasAxes = false;
    bool m_truthShown = false;
    Figure m_truth;
};

}  // namespace ropelab::ui
