#pragma once

#include <qcustomplot.h>

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QStringList>
#include <QWidget>
#include <limits>

namespace ropelab::testing {

/// A paint device that keeps the texts which are drawn on it, and nothing else.
class TextRecorder : public QPaintDevice {
 public:
    /// Texts at `end` or further right are left out.
    explicit TextRecorder(const QWidget& widget, double end = std::numeric_limits<double>::infinity())
        : m_engine(m_texts, end), m_widget(widget) {}

    QPaintEngine* paintEngine() const override { return &m_engine; }
    const QStringList& texts() const { return m_texts; }

 protected:
    int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth:
                return m_widget.width();
            case PdmHeight:
                return m_widget.height();
            case PdmWidthMM:
                return m_widget.widthMM();
            case PdmHeightMM:
                return m_widget.heightMM();
            case PdmNumColors:
                return 1 << 24;
            case PdmDepth:
                return 32;
            case PdmDpiX:
            case PdmPhysicalDpiX:
                return m_widget.logicalDpiX();
            case PdmDpiY:
            case PdmPhysicalDpiY:
                return m_widget.logicalDpiY();
            default:
                return QPaintDevice::metric(metric);
        }
    }

 private:
    class Engine : public QPaintEngine {
     public:
        Engine(QStringList& texts, double end) : QPaintEngine(AllFeatures), m_texts(texts), m_end(end) {}
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState&) override {}
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
        void drawPath(const QPainterPath&) override {}
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
        void drawTextItem(const QPointF& place, const QTextItem& item) override {
            if (place.x() < m_end) m_texts << item.text();
        }
        Type type() const override { return User; }

     private:
        QStringList& m_texts;
        double m_end;
    };

    QStringList m_texts;
    mutable Engine m_engine;
    const QWidget& m_widget;
};

/// Returns whether a part of a widget is on top in its window.
inline bool isSeen(const QWidget& widget) {
    if (!widget.isVisible()) return false;
    for (const double x : {0.1, 0.5, 0.9}) {
        for (const double y : {0.1, 0.5, 0.9}) {
            const QPoint place(static_cast<int>(x * widget.width()), static_cast<int>(y * widget.height()));
            const QWidget* top = widget.window()->childAt(widget.mapTo(widget.window(), place));
            if (top == &widget || widget.isAncestorOf(top)) return true;
        }
    }
    return false;
}

/// Returns the texts that a window shows, without the numbers on axes and colour bars, and without what another widget
/// covers: one for each label, field or table, and each text of a drawing.
inline QStringList shownTexts(const QWidget& window) {
    QStringList texts;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (!isSeen(*widget)) continue;
        auto* plot = qobject_cast<QCustomPlot*>(widget);
        TextRecorder recorder(*widget, plot ? plot->axisRect()->right() : widget->width());
        if (!plot) {
            widget->render(&recorder, QPoint(), QRegion(), QWidget::RenderFlags());
            texts << recorder.texts().join(QLatin1Char(' '));
            continue;
        }
        {
            QCPPainter painter(&recorder);
            painter.setMode(QCPPainter::pmNoCaching);
            plot->toPainter(&painter, plot->width(), plot->height());
        }
        QStringList drawn = recorder.texts();
        for (const QCPAxis* axis : plot->findChildren<QCPAxis*>()) {
            for (const QString& label : axis->tickVectorLabels()) {
                drawn.removeOne(QString(label).replace(QLatin1Char('-'), QChar(0x2212)));
            }
        }
        texts += drawn;
    }
    return texts;
}

}  // namespace ropelab::testing
