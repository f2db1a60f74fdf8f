#pragma once

#include <QList>
#include <QVariantAnimation>
#include <functional>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/plot/plot_widget.h"

namespace ropelab::ui {

/// setFigure() queues a repaint, so a drag paints at most once per frame. Lines with a handle can be dragged with the
/// mouse or, after a click, moved with the arrow keys. Drawings receive all mouse events as signals. Points in signals
/// are in the units of the axes; for a drawing they are in pixels of this widget.
class FigureView : public PlotWidget {
    Q_OBJECT

 public:
    explicit FigureView(QWidget* parent = nullptr);

    void setFigure(Figure figure);
    /// The axes move from those of the shown figure to those of the new one, unless motion is reduced.
    void rescaleTo(Figure figure);
    void refreshNow() override;
    const Figure& figure() const { return m_figure; }

    /// A label, a value, and the index of the curve (−1 for none).
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
    /// By default, the readout shows all curves at the nearest x, or the value of a cell of a map.
    void setReadout(std::function<std::optional<Readout>(QPointF)> readout) { m_readoutAt = std::move(readout); }
    /// `value` is in units of the axes.
    std::optional<Readout> readoutAt(const QPointF& value) const {
        return m_readoutAt ? m_readoutAt(value) : defaultReadout(value);
    }

    /// Axes or drawing, in pixels of this widget.
    QRectF canvasRect() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 signals:
    void hovered(const QPointF& place);
    /// Left button, not on a draggable line.
    void pressed(const QPointF& place, Qt::KeyboardModifiers modifiers);
    /// Left button, without dragging a line.
    void dragged(const QPointF& place, Qt::KeyboardModifiers modifiers);
    void released();
    /// Pressed and released without a drag.
    void clicked(const QPointF& place);
    /// `at` is in units of the line's axis. lineDropped follows when the line is released.
    void lineDragged(const QString& handle, double at);
    void lineDropped(const QString& handle);
    /// The view does not handle this key itself.
    void keyPressed(int key, Qt::KeyboardModifiers modifiers);

 protected:
    void keyPressEvent(QKeyEvent* event) override;
    void render() override;
    void mousePressed(const QPointF& where, Qt::KeyboardModifiers modifiers) override;
    void mouseDragged(const QPointF& where, Qt::KeyboardModifiers modifiers) override;
    void mouseReleased(const QPointF& where) override;
    void mouseMoved(const QPointF& where) override;

 private:
    struct Line {
        QString handle;
        bool vertical = true;
        double at = 0;
    };
    /// Those that can be dragged.
    std::vector<Line> lines() const;
    /// `where` is a point of this widget; nullopt if no line is near.
    std::optional<Line> lineNear(const QPointF& where) const;
    std::optional<Line> lineWithHandle(const QString& handle) const;
    void moveLine(const Line& line, const QPointF& where);
    /// A step is 1 % of the length of the axis.
    void nudge(const Line& line, double steps);
    /// The values of all curves, or of a cell of a map.
    std::optional<Readout> defaultReadout(const QPointF& value) const;
    void showReadout(const QPointF& where);
    QPointF place(const QPointF& pixel) const;

    Figure m_figure;
    QVariantAnimation m_rescale;
    Range m_fromX;  // axes at the start of m_rescale
    Range m_fromY;
    std::function<std::optional<Readout>(QPointF)> m_readoutAt;
    std::optional<Line> m_draggedLine;
    QString m_keyHandle;  // handle of the line that the arrow keys move
};

}  // namespace ropelab::ui
