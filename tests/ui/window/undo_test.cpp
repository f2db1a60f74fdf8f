// Undo and Redo in the room that is shown, and what the status strip says about them.
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <complex>
#include <stdexcept>

#include "tests/ui/support/window_fixture.h"
#include "ui/controls/number_slider.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/rotation/figures/scene_figures.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_pages.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/rotary/setup_panel.h"
#include "ui/window/frame/status_strip.h"

namespace ropelab::ui {
namespace {

class UndoTest : public WindowFixture {
 protected:
    std::string undo() {
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        return window->strip().told().toStdString();
    }
    std::string redo() {
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        return window->strip().told().toStdString();
    }
    SetupPanel& setupPanel() {
        for (SetupPanel* each : window->findChildren<SetupPanel*>()) {
            if (each->isVisible()) return *each;
        }
        throw std::runtime_error("no setup panel is visible");
    }
    RotationRoom& rotation() {
        window->showRoom("rotation");
        window->room().refreshNow();
        return static_cast<RotationRoom&>(window->room());
    }
    RotaryModel& model() { return window->workspace().rotary(); }
};

TEST_F(UndoTest, ThetaAndFraction) {
    window->showRoom("spectrum");
    setupPanel().slider("theta")->commit("500k");
    setupPanel().slider("fraction")->commit("25 %");
    EXPECT_EQ(undo(), "Undone: fraction 25 % → 100 %");
    EXPECT_EQ(model().setup().fraction, 1);
    EXPECT_EQ(undo(), "Undone: θ 500k → 10k");
    EXPECT_EQ(model().setup().theta, 10000);
    EXPECT_EQ(redo(), "Redone: θ 10k → 500k");
    EXPECT_EQ(model().setup().theta, 500000);
}

TEST_F(UndoTest, UndoAfterEnterInAFieldUndoesTheValue) {
    window->showRoom("spectrum");
    auto* field = setupPanel().slider("theta")->findChild<QLineEdit*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "500k");
    QTest::keyClick(field, Qt::Key_Return);
    ASSERT_EQ(model().setup().theta, 500000);
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(model().setup().theta, 10000);
    EXPECT_EQ(field->text(), "10k");
}

TEST_F(UndoTest, PositionsOfTheRotationRoom) {
    RotationRoom& room = rotation();
    room.positionBar()->query()->commit("400");
    EXPECT_EQ(room.scene().state.m, 400);
    EXPECT_EQ(undo(), "Undone: m 400 → 100");
    EXPECT_EQ(room.scene().state.m, 100);
    EXPECT_EQ(redo(), "Redone: m 100 → 400");
    EXPECT_EQ(room.scene().state.m, 400);
    room.positionBar()->key()->commit("7");
    EXPECT_EQ(undo(), "Undone: n 7 → 60");
}

TEST_F(UndoTest, PlaybackIsOneStepAndUndoStopsIt) {
    RotationRoom& room = rotation();
    room.editor().play(true);
    room.editor().advance(1);
    room.editor().advance(1);
    const std::int64_t reached = room.scene().state.m;
    ASSERT_GT(reached, 100);
    undo();
    EXPECT_FALSE(room.editor().isPlaying());
    EXPECT_EQ(room.scene().state.m, 100);
    EXPECT_FALSE(model().undoStack().canUndo());
}

TEST_F(UndoTest, ArrowDraggedByHand) {
    RotationRoom& room = rotation();
    const std::vector<double> before = room.scene().state.query;
    FigureView* view = room.pairView();
    const int pair = *room.scene().enlargedPair();
    const EnlargedDial dial = enlargedDialOf(room.scene(), view->canvasRect(), view->style());
    const QPointF from = dial.pointOf(room.scene().rotatedQuery(pair));
    const QPointF to = dial.pointOf(room.scene().rotatedQuery(pair) * std::polar(1.0, 1.0));
    QWidget* surface = view->childAt(from.toPoint());
    ASSERT_NE(surface, nullptr);
    QTest::mousePress(surface, Qt::LeftButton, Qt::NoModifier, surface->mapFrom(view, from.toPoint()));
    for (const QPointF& place : {(from + to) / 2, to}) {
        const QPointF at = surface->mapFrom(view, place.toPoint());
        QMouseEvent move(QEvent::MouseMove, at, surface->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(surface, &move);
    }
    QTest::mouseRelease(surface, Qt::LeftButton, Qt::NoModifier, surface->mapFrom(view, to.toPoint()));
    const std::vector<double> dragged = room.scene().state.query;
    ASSERT_NE(dragged, before);
    EXPECT_EQ(room.scene().state.source, VectorSource::handEdited);

    EXPECT_EQ(undo(), "Undone: drag the arrow of q, pair " + std::to_string(pair));
    EXPECT_EQ(room.scene().state.query, before) << "the drag is one step";
    EXPECT_EQ(room.scene().state.source, VectorSource::random);
    redo();
    EXPECT_EQ(room.scene().state.query, dragged);
}

TEST_F(UndoTest, AimAndSourceOfTheVectors) {
    RotationRoom& room = rotation();
    const std::vector<double> before = room.scene().state.key;
    room.showPage(RotationRoom::Aim);
    room.refreshNow();
    room.aimPage()->aimButton()->click();
    ASSERT_EQ(room.scene().state.source, VectorSource::aimed);
    room.aimPage()->distance()->commit("90");
    EXPECT_EQ(undo(), "Undone: r 90 → 40");
    EXPECT_EQ(undo(), "Undone: aim k at distance r");
    EXPECT_EQ(room.scene().state.source, VectorSource::random);
    EXPECT_EQ(room.scene().state.key, before);
    room.editor().sampleAgain();
    ASSERT_NE(room.scene().state.key, before);
    EXPECT_EQ(undo(), "Undone: resample q and k");
    EXPECT_EQ(room.scene().state.key, before);
}

TEST_F(UndoTest, PickedPair) {
    window->showRoom("spectrum");
    model().pickPair(3);
    model().pickPair(5);
    EXPECT_EQ(undo(), "Undone: highlighted pair 5 → 3");
    EXPECT_EQ(model().pickedPair(), 3);
    EXPECT_EQ(undo(), "Undone: highlighted pair 3 → none");
    EXPECT_EQ(redo(), "Redone: highlighted pair none → 3");
    EXPECT_EQ(model().pickedPair(), 3);
}

TEST_F(UndoTest, SweepChipsInTheTrainRoom) {
    ExperimentModel& experiment = window->workspace().experiment();
    experiment.replace(smallSweep());
    ChipListEdit* chips = nullptr;
    for (ChipListEdit* each : window->findChildren<ChipListEdit*>()) {
        if (each->accessibleName() == QStringLiteral("θ")) chips = each;
    }
    ASSERT_NE(chips, nullptr);
    ASSERT_TRUE(chips->commit(2, "1M"));
    ASSERT_EQ(experiment.value().values("theta").size(), 3u);
    EXPECT_EQ(undo(), "Undone: θ 100, 10k, 1M → 100, 10k");
    EXPECT_EQ(experiment.value().values("theta").size(), 2u);
    EXPECT_EQ(redo(), "Redone: θ 100, 10k → 100, 10k, 1M");
}

TEST_F(UndoTest, EachRoomUndoesWhatItShows) {
    ExperimentModel& experiment = window->workspace().experiment();
    experiment.replace(smallSweep());
    experiment.edit("change batch", [](Experiment& each) { each.set("batch", {"4"}); });
    const auto batch = experiment.value().values("batch");
    window->showRoom("spectrum");
    setupPanel().slider("theta")->commit("500k");
    window->showRoom("train");
    undo();
    EXPECT_NE(experiment.value().values("batch"), batch);
    EXPECT_EQ(model().setup().theta, 500000) << "the Train room does not show the rotary setup";
    redo();
    window->showRoom("memory");
    undo();
    EXPECT_EQ(experiment.value().values("batch"), batch);
    EXPECT_EQ(model().setup().theta, 10000);
}

TEST_F(UndoTest, StatusTextMovesNothing) {
    window->showRoom("spectrum");
    setupPanel().slider("theta")->commit("500k");
    QList<QRect> before;
    for (const QWidget* each : window->strip().findChildren<QWidget*>()) before << each->geometry();
    undo();
    QApplication::processEvents();
    QList<QRect> after;
    for (const QWidget* each : window->strip().findChildren<QWidget*>()) after << each->geometry();
    EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace ropelab::ui
