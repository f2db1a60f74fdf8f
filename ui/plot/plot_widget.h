#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "ui/figure/figure_style.h"

class QCustomPlot;

namespace ropelab::ui {

class FigureRenderer;
class PlotReadout;

/// Base of the widgets that show a figure: a canvas in the colours of the theme with a crosshair and a focus ring,
/// whose repaints are queued. Subclasses render the figure and handle the mouse. Places are in pixels of this widget.
/// If the canvas has interactions, it also receives the mouse events and pans and zooms its axes.
class PlotWidget : public QWidget {
    Q_OBJECT

 public:
    explicit PlotWidget(QWidget* parent = nullptr);
    ~PlotWidget() override;

    /// Repaints immediately, for screenshots and tests.
    virtual void refreshNow();
    QCustomPlot* canvas() const { return m_plot; }
    const FigureStyle& style() const { return m_style; }
    /// Returns the rectangle of the axes, in pixels of this widget.
    virtual QRectF canvasRect() const;
    /// Convert between pixels of this widget and units of the axes, in both directions.
    QPointF valueAt(const QPointF& pixel) const;
    QPointF pixelOf(const QPointF& value) const;

 signals:
    /// Emitted when the mouse leaves the axes or the drawing.
    void left();
    /// Emitted when the user requests the context menu at a point in global coordinates.
    void contextMenuRequested(const QPoint& global);
    /// Emitted when the widget is clicked or receives the keyboard focus. Exports then use the figure of this widget.
    void chosen();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    /// Opens the context menu by its key, whose event reaches this widget and not the canvas.
    void contextMenuEvent(QContextMenuEvent* event) override;

    /// Sets the summary for screen readers. While one listens, a change is announced at most once per second, so that a
    /// figure that is played does not interrupt it.
    void describe(const QString& summary);
    /// Gives the current figure to the renderer.
    virtual void render() = 0;
    /// Renews the style for the current theme and scale.
    virtual void restyle();
    /// Queues a repaint, unless one is queued.
    void schedule();
    /// Returns the time from schedule() to the repaint, in milliseconds.
    virtual int repaintDelay() const { return 0; }
    /// Called when the left mouse button is pressed, when the mouse moves while it is pressed, and when it is released.
    virtual void mousePressed(const QPointF& /*where*/, Qt::KeyboardModifiers /*modifiers*/) {}
    virtual void mouseDragged(const QPointF& /*where*/, Qt::KeyboardModifiers /*modifiers*/) {}
    virtual void mouseReleased(const QPointF& where) = 0;
    /// Called when the mouse moves over the canvas with no button pressed.
    virtual void mouseMoved(const QPointF& where) = 0;

    QCustomPlot* m_plot;
    std::unique_ptr<FigureRenderer> m_renderer;
    PlotReadout* m_readout;  // owned by the canvas
    FigureStyle m_style;
    QTimer m_timer;
    bool m_moved = false;  // the mouse moved further than a click since its left button was pressed

 private:
    std::optional<QPointF> m_pressedAt;
    QString m_summary;
    QTimer m_summaryTimer;  // runs for one second after an announced change
};

}  // namespace ropelab::ui
