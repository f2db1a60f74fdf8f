
#include "core/plan/step_cost.h"
#include "tests/ui/rooms/train/train_room_bench.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/train/curves_page.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/train_room.h"

namespace ropelab::ui {
namespace {

constexpr bench::MachineSpeed kMachine{2e11, 2e10};

TEST(RooflineFigure, ShowsTheMachineLimitAndTheRuns) {
    const RunSpec spec;
    const auto point = bench::roofline_point(spec, 29, 50000, false);
    const Figure figure =
        rooflineFigure(kMachine, {{"one", Ink::data(0), false, point}, {"two", Ink::data(1), true, point}});
    EXPECT_TRUE(figure.x.logarithmic && figure.y.logarithmic);
    ASSERT_EQ(figure.curves.size(), 3u);
    const FigureCurve& roof = figure.curves.front();
    ASSERT_EQ(roof.x.size(), 3);
    EXPECT_DOUBLE_EQ(roof.x[1], 10);
    EXPECT_DOUBLE_EQ(roof.y[1], 200);
    EXPECT_DOUBLE_EQ(roof.y[2], 200);
    EXPECT_DOUBLE_EQ(roof.y[0], 20 * roof.x[0]);
    EXPECT_DOUBLE_EQ(figure.curves[1].x.front(), point.work.intensity());
    EXPECT_DOUBLE_EQ(figure.curves[1].y.front(), point.reached() / 1e9);
    EXPECT_EQ(figure.curves[2].emphasis, FigureCurve::Emphasis::picked);
    EXPECT_EQ(figure.summary.toStdString(), bench::verdict(kMachine, point));
}

TEST(RooflineFigure, ShowsALimitPerPrecision) {
    constexpr bench::MachineSpeed machine{2e11, 2e10, 8e11};
    const auto point = [](bool rounded) { return bench::roofline_point(RunSpec(), 29, 50000, rounded); };
    const Figure figure =
        rooflineFigure(machine, {{"one", Ink::data(0), false, point(false)}, {"two", Ink::data(1), true, point(true)}});
    ASSERT_EQ(figure.curves.size(), 4u);
    EXPECT_EQ(figure.curves[0].label, "this machine, float32");
    EXPECT_DOUBLE_EQ(figure.curves[0].y[2], 200);
    EXPECT_EQ(figure.curves[1].label, "this machine, bfloat16");
    EXPECT_DOUBLE_EQ(figure.curves[1].x[1], 40);
    EXPECT_DOUBLE_EQ(figure.curves[1].y[2], 800);
    EXPECT_TRUE(figure.summary.contains("peak bfloat16 performance")) << figure.summary.toStdString();
    EXPECT_TRUE(figure.note.contains("800 GFLOP/s in bfloat16")) << figure.note.toStdString();
}

TEST(RooflineFigure, SaysWhichDataAreMissing) {
    EXPECT_FALSE(rooflineFigure({}, {}).emptyText.isEmpty());
    EXPECT_FALSE(rooflineFigure(kMachine, {}).emptyText.isEmpty());
    EXPECT_NE(rooflineFigure({}, {}).emptyText, rooflineFigure(kMachine, {}).emptyText);
}

using RooflineViewTest = TrainRoomBench;

TEST_F(RooflineViewTest, MeasuresTheMachineWhenFirstShownAndPlotsTheRuns) {
    train();
    EXPECT_EQ(workspace->settings().value("machine/multiply_per_second").toDouble(), 0);
    room->showQuantity("roofline");
    EXPECT_TRUE(room->roofline().isVisible());
    EXPECT_FALSE(room->plot().isVisible());
    ASSERT_TRUE(waitUntil([&] { return !room->roofline().isMeasuring(); }));
    EXPECT_GT(workspace->settings().value("machine/multiply_per_second").toDouble(), 0);
    EXPECT_GT(workspace->settings().value("machine/copy_per_second").toDouble(), 0);

    const Figure figure = room->figure();
    EXPECT_EQ(figure.name, "roofline");
    ASSERT_EQ(figure.curves.size(), 3u);
    const RunView& run = workspace->runs().runs().front();
    const double operations =
        training_operations(run.spec, 28) / static_cast<double>(run.spec.batch * run.spec.context);
    EXPECT_NEAR(figure.curves[1].y.front() * 1e9, operations * run.record.summary->tokens_per_second,
                1e-6 * operations * run.record.summary->tokens_per_second);

    room->runList().pick(2);
    EXPECT_TRUE(room->roofline().sentence().startsWith(QString::fromStdString(workspace->runs().find(2)->record.name)));
    room->plot().setRunVisible(1, false);
    EXPECT_EQ(room->figure().curves.size(), 2u);

    room->showQuantity("losses");
    EXPECT_TRUE(room->plot().isVisible());
    EXPECT_NE(room->figure().name, "roofline");
}

TEST_F(RooflineViewTest, ShowsPredictedAndMeasuredMemory) {
    EXPECT_EQ(room->roofline().memorySentence(), "");
    train();
    EXPECT_TRUE(room->roofline().memorySentence().contains("estimated"));
    room->roofline().setPeakMemory(250'000'000);
    EXPECT_TRUE(room->roofline().memorySentence().contains("250 MB measured"))
        << room->roofline().memorySentence().toStdString();
}

TEST_F(RooflineViewTest, DoesNotMeasureTheMachineDuringTraining) {
    engine.step_microseconds = 5000;
    room->showQuantity("roofline");
    ASSERT_TRUE(waitUntil([&] { return !room->roofline().isMeasuring(); }));
    workspace->settings().setValue("machine/multiply_per_second", 0.0);
    workspace->start();
    ASSERT_TRUE(workspace->session().isActive());
    EXPECT_TRUE(room->roofline().sentence().contains("when no training is active"));
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

}  // namespace
}  // namespace ropelab::ui
