#include "ui/inspect/inspect_room.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

#include "tests/ui/inspect/inspect_fixture.h"
#include "ui/inspect/inspect_pane.h"
#include "ui/inspect/inspect_panel.h"
#include "ui/inspect/replay_bar.h"
#include "ui/inspect/text_strip.h"
#include "ui/plot/figure_view.h"
#include "ui/window/actions.h"

namespace ropelab::ui {
namespace {

class InspectRoomTest : public InspectBench {
 protected:
    void SetUp() override {
        InspectBench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<InspectRoom>(*workspace);
        room->resize(1000, 700);
    }
    void TearDown() override {
        room.reset();
        workspace.reset();
    }
    void openLab(const QString& path) {
        workspace->lab().open(path);
        room->show();
        ASSERT_TRUE(waitUntil([&] { return room->data().run && !room->isBusy(); }));
    }
    bool settled() {
        return waitUntil([&] { return !room->isBusy(); });
    }
    const Figure& figure() { return room->mainPane().picture().figure; }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<InspectRoom> room;
};

TEST_F(InspectRoomTest, EmptyItOffersToTrain) {
    room->show();
    room->refreshNow();
    EXPECT_TRUE(room->isEmpty());
    EXPECT_FALSE(room->hasFigure());
    QWidget window;
    ActionRegistry registry(&window);
    int shown = 0;
    registry.add({.id = "room.train", .menu = "View", .text = "Room: Train", .handler = [&] { ++shown; }});
    room->addActions(registry);
    room->goToTrain()->click();
    EXPECT_EQ(shown, 1);
}

TEST_F(InspectRoomTest, ShowsTheNewestSnapshotAndScrubs) {
    openLab(writeLab());
    EXPECT_TRUE(room->hasFigure());
    EXPECT_EQ(figure().name, "logit-share");
    EXPECT_EQ(room->data().iteration, 100);
    room->replay().slider()->setValue(0);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().iteration, 1);
    EXPECT_TRUE(figure().note.contains("step 1"));
    // The line in the loss picture is the same cursor.
    emit room->lossView().lineDragged("time", 60);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().iteration, 50);
    QTest::keyClick(room.get(), Qt::Key_Period);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().iteration, 100);
}

TEST_F(InspectRoomTest, WhileHiddenItReadsNothing) {
    workspace->lab().open(writeLab());
    QTest::qWait(50);
    EXPECT_EQ(room->data().run, nullptr);
    EXPECT_FALSE(room->isBusy());
}

TEST_F(InspectRoomTest, FollowsTrainingUntilThePersonLooksBack) {
    room->mainPane().choose("loss-by-position");
    room->show();
    engine.step_microseconds = 1000;
    workspace->experiment().replace(smallSweep(400));
    workspace->start();
    const auto snapshots = [&] { return room->data().run ? room->data().run->snapshots.size() : 0U; };
    ASSERT_TRUE(waitUntil([&] { return snapshots() > 6; }));
    EXPECT_TRUE(workspace->session().isActive());
    EXPECT_EQ(room->data().iteration, room->data().run->snapshots.back().iteration);
    room->replay().slider()->setValue(1);
    const std::int64_t cursor = room->replay().iteration();
    const std::size_t before = snapshots();
    ASSERT_TRUE(waitUntil([&] { return snapshots() > before; }));
    EXPECT_EQ(room->data().iteration, cursor);
    ASSERT_TRUE(waitForEnd(*workspace));
    ASSERT_TRUE(waitUntil([&] { return room->data().run && settled(); }));
    EXPECT_EQ(room->data().run->snapshots.back().iteration, 400);
    EXPECT_EQ(room->data().iteration, cursor);
}

TEST_F(InspectRoomTest, ReplayRunsToTheEndAndStops) {
    openLab(writeLab());
    room->replay().pace()->setCurrentIndex(room->replay().pace()->count() - 1);
    room->replay().playButton()->click();
    EXPECT_TRUE(room->replay().isPlaying());
    EXPECT_EQ(room->replay().iteration(), 1);
    ASSERT_TRUE(waitUntil([&] { return !room->replay().isPlaying(); }));
    EXPECT_EQ(room->replay().iteration(), 100);
}

TEST_F(InspectRoomTest, PairsAreLitHereAndInTheRotaryRooms) {
    openLab(writeLab());
    workspace->rotary().pickPair(1);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().choices.pair, 1);
    EXPECT_TRUE(figure().verticalLines.at(0).label.contains("pair 1"));
    emit room->mainPane().view().clicked(QPointF(3, 0));
    EXPECT_EQ(workspace->rotary().pickedPair(), 3);
    emit room->mainPane().view().hovered(QPointF(0, 0));
    EXPECT_EQ(workspace->rotary().litPair(), 0);
    emit room->mainPane().view().left();
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().choices.pair, 3);
    emit room->mainPane().view().clicked(QPointF(3, 0));
    EXPECT_EQ(workspace->rotary().pickedPair(), std::nullopt);
}

TEST_F(InspectRoomTest, TwoRunsSideBySideAndAsADifference) {
    openLab(writeLab());
    room->mainPane().choose("query-spectrum");
    room->choices().ghosts()->setCurrentIndex(room->choices().ghosts()->findData(2));
    room->sidePane().choose("second-run");
    ASSERT_TRUE(waitUntil([&] { return room->data().ghost && settled(); }));
    EXPECT_EQ(room->sidePane().picture().figure.name, "query-spectrum");
    EXPECT_TRUE(room->sidePane().picture().figure.note.contains("θ 10k"));
    EXPECT_EQ(room->sidePane().picture().figure.map->maximum, figure().map->maximum);  // comparable
    room->choices().difference()->setChecked(true);
    ASSERT_TRUE(settled());
    EXPECT_EQ(figure().map->scale, FigureMap::Scale::diverging);
    EXPECT_FLOAT_EQ(figure().map->values[0], -3);
}

TEST_F(InspectRoomTest, AClickedHeadIsShownLargeAndASymbolIsRead) {
    openLab(writeLab());
    room->mainPane().choose("attention-heads");
    room->sidePane().choose("attention-map");
    ASSERT_TRUE(settled());
    room->refreshNow();
    const QRectF canvas = room->mainPane().view().canvasRect();
    emit room->mainPane().view().clicked(
        {canvas.left() + 0.75 * canvas.width(), canvas.top() + 0.75 * canvas.height()});
    EXPECT_EQ(room->choices().choices().layer, 1);
    EXPECT_EQ(room->choices().choices().head, 1);
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->textStrip().isVisible());
    emit room->textStrip().picked(2);
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->textStrip().reading().query, 2);
    EXPECT_EQ(room->sidePane().picture().figure.horizontalLines.at(0).at, 2);
    const QRectF first = room->textStrip().rectOf(0);
    QTest::mouseMove(&room->textStrip(), first.center().toPoint());
    ASSERT_TRUE(waitUntil([&] { return room->textStrip().reading().query == 0; }));
}

TEST_F(InspectRoomTest, RunsWithoutSnapshotsSayWhy) {
    openLab(writeLab(false, {{"probe_every", 0}}));
    EXPECT_FALSE(room->hasFigure());
    EXPECT_TRUE(figure().emptyText.contains("probe_every = 0"));
    EXPECT_FALSE(room->replay().playButton()->isEnabled());
}

TEST_F(InspectRoomTest, KnockOutsAskTheCheckpointAndTheLatestChangeStands) {
    openLab(writeLab());
    room->mainPane().choose("knock-out-loss");
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->hasFigure()) << figure().emptyText.toStdString();
    EXPECT_TRUE(figure().summary.contains("pair 0 stopped"));
    InspectPanel& panel = room->choices();
    panel.kinds()->setCurrentIndex(1);
    panel.which()->setCurrentIndex(panel.which()->count() - 1);
    for (const int count : {1, 2, 3}) panel.first()->setValue(count);
    ASSERT_TRUE(settled());
    EXPECT_TRUE(figure().summary.contains("pairs 1–3 removed")) << figure().summary.toStdString();
    room->mainPane().choose("knock-out-curve");
    ASSERT_TRUE(settled());
    EXPECT_EQ(figure().curves.at(0).x, (QList<double>{0, 1, 2, 3, 4}));
}

TEST_F(InspectRoomTest, BeyondTheWindowComparesMethodsWherePositionsRotate) {
    openLab(writeLab());
    room->showPart("beyond-loss");
    ASSERT_TRUE(settled());
    ASSERT_TRUE(room->hasFigure()) << figure().emptyText.toStdString();
    EXPECT_EQ(figure().curves.size(), 6U);
    EXPECT_EQ(room->data().run->spec.context * 4, 64);
    EXPECT_GT(figure().curves.at(0).x.last(), 60);
    workspace->lab().open(writeLab(true, {{"position", "learned"}}));
    ASSERT_TRUE(waitUntil([&] { return room->data().run && room->data().run->spec.learns_positions() && settled(); }));
    EXPECT_TRUE(figure().emptyText.contains("learned a vector for each of its 16 positions"))
        << figure().emptyText.toStdString();
    EXPECT_TRUE(refusal([&] { (void)room->showPart("nonsense"); }).contains("no figure \"nonsense\" in Inspect"));
}

TEST_F(InspectRoomTest, ATypedTextIsReadOrRefused) {
    openLab(writeLab());
    room->mainPane().choose("attention-map");
    room->choices().textField()->setText("the Quick");
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().text, nullptr);
    room->choices().textField()->setText("the quick");
    ASSERT_TRUE(settled());
    EXPECT_TRUE(room->data().problem.isEmpty()) << room->data().problem.toStdString();
    ASSERT_NE(room->data().text, nullptr);
    EXPECT_EQ(room->data().text->length, 9);
    EXPECT_EQ(room->data().textIteration, 100);
    room->choices().textField()->clear();
    ASSERT_TRUE(settled());
    EXPECT_EQ(room->data().text, nullptr);
}

TEST_F(InspectRoomTest, WritesOneFrameASnapshot) {
    openLab(writeLab());
    QSignalSpy written(room.get(), &InspectRoom::framesWritten);
    room->askFrames = [this](const QString&) { return file("replay.png"); };
    room->replay().framesButton()->click();
    ASSERT_TRUE(waitUntil([&] { return written.count() == 1; }));
    EXPECT_EQ(written.at(0).at(0).toInt(), 3);
    const QImage first(file("replay-0001.png"));
    const QImage last(file("replay-0003.png"));
    ASSERT_FALSE(first.isNull());
    EXPECT_EQ(first.size(), last.size());
    EXPECT_NE(first, last);
    room->writeFrames(file("replay.svg"));
    ASSERT_TRUE(waitUntil([&] { return written.count() == 2; }));
    QFile svg(file("replay-0002.svg"));
    ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
    EXPECT_TRUE(svg.readAll().contains("<svg"));
    QSignalSpy problem(workspace.get(), &Workspace::problem);
    room->writeFrames(file("replay.gif"));
    EXPECT_EQ(problem.count(), 1);
}

TEST_F(InspectRoomTest, ANarrowRoomShowsOnePicture) {
    openLab(writeLab());
    EXPECT_TRUE(room->sidePane().isVisible());
    room->resize(600, 500);
    QApplication::processEvents();
    EXPECT_FALSE(room->sidePane().isVisible());
}

}  // namespace
}  // namespace ropelab::ui
