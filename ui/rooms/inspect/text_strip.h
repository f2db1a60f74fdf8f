#pragma once

#include <QWidget>

#include "ui/rooms/inspect/attention_figures.h"

namespace ropelab::ui {

/// Shades each token of the attention maps' text by the attention weight that the query gives it. The query is the
/// token under the mouse pointer, else the token that was clicked; the arrow keys move it.
class TextStrip : public QWidget {
    Q_OBJECT

 public:
    explicit TextStrip(QWidget* parent = nullptr);

    void setRow(AttentionRow row);
    const AttentionRow& row() const { return m_row; }
    QRectF rectOf(int token) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
    void hovered(int token);
    void left();
    void picked(int token);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    int tokenAt(const QPointF& place) const;
    double cellWidth() const;
    double cellHeight() const;
    int tokensPerRow() const;

    AttentionRow m_row;
};

}  // namespace ropelab::ui
