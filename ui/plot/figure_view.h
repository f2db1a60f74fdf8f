#pragma once

#include <QList>
#include <QPointF>
#include <QRectF>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"

class QCustomPlot;

namespace ropelab::ui {

class FigureRenderer;
class PlotReadout;

/// Shows a figure. setFigure() queues a repaint, so a drag paints at most once per frame. Figures with axes have a
/// crosshair with values. Lines with a handle can be dragged with the mouse or, after a click, moved with the arrow
/// keys. Drawings receive all mouse events as signals.
///
/// Points in signals are in the units of the axes; for a drawing they are in pixels of this widget.
class FigureView : public QWidget {
    Q_OBJECT

 public:
    explicit FigureView(QWidget* parent = nullptr);
    ~FigureView() override;

    /// Shows another figure and queues a repaint.
    void setFigure(Figure figure);
    const Figure& figure() const { return m_figure; }
    /// Repaints immediately.
    void refreshNow();

    /// A row of the readout of the crosshair: a label, a value, and the index of its curve (−1 for none).
    struct ReadoutRow {
        QString label;
        QString value;
        int curve = -1;
    };
    struct Readout {
        QString title;
        double x = 0;  // position of the vertical hairline
        QList<ReadoutRow> rows;
    };
    /// Sets a function that returns the readout of the crosshair at a point. By default, the readout shows the values
    /// of all curves at the nearest x, or the value of a cell of a map.
    void setReadout(std::function<std::optional<Readout>(QPointF)> readout) { m_readoutAt = std::move(readout); }

    const FigureStyle& style() const { return m_style; }
    /// Returns the rectangle of the axes or the drawing, in pixels of this widget.
    QRectF canvasRect() const;
    /// Convert between pixels of this widget and units of the axes.
    QPointF valueAt(const QPointF& pixel) const;
    QPointF pixelOf(const QPointF& value) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 signals:
    /// The mouse moves over the axes or the drawing.
    void hovered(const QPointF& place);
    /// The mouse left the axes or the drawing.
    void left();
    /// The left mouse button was pressed, but not on a draggable line.
    void pressed(const QPointF& place, Qt::KeyboardModifiers modifiers);
    /// The mouse moves with its left button pressed and without dragging a line.
    void dragged(const QPointF& place, Qt::KeyboardModifiers modifiers);
    /// The left mouse button was released after `pressed`.
    void released();
    /// The mouse button was pressed and released without a drag.
    void clicked(const QPointF& place);
    /// The user drags the line with this handle to `at`, in units of its axis. lineDropped follows when the line is
    /// released.
    void lineDragged(const QString& handle, double at);
    void lineDropped(const QString& handle);
    /// A key was pressed that the view does not handle itself.
    void keyPressed(int key, Qt::KeyboardModifiers modifiers);
    /// The user requested the context menu at a point in global coordinates.
    void contextMenuRequested(const QPoint& global);
    /// The view was clicked or received the keyboard focus. Exports use the figure of this view.
    void chosen();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

 private:
    struct Line {
        QString handle;
        bool vertical = true;
        double at = 0;
    };
    void schedule();
    void refresh();
    void restyle();
    void mousePressed(const QPointF& where, Qt::KeyboardModifiers modifiers);
    void mouseMoved(const QPointF& where, Qt::KeyboardModifiers modifiers, bool down);
    void mouseReleased(const QPointF& where);
    /// Returns the draggable line nearest to a point of this widget, or nullopt if none is near.
    std::optional<Line> lineNear(const QPointF& where) const;
    std::optional<Line> lineWithHandle(const QString& handle) const;
    void moveLine(const Line& line, const QPointF& where);
    /// Moves a line by steps of 1 % of the length of its axis.
    void nudge(const Line& line, double steps);
    /// Returns the readout at a point if setReadout was not called: the values of all curves, or of a cell of a map.
    std::optional<Readout> defaultReadout(const QPointF& value) const;
    void showReadout(const QPointF& where);
    /// Converts a pixel of this widget to the unit of the signals.
    QPointF place(const QPointF& pixel) const;

    Figure m_figure;
    FigureStyle m_style;
    QCustomPlot* m_plot;
    std::unique_ptr<FigureRenderer> m_renderer;
    PlotReadout* m_readout;  // owned by the plot
    std::function<std::optional<Readout>(QPointF)> m_readoutAt;
    QTimer m_timer;
    std::optional<QPointF> m_pressedAt;
    bool m_moved = false;
    std::optional<Line> m_draggedLine;
    QString m_keyHandle;  // handle of the line that the arrow keys move
};

}  // namespace ropelab::ui
