#pragma once

#include <QColor>
#include <QList>
#include <QPointF>
#include <QTimer>
#include <QWidget>
#include <optional>

namespace ropelab::ui {

/// The lecturer's strokes and a pointer over a presentation. The mouse reaches what is below unless ink is drawn.
class InkLayer : public QWidget {
    Q_OBJECT

 public:
    explicit InkLayer(QWidget* parent);

    void setDrawing(bool drawing);
    bool isDrawing() const { return m_drawing; }
    void wipe();
    int strokes() const { return static_cast<int>(m_strokes.size()); }
    /// The pointer is a disc that follows the mouse.
    void setPointer(bool shown);
    bool hasPointer() const { return m_follow.isActive(); }
    void movePointer(const QPointF& place);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void tabletEvent(QTabletEvent* event) override;

 private:
    /// The width of the line is proportional to `pressure`, from 0 to 1.
    struct Dot {
        QPointF place;
        double pressure;
    };
    void beginStroke(const QPointF& place, double pressure);
    void continueStroke(const QPointF& place, double pressure);

    QList<QList<Dot>> m_strokes;
    bool m_drawing = false;
    bool m_inStroke = false;
    QTimer m_follow;
    std::optional<QPointF> m_pointer;
};

}  // namespace ropelab::ui
