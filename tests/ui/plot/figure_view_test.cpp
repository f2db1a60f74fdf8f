#include "ui/plot/figure_view.h"

#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QApplication>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/figure/paint/figure_renderer.h"
#include "ui/theme/motion.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

Figure lineFigure() {
    Figure figure;
    figure.name = "sample";
    figure.x.label = "m";
    figure.y.label = "B";
    figure.x.minimum = 0;
    figure.x.maximum = 100;
    figure.y.minimum = 0;
    figure.y.maximum = 10;
    FigureCurve curve;
    curve.label = "bound";
    curve.x = {0, 50, 100};
    curve.y = {1, 5, 9};
    figure.curves.push_back(curve);
    figure.verticalLines.push_back({.at = 40, .label = "context", .handle = "context"});
    return figure;
}

struct Shown {
    Shown() {
        ThemeManager::instance().apply();
        view.resize(500, 320);
        view.show();
        view.setFigure(lineFigure());
        view.refreshNow();
    }
    QWidget* canvas() { return view.findChild<QCustomPlot*>(); }
    QPoint at(double x, double y) { return canvas()->mapFrom(&view, view.pixelOf({x, y}).toPoint()); }
    FigureView view;
};

// Of a curve with many points, copies of a few pictures are painted.
TEST(FigureView, ManyPointsLookAsEachOfThemAlone) {
    const auto painted = [](double scale, int pointsPerCurve) {
        Figure figure = lineFigure();
        figure.curves.clear();
        for (int i = 0; i < 600; ++i) {
            if (i % pointsPerCurve == 0) {
                FigureCurve& curve = figure.curves.emplace_back();
                curve.shape = FigureCurve::Shape::points;
                curve.pointPt = 5;
            }
            figure.curves.back().x << i / 6.0;
            figure.curves.back().y << 5 + 5 * std::sin(i * i * 0.37);
        }
        QCustomPlot plot;
        FigureRenderer renderer(plot);
        plot.setViewport(QRect(0, 0, 500, 320));
        renderer.show(figure, FigureStyle::screen(Theme::light(), 96.0 / 72));
        return plot.toPixmap(500, 320, scale).toImage();
    };
    for (const double scale : {1.0, 1.25, 2.0}) {
        const QImage copies = painted(scale, 600);
        const QImage circles = painted(scale, 1);
        EXPECT_NE(copies, circles);
        int most = 0;
        for (int y = 0; y < copies.height(); ++y) {
            for (int x = 0; x < copies.width(); ++x)
                most = std::max(most, std::abs(qRed(copies.pixel(x, y)) - qRed(circles.pixel(x, y))));
        }
        EXPECT_LT(most, 255 / 3) << "the edge of a circle, an eighth of a pixel from its place; scale " << scale;
    }
}

TEST(FigureView, PixelsAndValuesAreInverse) {
    Shown shown;
    const QPointF value = shown.view.valueAt(shown.view.pixelOf({25, 7}));
    EXPECT_NEAR(value.x(), 25, 1e-6);
    EXPECT_NEAR(value.y(), 7, 1e-6);
    EXPECT_TRUE(shown.view.canvasRect().contains(shown.view.pixelOf({50, 5})));
}

// QCustomPlot queues one when it is made, which can come between show() and the first paint event.
TEST(FigureView, AReplotOfTheCanvasItselfDoesNotLeaveTheFirstFrameBare) {
    ThemeManager::instance().apply();
    QWidget window;
    window.resize(900, 600);
    window.show();
    FigureView view(&window);  // a page of a window that is shown
    view.resize(900, 600);
    QCoreApplication::processEvents();
    view.setFigure(lineFigure());
    view.show();
    view.canvas()->replot();
    QCoreApplication::processEvents();
    const QImage first = view.grab().toImage();
    view.refreshNow();
    EXPECT_EQ(first, view.grab().toImage());
}

TEST(FigureView, ASizeIsPaintedOnceAndAHiddenCanvasHasNoLayers) {
    Shown shown;
    QApplication::processEvents();
    auto* canvas = shown.view.findChild<QCustomPlot*>();
    const QImage before = canvas->grab().toImage();
    QSignalSpy painted(canvas, &QCustomPlot::afterReplot);
    for (const int width : {620, 700, 500}) shown.view.resize(width, 320);
    EXPECT_EQ(painted.count(), 0) << "QCustomPlot paints each size";
    QApplication::processEvents();
    EXPECT_LE(painted.count(), 1);
    shown.view.hide();
    EXPECT_LT(canvas->bufferDevicePixelRatio(), 0.2);
    shown.view.show();
    QApplication::processEvents();
    EXPECT_EQ(canvas->bufferDevicePixelRatio(), canvas->devicePixelRatioF());
    EXPECT_EQ(canvas->grab().toImage(), before);
    const FigureView unshown;
    EXPECT_LT(unshown.findChild<QCustomPlot*>()->bufferDevicePixelRatio(), 0.2);
}

TEST(FigureView, TypeGrowsWithALargeWindow) {
    Shown shown;
    const double usual = shown.view.style().unit;
    const auto sizeAt = [&](const QSize& size) {
        shown.view.resize(size);
        QApplication::processEvents();
        return shown.view.style().unit / usual;
    };
    EXPECT_EQ(sizeAt({1500, 800}), 1);
    EXPECT_NEAR(sizeAt({1900, 1100}), 1.25, 1e-9);
    EXPECT_NEAR(sizeAt({3800, 2100}), 1.35, 1e-9);
    ThemeManager::instance().setScale(200);
    EXPECT_NEAR(sizeAt({1900, 1100}), 2, 1e-9) << "at 200 % that is a small window";
    ThemeManager::instance().setScale(100);
    EXPECT_EQ(sizeAt({500, 320}), 1);
}

TEST(FigureView, RescaledAxesMoveUnlessMotionIsReduced) {
    Shown shown;
    Figure longer = lineFigure();
    longer.x.maximum = 300;
    const auto end = [&shown] { return shown.view.canvas()->xAxis->range().upper; };
    shown.view.rescaleTo(longer);
    QApplication::processEvents();
    EXPECT_LT(end(), 300);  // on its way
    EXPECT_TRUE(QTest::qWaitFor([&] { return end() == 300; }));
    setMotionReduced(true);
    shown.view.rescaleTo(lineFigure());
    QApplication::processEvents();
    EXPECT_EQ(end(), 100);
    setMotionReduced(false);
}

TEST(FigureView, LineWithAHandleCanBeDragged) {
    Shown shown;
    QSignalSpy dragged(&shown.view, &FigureView::lineDragged);
    QSignalSpy dropped(&shown.view, &FigureView::lineDropped);
    QTest::mousePress(shown.canvas(), Qt::LeftButton, {}, shown.at(40, 3));
    QTest::mouseMove(shown.canvas(), shown.at(70, 3));
    QTest::mouseRelease(shown.canvas(), Qt::LeftButton, {}, shown.at(70, 3));
    ASSERT_FALSE(dragged.isEmpty());
    EXPECT_EQ(dragged.last().at(0).toString(), "context");
    EXPECT_NEAR(dragged.last().at(1).toDouble(), 70, 0.5);
    EXPECT_EQ(dropped.count(), 1);
    // After a click, the arrow keys move the line too.
    QTest::keyClick(&shown.view, Qt::Key_Right);
    EXPECT_GT(dragged.last().at(1).toDouble(), 40);
    EXPECT_LT(dragged.last().at(1).toDouble(), 42);
}

TEST(FigureView, EmptyAreaEmitsClickedAndHovered) {
    Shown shown;
    QSignalSpy clicked(&shown.view, &FigureView::clicked);
    QSignalSpy hovered(&shown.view, &FigureView::hovered);
    QTest::mouseMove(shown.canvas(), shown.at(80, 5));
    QTest::mouseClick(shown.canvas(), Qt::LeftButton, {}, shown.at(80, 5));
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_NEAR(clicked.last().at(0).toPointF().x(), 80, 0.5);
    EXPECT_FALSE(hovered.isEmpty());
}

TEST(FigureView, WheelScrollsThePageAroundIt) {
    QScrollArea page;
    auto* view = new FigureView(&page);
    view->setMinimumHeight(2000);
    view->setFigure(lineFigure());
    page.setWidgetResizable(true);
    page.setWidget(view);
    page.resize(300, 200);
    page.show();
    const QPointF place(100, 100);
    QWheelEvent event(place, view->canvas()->mapToGlobal(place), QPoint(), QPoint(0, -120), Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QSpontaneKeyEvent::setSpontaneous(&event);  // only events of the window system are offered to the parents
    qApp->notify(view->canvas(), &event);
    EXPECT_GT(page.verticalScrollBar()->value(), 0);
}

TEST(FigureView, DrawingReceivesPixels) {
    Shown shown;
    Figure figure;
    int painted = 0;
    figure.drawing = [&painted](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        ++painted;
        painter.fillRect(rect, style.theme.accent);
    };
    shown.view.setFigure(figure);
    shown.view.refreshNow();
    EXPECT_GT(painted, 0);
    const QImage picture = shown.view.grab().toImage();
    EXPECT_EQ(picture.pixelColor(picture.width() / 2, picture.height() / 2), shown.view.style().theme.accent);
    QSignalSpy clicked(&shown.view, &FigureView::clicked);
    QTest::mouseClick(shown.canvas(), Qt::LeftButton, {}, QPoint(30, 40));
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked.last().at(0).toPointF(), QPointF(30, 40) + shown.canvas()->pos());
}

}  // namespace
}  // namespace ropelab::ui
