#include "ui/rooms/results/generation_measurement.h"

#include <QPushButton>
#include <QSignalSpy>

#include "tests/ui/rooms/results/results_fixture.h"
#include "ui/rooms/results/results_panel.h"
#include "ui/window/main_window.h"

namespace ropelab::ui {
namespace {

/// Fixture with a Results room and a sweep of two runs that the fake engine has trained.
class GenerationMeasurementTest : public ResultsRoomTest {
 protected:
    void train() {
        workspace->experiment().replace(smallSweep(20));
        room->show();
        workspace->start();
        ASSERT_TRUE(waitForEnd(*workspace));
        ASSERT_TRUE(waitUntil([&] { return !room->isEmpty(); }));
    }
};

TEST_F(GenerationMeasurementTest, FillsTheFigureOfTheGenerationSpeed) {
    train();
    room->refreshNow();
    room->showPart("loss-by-generation-speed");
    EXPECT_TRUE(room->figure().curves.empty());
    GenerationMeasurement& generation = room->generation();
    EXPECT_EQ(generation.button().text(), "Measure generation speed");
    generation.button().click();
    EXPECT_TRUE(generation.isMeasuring());
    EXPECT_EQ(generation.button().text(), "Stop measuring");
    EXPECT_EQ(generation.words(), "Measuring the generation speed: 0 of 2 runs.");
    ASSERT_TRUE(waitUntil([&] { return !generation.isMeasuring(); }));
    EXPECT_EQ(generation.words(), "The generation speed of 2 runs was measured.");
    room->refreshNow();
    EXPECT_FALSE(room->figure().curves.empty());
    room->choices().columns()->actionOf("full")->trigger();
    EXPECT_NE(cell(0, "generation speed"), "no column");
    generation.button().click();
    EXPECT_FALSE(generation.isMeasuring());
    EXPECT_TRUE(generation.words().startsWith("The generation speed of every finished run is already measured."));
}

TEST_F(GenerationMeasurementTest, IsRefusedWhileASweepTrains) {
    train();
    workspace->experiment().replace(smallSweep(100000));
    workspace->start();
    ASSERT_TRUE(workspace->session().isActive());
    QSignalSpy problems(workspace.get(), &Workspace::problem);
    room->measureGeneration();
    EXPECT_FALSE(room->generation().isMeasuring());
    EXPECT_TRUE(
        room->generation().words().startsWith("A sweep is training. The generation speed can be measured after"))
        << room->generation().words().toStdString();
    ASSERT_EQ(problems.count(), 1);
    EXPECT_EQ(problems.first().at(1).toString(), room->generation().words());
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(GenerationMeasurementTest, CanBeStoppedAndNamesMissingCheckpoints) {
    openUsual();  // these runs have no checkpoints
    room->refreshNow();
    GenerationMeasurement& generation = room->generation();
    generation.toggle();
    generation.toggle();
    EXPECT_FALSE(generation.isMeasuring());
    EXPECT_TRUE(generation.words().startsWith("The measurement of the generation speed was stopped"));
    generation.toggle();
    ASSERT_TRUE(waitUntil([&] { return !generation.isMeasuring(); }));
    EXPECT_TRUE(generation.words().startsWith("Measuring failed: The checkpoint ")) << generation.words().toStdString();
}

TEST_F(GenerationMeasurementTest, IsRefusedForReadOnlyLabsAndIsAnActionOfTheWindow) {
    room->generation().toggle();
    EXPECT_EQ(room->generation().words(), "This lab has no trained runs whose generation speed could be measured.");
    openUsual();
    const QString path = workspace->lab().path();
    workspace->lab().startEmptyLab();
    workspace->lab().open(path, true);
    room->generation().toggle();
    EXPECT_TRUE(room->generation().words().startsWith("This lab file is open read-only"));
    room.reset();
    workspace.reset();
    MainWindow window(options());
    EXPECT_NE(window.actions().action("results.measureGeneration"), nullptr);
}

}  // namespace
}  // namespace ropelab::ui
