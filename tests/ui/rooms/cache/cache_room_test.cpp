#include "ui/rooms/cache/cache_room.h"

#include <QCheckBox>

#include "tests/ui/rotary/room_fixture.h"
#include "ui/controls/number_slider.h"
#include "ui/plot/plot_readout.h"

namespace ropelab::ui {
namespace {

class CacheRoomTest : public RoomFixture<CacheRoom> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        open({.head_dim = 64, .context = 1024, .precision = NumberFormat::bfloat16}, {900, 700});
    }
};

TEST_F(CacheRoomTest, HoveringAChannelHighlightsItsPair) {
    FigureView* view = room->cosineView();
    emit view->hovered({100, 37});  // channel 37 pairs with 5 in half pairing
    EXPECT_EQ(model().highlightedPair(), 5);
    EXPECT_FALSE(room->sineView()->isVisible()) << "one map fills the stage";
    for (const auto& [part, table] :
         {std::pair("sine-table", room->sineView()), std::pair("cosine-table", room->cosineView())}) {
        room->showPart(part);
        room->refreshNow();
        ASSERT_EQ(table->figure().horizontalLines.size(), 2U);
        EXPECT_EQ(table->figure().horizontalLines[0].at, 5);
        EXPECT_EQ(table->figure().horizontalLines[1].at, 37);
    }
    EXPECT_EQ(room->errorView()->figure().verticalLines.front().at, 5);
    emit view->left();
    EXPECT_FALSE(model().highlightedPair());
    emit room->errorView()->clicked({9.2, 0.01});
    EXPECT_EQ(model().pickedPair(), 9);
    emit room->errorView()->clicked({9, 0.01});
    EXPECT_FALSE(model().pickedPair());
}

TEST_F(CacheRoomTest, CrosshairShowsTheStoredNumbers) {
    FigureView* view = room->cosineView();
    const FigureMap& map = *view->figure().map;
    const double position = map.xFirst + 10 * map.xStep;
    const QPoint at = (view->pixelOf({position, 0}) - plotOf(view)->pos()).toPoint();
    QTest::mouseMove(plotOf(view), at);
    const auto* readout = plotOf(view)->findChild<PlotReadout*>();
    ASSERT_NE(readout, nullptr);
    ASSERT_TRUE(readout->isShown());
    EXPECT_TRUE(readout->title().startsWith("position ")) << readout->title().toStdString();
    EXPECT_EQ(readout->rows()[0].value, "0");
    QStringList labels;
    for (const PlotReadout::Row& row : readout->rows()) {
        labels << row.label;
    }
    EXPECT_EQ(labels, QStringList({"channel", "pair", "angle", "cos", "sin", "error"}));
}

TEST_F(CacheRoomTest, RangeShowsEveryPositionAndCanBeDragged) {
    room->form().setValue("range", true);
    room->form().field<NumberSlider>("first")->commit("200");
    room->refreshNow();
    EXPECT_EQ(room->cosineView()->figure().map->xFirst, 200);
    EXPECT_EQ(room->cosineView()->figure().map->xStep, 1);
    FigureView* view = room->cosineView();
    const QPoint at = (view->canvasRect().center() - plotOf(view)->pos()).toPoint();
    const QPoint to = at - QPoint(static_cast<int>(view->canvasRect().width() / 4), 0);
    QTest::mousePress(plotOf(view), Qt::LeftButton, {}, at);
    QMouseEvent move(QEvent::MouseMove, to, plotOf(view)->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(plotOf(view), &move);
    QTest::mouseRelease(plotOf(view), Qt::LeftButton, {}, to);
    room->refreshNow();
    EXPECT_NEAR(view->figure().map->xFirst, 264, 3);
}

TEST_F(CacheRoomTest, AnglesInThePrecisionAreDisabledForFloat64) {
    const QList<float> before = room->cosineView()->figure().map->values;
    room->form().setValue("angles", true);
    room->refreshNow();
    EXPECT_NE(room->cosineView()->figure().map->values, before);
    EXPECT_TRUE(room->form().field<QCheckBox>("angles")->text().contains("bfloat16"));
    RotarySetup setup = model().setup();
    setup.precision = NumberFormat::float64;
    set(setup);
    room->refreshNow();
    EXPECT_FALSE(room->form().field<QCheckBox>("angles")->isEnabled());
    EXPECT_TRUE(room->errorView()->figure().emptyText.contains("float64"));
}

TEST_F(CacheRoomTest, ShowsCosinesSinesOrBoth) {
    room->showParts(false, true);
    room->refreshNow();
    EXPECT_FALSE(room->cosineView()->isVisible());
    EXPECT_TRUE(room->sineView()->isVisible());
    EXPECT_EQ(room->sineView()->figure().map->label, "sine, mean of 3 positions");
    room->showParts(true, true);
    EXPECT_TRUE(room->cosineView()->isVisible());
}

TEST_F(CacheRoomTest, StatesSizesAndTheFirstWrongPosition) {
    EXPECT_TRUE(room->words().contains("256 KiB")) << room->words().toStdString();  // 2 · 1,024 · 64 · 2 bytes
    EXPECT_TRUE(room->words().contains("128 KiB")) << room->words().toStdString();
    EXPECT_TRUE(room->words().contains("257")) << room->words().toStdString();
}

TEST_F(CacheRoomTest, PairingReordersTheChannels) {
    RotarySetup setup = model().setup();
    setup.pairing = Pairing::interleaved;
    set(setup);
    model().pickPair(5);
    room->refreshNow();
    EXPECT_EQ(room->cosineView()->figure().horizontalLines[0].at, 10);
    EXPECT_EQ(room->cosineView()->figure().horizontalLines[1].at, 11);
}

}  // namespace
}  // namespace ropelab::ui
