#include <gtest/gtest.h>
#include <qcustomplot.h>

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QWheelEvent>

#include "ui/plot/curve_plot.h"
#include "ui/plot/plot_readout.h"

namespace ropelab::ui {
namespace {

class CurvePlotInputTest : public testing::Test {
 protected:
    void SetUp() override {
        plot.resize(800, 500);
        plot.addRun(1, QStringLiteral("upper"), Ink::data(0));
        plot.addRun(2, QStringLiteral("lower"), Ink::data(1));
        plot.setCurve({1, Quantity::validation_loss}, {0, 500, 1000}, {8, 8, 8});
        plot.setCurve({2, Quantity::validation_loss}, {0, 500, 1000}, {2, 2, 2});
        plot.show();
        plot.refreshNow();
    }
    QPointF at(double x, double y) const {
        return {plot.canvas()->xAxis->coordToPixel(x), plot.canvas()->yAxis->coordToPixel(y)};
    }
    void mouse(QEvent::Type type, QPointF where, Qt::MouseButton button = Qt::NoButton) {
        const bool isDown = type == QEvent::MouseButtonPress || type == QEvent::MouseButtonDblClick;
        QMouseEvent event(type, where, plot.canvas()->mapToGlobal(where), button,
                          isDown || (type == QEvent::MouseMove && pressed) ? Qt::LeftButton : Qt::NoButton,
                          Qt::NoModifier);
        pressed = isDown || (type == QEvent::MouseMove && pressed);
        QCoreApplication::sendEvent(plot.canvas(), &event);
    }
    void press(int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QCoreApplication::sendEvent(&plot, &event);
    }
    PlotReadout* readout() const {
        for (QCPLayerable* each : plot.canvas()->layer(QStringLiteral("overlay"))->children()) {
            if (auto* found = qobject_cast<PlotReadout*>(each)) {
                return found;
            }
        }
        return nullptr;
    }
    CurvePlot plot;
    bool pressed = false;
};

TEST_F(CurvePlotInputTest, HoveringHighlightsARunAndShowsAllValues) {
    mouse(QEvent::MouseMove, at(480, 7.95));
    EXPECT_EQ(plot.hoveredRun(), 1);
    ASSERT_NE(readout(), nullptr);
    ASSERT_TRUE(readout()->isShown());
    EXPECT_EQ(readout()->title(), "step 500");
    ASSERT_EQ(readout()->rows().size(), 2);
    EXPECT_EQ(readout()->rows()[0].value, "8.000");
    EXPECT_TRUE(readout()->rows()[0].strong);
    EXPECT_EQ(readout()->rows()[1].value, "2.000");
    mouse(QEvent::MouseMove, at(480, 5));
    EXPECT_EQ(plot.hoveredRun(), CurvePlot::kNoRun);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(plot.canvas(), &leave);
    EXPECT_FALSE(readout()->isShown());
}

TEST_F(CurvePlotInputTest, AValueOfAnotherStepThanTheCrosshairsSaysWhichOne) {
    plot.setCurve({2, Quantity::validation_loss}, {0, 250, 1000}, {2, 2, 2});
    plot.refreshNow();
    mouse(QEvent::MouseMove, at(480, 7.95));
    EXPECT_EQ(readout()->title(), "step 500");
    ASSERT_EQ(readout()->rows().size(), 2);
    EXPECT_EQ(readout()->rows()[0].label, "upper");
    EXPECT_EQ(readout()->rows()[1].label, "lower at step 250");
}

TEST_F(CurvePlotInputTest, TwoQuantitiesOfARunAreOneRowWithDotsAtTheirOwnSteps) {
    plot.setShownQuantities({Quantity::validation_loss, Quantity::training_loss});
    for (const RunId run : {1, 2}) {
        plot.setCurve({run, Quantity::validation_loss}, {0, 400, 1000}, {3, 2, 1});
        plot.setCurve({run, Quantity::training_loss}, {0, 500, 1000}, {5, 4, 3});
    }
    plot.refreshNow();
    mouse(QEvent::MouseMove, at(510, 3));
    EXPECT_EQ(readout()->title(), "step 500, validation loss at step 400 / training loss");
    ASSERT_EQ(readout()->rows().size(), 2);
    EXPECT_EQ(readout()->rows()[0].label, "upper");
    EXPECT_EQ(readout()->rows()[0].value, "2.000 / 4.000");
    const QList<QPointF> dots = readout()->rows()[0].dots;
    EXPECT_TRUE(dots.contains(QPointF(400, 2)) && dots.contains(QPointF(500, 4)));

    plot.setHorizon(1000);
    for (const RunId run : {1, 2}) {
        plot.setCurve({run, Quantity::validation_loss}, {0, 400}, {3, 2});
        plot.setCurve({run, Quantity::training_loss}, {0, 500}, {5, 4});
    }
    plot.refreshNow();
    mouse(QEvent::MouseMove, at(990, 3));
    EXPECT_EQ(readout()->title(), "step 500, validation loss at step 400 / training loss");
    for (const RunId run : {1, 2}) plot.setCurve({run, Quantity::training_loss}, {0, 500, 1000}, {5, 4, 3});
    plot.refreshNow();  // and the pointer rests
    EXPECT_EQ(readout()->title(), "step 1,000, validation loss at step 400 / training loss") << "while runs train";
    EXPECT_EQ(readout()->rows()[0].value, "2.000 / 3.000");
    EXPECT_EQ(readout()->rows()[0].pen.style(), Qt::SolidLine);
}

TEST_F(CurvePlotInputTest, HoverRunHighlightsARun) {
    plot.hoverRun(2);
    EXPECT_EQ(plot.hoveredRun(), 2);
    plot.hoverRun(77);
    EXPECT_EQ(plot.hoveredRun(), CurvePlot::kNoRun);
}

TEST_F(CurvePlotInputTest, ClickSelectsARunWithoutPanning) {
    QSignalSpy picked(&plot, &CurvePlot::runPicked);
    const QPointF where = at(300, 2);
    mouse(QEvent::MouseButtonPress, where, Qt::LeftButton);
    mouse(QEvent::MouseMove, where + QPointF(1, 1));
    mouse(QEvent::MouseButtonRelease, where + QPointF(1, 1), Qt::LeftButton);
    ASSERT_EQ(picked.count(), 1);
    EXPECT_EQ(plot.pickedRun(), 2);
    EXPECT_TRUE(plot.followsData());
    press(Qt::Key_Escape);
    EXPECT_EQ(plot.pickedRun(), CurvePlot::kNoRun);
}

TEST_F(CurvePlotInputTest, DragPansAndDoubleClickResetsTheView) {
    const QCPRange before = plot.canvas()->xAxis->range();
    const QPointF where = at(500, 5);
    mouse(QEvent::MouseButtonPress, where, Qt::LeftButton);
    mouse(QEvent::MouseMove, where + QPointF(30, 0));
    mouse(QEvent::MouseMove, where + QPointF(60, 0));
    mouse(QEvent::MouseButtonRelease, where + QPointF(60, 0), Qt::LeftButton);
    EXPECT_LT(plot.canvas()->xAxis->range().lower, before.lower);
    EXPECT_FALSE(plot.followsData());
    // New data do not change a panned view.
    const QCPRange panned = plot.canvas()->xAxis->range();
    plot.append({1, Quantity::validation_loss}, 5000, 1);
    plot.refreshNow();
    EXPECT_DOUBLE_EQ(plot.canvas()->xAxis->range().lower, panned.lower);
    EXPECT_DOUBLE_EQ(plot.toFigure().x.minimum, panned.lower) << "exports use the range on screen";

    mouse(QEvent::MouseButtonDblClick, where, Qt::LeftButton);
    plot.refreshNow();
    EXPECT_TRUE(plot.followsData());
    EXPECT_DOUBLE_EQ(plot.canvas()->xAxis->range().upper, 5000);
}

TEST_F(CurvePlotInputTest, WheelZooms) {
    const double before = plot.canvas()->xAxis->range().size();
    const QPointF where = at(500, 5);
    QWheelEvent event(where, plot.canvas()->mapToGlobal(where), QPoint(), QPoint(0, 120), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot.canvas(), &event);
    EXPECT_LT(plot.canvas()->xAxis->range().size(), before);
    EXPECT_FALSE(plot.followsData());
}

TEST_F(CurvePlotInputTest, KeysPanZoomAndToggleTheLogarithmicAxis) {
    const QCPRange x = plot.canvas()->xAxis->range();
    const QCPRange y = plot.canvas()->yAxis->range();
    press(Qt::Key_Right);
    EXPECT_NEAR(plot.canvas()->xAxis->range().lower, x.lower + 0.1 * x.size(), 1e-9);
    press(Qt::Key_Left);
    press(Qt::Key_Up);
    EXPECT_NEAR(plot.canvas()->yAxis->range().lower, y.lower + 0.1 * y.size(), 1e-9);
    press(Qt::Key_Plus);
    EXPECT_LT(plot.canvas()->xAxis->range().size(), x.size());
    press(Qt::Key_R);
    plot.refreshNow();
    EXPECT_TRUE(plot.followsData());
    EXPECT_DOUBLE_EQ(plot.canvas()->xAxis->range().lower, x.lower);
    EXPECT_DOUBLE_EQ(plot.canvas()->yAxis->range().upper, y.upper);
    press(Qt::Key_L);
    EXPECT_TRUE(plot.isYLogarithmic());
    plot.refreshNow();
    const QCPRange log = plot.canvas()->yAxis->range();
    press(Qt::Key_Down);
    EXPECT_NEAR(plot.canvas()->yAxis->range().upper / log.upper, std::pow(log.upper / log.lower, -0.1), 1e-9);
}

}  // namespace
}  // namespace ropelab::ui
