#include "ui/rooms/context/context_room.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QUndoStack>
#include <cmath>

#include "tests/ui/rotary/room_fixture.h"
#include "ui/controls/number_slider.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/criteria_panel.h"
#include "ui/rooms/context/measured_loss.h"

namespace ropelab::ui {
namespace {

class ContextRoomTest : public RoomFixture<ContextRoom> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        open({.head_dim = 128, .context = 1024}, {900, 600});
    }
    void change(const std::function<void(RotarySetup&)>& apply) {
        RotarySetup next = setup();
        apply(next);
        model().change("change", next);
        room->refreshNow();
    }
};

TEST_F(ContextRoomTest, ShowsTheCurrentSetup) {
    EXPECT_EQ(room->view()->figure().name, "context-bound");
    EXPECT_TRUE(room->words().contains("supports a context of 1,707 tokens")) << room->words().toStdString();
    EXPECT_TRUE(room->criteria()->text(0).contains("1,707 tokens; the context is 1,024"))
        << room->criteria()->text(0).toStdString();
    change([](RotarySetup& next) { next.theta = 500; });
    EXPECT_TRUE(room->words().contains("supports a context of 171 tokens")) << room->words().toStdString();
    EXPECT_TRUE(room->criteria()->text(0).contains("for distances Δ < 171 tokens; the context is 1,024"))
        << room->criteria()->text(0).toStdString();
}

TEST_F(ContextRoomTest, DraggingTheContextIsOneUndoStep) {
    const int steps = workspace->rotaryUndo().count();
    for (const double at : {1200.0, 1500.0, 2048.0}) {
        emit room->view()->lineDragged(kContextLine, at);
        room->refreshNow();
    }
    emit room->view()->lineDropped(kContextLine);
    EXPECT_EQ(setup().context, 2048);
    EXPECT_EQ(workspace->rotaryUndo().count(), steps + 1);
    workspace->rotaryUndo().undo();
    EXPECT_EQ(setup().context, 1024);
}

TEST_F(ContextRoomTest, AxisDoesNotChangeDuringADrag) {
    const double end = room->view()->figure().x.maximum;
    emit room->view()->lineDragged(kContextLine, end);
    room->refreshNow();
    EXPECT_EQ(room->view()->figure().x.maximum, end);
    emit room->view()->lineDropped(kContextLine);
    room->refreshNow();
    EXPECT_GT(room->view()->figure().x.maximum, end);
}

TEST_F(ContextRoomTest, ComputesALargeContextBoundInTheBackground) {
    RotarySetup far = setup();
    far.theta = 1e7;  // B(Δ) is first negative at 144,660, which one frame does not compute
    workspace->rotary().change("change theta", far);
    ASSERT_TRUE(waitUntil([&] { return room->words().contains("144,660"); })) << room->words().toStdString();
    EXPECT_GE(room->view()->figure().x.maximum, 144660);
}

TEST_F(ContextRoomTest, SharesOfTheLatestSetupAreComputedInTheBackground) {
    room->showPart("share");
    const auto shown = [&] { return room->isBusy() ? Figure() : room->view()->figure(); };
    ASSERT_TRUE(waitUntil([&] { return !shown().curves.empty(); }));
    EXPECT_EQ(shown().curves.front().y, shareFigure(setup(), 0).curves.front().y);
    for (const double theta : {700.0, 500.0}) {  // the second one while the first one is being computed
        RotarySetup next = setup();
        next.theta = theta;
        model().change("change theta", next);
        QTest::qWait(20);
    }
    ASSERT_TRUE(waitUntil([&] { return !shown().curves.empty(); }));
    EXPECT_EQ(shown().curves.front().y, shareFigure(setup(), 0).curves.front().y);
}

TEST_F(ContextRoomTest, EveryPartShowsItsFigure) {
    const std::vector<std::pair<const char*, const char*>> parts = {
        {"bases", "feasible-bases"}, {"map", "context-map"}, {"decay", "decay-bound"},
        {"random", "random-logits"}, {"share", "key-share"}, {"bound", "context-bound"}};
    for (const auto& [part, name] : parts) {
        room->showPart(QString::fromLatin1(part));
        room->refreshNow();
        EXPECT_EQ(room->figure().name, QLatin1String(name));
        EXPECT_FALSE(room->words().isEmpty()) << part;
    }
    EXPECT_THROW(room->showPart("unknown"), BadInput);
    EXPECT_EQ(room->part(), ContextRoom::Part::bound);
    EXPECT_TRUE(room->view()->figure().x.logarithmic);
    room->logarithmic()->click();
    room->refreshNow();
    EXPECT_FALSE(room->view()->figure().x.logarithmic);
}

TEST_F(ContextRoomTest, ScanCompletesAndCanBeRefined) {
    change([](RotarySetup& next) {
        next.head_dim = 16;
        next.context = 64;
    });
    room->showPart("bases");
    ASSERT_TRUE(waitUntil([&] { return room->profile().isComplete() && room->finer()->isEnabled(); }));
    const std::size_t count = room->profile().count();
    EXPECT_EQ(count, 2049U);
    EXPECT_TRUE(room->words().startsWith("Bases that support a context of 64 tokens (feasible bases): "))
        << room->words().toStdString();
    room->finer()->click();
    ASSERT_TRUE(waitUntil([&] { return room->profile().isComplete(); }));
    EXPECT_EQ(room->profile().count(), 2 * count - 1);
}

TEST_F(ContextRoomTest, ChangingTheHeadDimensionRestartsTheScan) {
    room->showPart("bases");
    ASSERT_TRUE(waitUntil([&] { return room->profile().done() > 10; }));
    const auto range = room->profile().range();
    RotarySetup other = setup();
    other.theta = 500;
    workspace->rotary().change("change theta", other);
    QTest::qWait(50);
    EXPECT_TRUE(room->profile().matches(setup(), range));  // theta only moves the marker
    EXPECT_GT(room->profile().done(), 10U);
    other.head_dim = 16;
    workspace->rotary().change("change head dimension", other);
    ASSERT_TRUE(waitUntil([&] { return room->profile().matches(other, range); }));
}

TEST_F(ContextRoomTest, MarkerIsDraggedInBothDirections) {
    change([](RotarySetup& next) { next.head_dim = 16; });
    room->showPart("bases");
    room->refreshNow();
    FigureView* view = room->view();
    const int steps = workspace->rotaryUndo().count();
    emit view->pressed({setup().theta, static_cast<double>(setup().context)}, Qt::NoModifier);
    emit view->dragged({50000, 2048}, Qt::NoModifier);
    emit view->dragged({100000, 4096}, Qt::NoModifier);
    emit view->released();
    EXPECT_NEAR(setup().theta, 100000, 1);
    EXPECT_EQ(setup().context, 4096);
    EXPECT_EQ(workspace->rotaryUndo().count(), steps + 1);
    // A press away from the marker does not move it.
    emit view->pressed({500, 100}, Qt::NoModifier);
    emit view->dragged({600, 200}, Qt::NoModifier);
    emit view->released();
    EXPECT_EQ(setup().context, 4096);
    emit view->keyPressed(Qt::Key_Right, Qt::NoModifier);
    EXPECT_GT(setup().theta, 100000);
    EXPECT_EQ(setup().context, 4096);
    emit view->keyPressed(Qt::Key_Down, Qt::NoModifier);
    EXPECT_LT(setup().context, 4096);
}

TEST_F(ContextRoomTest, SamplingRunsWhileVisibleAndStopsWhenHidden) {
    change([](RotarySetup& next) {
        next.head_dim = 16;
        next.context = 64;
    });
    room->showPart("random");
    ASSERT_TRUE(waitUntil([&] { return room->samples().count >= 64; }));
    room->hide();
    const std::int64_t before = room->samples().count;
    QTest::qWait(200);
    EXPECT_EQ(room->samples().count, before);
    room->show();
    ASSERT_TRUE(waitUntil([&] { return room->samples().count == kMaxSamples; }));
    QTest::qWait(100);
    EXPECT_EQ(room->samples().count, kMaxSamples);
    const auto mean = room->samples().equal.mean;
    room->sampleAgain()->click();
    ASSERT_TRUE(waitUntil([&] { return room->samples().seed == 2 && room->samples().count == kMaxSamples; }));
    EXPECT_NE(room->samples().equal.mean, mean);
}

TEST_F(ContextRoomTest, RandomVectorsAreSetInThePanel) {
    change([](RotarySetup& next) {
        next.head_dim = 16;
        next.context = 64;
    });
    EXPECT_TRUE(room->random().field<QWidget>("mean")->parentWidget()->isHidden());
    room->showPart("random");
    room->refreshNow();
    EXPECT_FALSE(room->random().field<QWidget>("mean")->parentWidget()->isHidden());
    EXPECT_TRUE(room->words().contains("because μ² + ρ = 0")) << room->words().toStdString();
    room->random().field<NumberSlider>("mean")->commit("1");
    room->random().field<NumberSlider>("correlation")->commit("0.5");
    room->refreshNow();
    EXPECT_EQ(room->samples().vectors, (RandomVectors{.mean = 1, .correlation = 0.5}));
    EXPECT_TRUE(room->words().contains("μ² + ρ = 1.5 is above 0")) << room->words().toStdString();
    // The crosshair shows the expected value at a sampled distance, not at a neighbouring extreme of the curve.
    const auto readout = room->view()->readoutAt({37, 0});
    ASSERT_TRUE(readout);
    EXPECT_EQ(readout->rows.last().label, "ρ = 0.5, expected");
    EXPECT_EQ(readout->rows.last().value, readableNumber(expected_logit(frequencies(frequency_settings(setup())), 16,
                                                                        readout->x, {.mean = 1, .correlation = 0.5})));
    room->random().field<NumberSlider>("correlation")->commit("2");
    EXPECT_TRUE(room->random().field<NumberSlider>("correlation")->error().contains("between -1 and 1"));
    EXPECT_EQ(room->random().value("correlation"), 0.5);
}

// "No trained run" stayed beside the list of runs that had come later.
TEST_F(ContextRoomTest, MeasuredLossSaysThatThereAreNoRunsOnlyWithoutRuns) {
    MeasuredLossPanel panel(workspace->runAccess());
    panel.show();
    const auto saysSo = [&panel] {
        return std::ranges::any_of(panel.findChildren<QLabel*>(), [](const QLabel* label) {
            return label->text() == "No trained run or opened model is available.";
        });
    };
    EXPECT_TRUE(saysSo());
    workspace->experiment().replace(smallSweep(20));
    workspace->start();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_TRUE(waitUntil([&] { return !saysSo(); }));
    workspace->lab().startEmptyLab();
    EXPECT_TRUE(waitUntil(saysSo));
}

TEST_F(ContextRoomTest, TunedBaseIsComparedWithTheTarget) {
    std::unique_ptr<QWidget> panel(room->panel());
    EXPECT_EQ(room->tuning()->criticalDimension()->text(), "72 of 128");
    EXPECT_FALSE(room->tuning()->form().field<QCheckBox>("target")->isChecked());
    EXPECT_FALSE(room->tuning()->form().field<NumberSlider>("context")->isEnabled());
    EXPECT_FALSE(room->criteria()->text(2).contains("target")) << room->criteria()->text(2).toStdString();
    EXPECT_EQ(room->tuning()->criticalBase()->text(), "no target");
    room->tuning()->form().field<QCheckBox>("target")->click();
    room->refreshNow();
    EXPECT_TRUE(room->tuning()->form().field<NumberSlider>("context")->isEnabled());
    EXPECT_TRUE(room->criteria()->text(2).contains("for the target of 4,096 tokens"))
        << room->criteria()->text(2).toStdString();
    room->tuning()->form().field<NumberSlider>("context")->commit("8192");
    room->tuning()->form().field<NumberSlider>("base")->commit("1M");
    room->refreshNow();
    EXPECT_TRUE(room->criteria()->text(2).contains("fine-tuning with base β = 1,000,000"));
    EXPECT_TRUE(room->criteria()->text(2).contains("for the target of 8,192 tokens"))
        << room->criteria()->text(2).toStdString();
    EXPECT_TRUE(room->tuning()->extrapolationLimit()->text().endsWith("tokens"));
    room->tuning()->form().field<QCheckBox>("target")->click();
    room->refreshNow();
    EXPECT_FALSE(room->criteria()->text(2).contains("target")) << room->criteria()->text(2).toStdString();
    EXPECT_TRUE(room->criteria()->text(2).contains("with base β = 10,000"));
    room.reset();
}

}  // namespace
}  // namespace ropelab::ui
