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

/// A figure on screen. Setting it queues a repaint, so a drag costs one paint a frame. Figures with axes get a
/// crosshair with values, and lines with a handle can be dragged, by mouse or, once clicked, by the arrow keys.
/// Drawings get the mouse as it is.
///
/// Places in signals are in the axes' units; for a drawing they are in pixels of this widget.
class FigureView : public QWidget {
    Q_OBJECT

 public:
    explicit FigureView(QWidget* parent = nullptr);
    ~FigureView() override;

    void setFigure(Figure figure);
    const Figure& figure() const { return m_figure; }
    /// Brings the picture up to date now.
    void refreshNow();

    /// A line of the crosshair's box: what, how much, and the curve it belongs to (or −1).
    struct ReadoutRow {
        QString label;
        QString value;
        int curve = -1;
    };
    struct Readout {
        QString title;
        double x = 0;  // where the hairline stands
        QList<ReadoutRow> rows;
    };
    /// What the crosshair says at a place; without one: the curves' values at the nearest x, or the map's cell.
    void setReadout(std::function<std::optional<Readout>(QPointF)> readout) { m_readoutAt = std::move(readout); }

    const FigureStyle& style() const { return m_style; }
    /// Where axes or drawing are, in this widget's pixels.
    QRectF canvasRect() const;
    /// Pixels to the axes' units, and back.
    QPointF valueAt(const QPointF& pixel) const;
    QPointF pixelOf(const QPointF& value) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 signals:
    void hovered(const QPointF& place);
    void left();
    void pressed(const QPointF& place, Qt::KeyboardModifiers modifiers);
    /// The mouse moves with its left button down and no line in its hand.
    void dragged(const QPointF& place, Qt::KeyboardModifiers modifiers);
    void released();
    /// A press and release on one spot.
    void clicked(const QPointF& place);
    /// A line with a handle goes to `at`, in its axis's units; lineDropped when the hand lets go.
    void lineDragged(const QString& handle, double at);
    void lineDropped(const QString& handle);
    /// A key that the view has no use for itself.
    void keyPressed(int key, Qt::KeyboardModifiers modifiers);
    void contextMenuAsked(const QPoint& global);
    /// It was clicked or got the keyboard: export means this one.
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
    std::optional<Line> lineNear(const QPointF& where) const;
    std::optional<Line> lineCalled(const QString& handle) const;
    void moveLine(const Line& line, const QPointF& where);
    void nudge(const Line& line, double steps);
    std::optional<Readout> ownReadout(const QPointF& value) const;
    void showReadout(const QPointF& where);
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
    std::optional<Line> m_inHand;
    QString m_keyHandle;  // the line that arrow keys move
};

}  // namespace ropelab::ui
