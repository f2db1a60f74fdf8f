#pragma once

#include <QWidget>

#include "ui/inspect/attention_figures.h"

namespace ropelab::ui {

/// The text that attention maps are of, each symbol shaded by how much the picked one reads it. Pointing at a symbol
/// picks it for the moment, a click keeps it, arrow keys step.
class TextStrip : public QWidget {
    Q_OBJECT

 public:
    explicit TextStrip(QWidget* parent = nullptr);

    void setReading(Reading reading);
    const Reading& reading() const { return m_reading; }
    /// Where a symbol stands.
    QRectF rectOf(int symbol) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
    void hovered(int symbol);
    void left();
    void picked(int symbol);

 protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    int symbolAt(const QPointF& place) const;
    double cellWidth() const;
    double cellHeight() const;
    int perRow() const;

    Reading m_reading;
};

}  // namespace ropelab::ui
