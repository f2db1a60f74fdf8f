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

/// Subclasses render the figure and handle the mouse. Repaints are queued. Places are in pixels of this widget. If the
/// canvas has interactions, it also receives the mouse events and pans and zooms its axes.
class PlotWidget : public QWidget {
    Q_OBJECT

 public:
    explicit PlotWidget(QWidget* parent = nullptr);
    ~PlotWidget() override;

    /// Repaints immediately, for screenshots and tests.
    virtual void refreshNow();
    /// Renders a queued repaint now, so that it appears in the same frame as the texts beside the plot.
    void renderQueued();
    QCustomPlot* canvas() const { return m_plot; }
    const FigureStyle& style() const { return m_style; }
    /// The axes, in pixels of this widget.
    virtual QRectF canvasRect() const;
    /// From pixels of this widget to units of the axes, and back.
    QPointF valueAt(const QPointF& pixel) const;
    QPointF pixelOf(const QPointF& value) const;

 signals:
    /// The mouse left the axes or the drawing.
    void left();
    /// In global coordinates.
    void contextMenuRequested(const QPoint& global);
    /// The widget was clicked or received the keyboard focus. Exports then use its figure.
    void chosen();

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    /// The event of the menu key reaches this widget and not the canvas.
    void contextMenuEvent(QContextMenuEvent* event) override;

    /// A change is announced at most once per second, so that a played figure does not interrupt a screen reader.
    void describe(const QString& summary);
    virtual void render() = 0;
    virtual void restyle();
    /// Queues a repaint, unless one is queued.
    void schedule();
    /// In milliseconds after schedule().
    virtual int repaintDelay() const { return 0; }
    /// For the left button: pressed, moved while it is pressed, and released.
    virtual void mousePressed(const QPointF& /*where*/, Qt::KeyboardModifiers /*modifiers*/) {}
    virtual void mouseDragged(const QPointF& /*where*/, Qt::KeyboardModifiers /*modifiers*/) {}
    virtual void mouseReleased(const QPointF& where) = 0;
    /// No button is pressed.
    virtual void mouseMoved(const QPointF& where) = 0;

    QCustomPlot* m_plot;
    std::unique_ptr<FigureRenderer> m_renderer;
    PlotReadout* m_readout;  // owned by the canvas
    FigureStyle m_style;
    QTimer m_timer;
    bool m_isRinged = false;  // the keyboard gave the focus, so a ring shows where it is
    bool m_moved = false;     // the mouse moved further than a click since its left button was pressed

 private:
    std::optional<QPointF> m_pressedAt;
    QString m_summary;
    QTimer m_summaryTimer;  // runs for one second after an announced change
};

}  // namespace ropelab::ui
