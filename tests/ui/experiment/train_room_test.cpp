#include "ui/experiment/train_room.h"

#include <cmath>

#include "core/data/corpus.h"
#include "core/spec/error.h"
#include "tests/ui/support/workbench.h"
#include "ui/experiment/run_list.h"
#include "ui/plot/curve_plot.h"

namespace ropelab::ui {
namespace {

class TrainRoomTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        workspace->experiment().replace(smallSweep(60));
        room = std::make_unique<TrainRoom>(*workspace);
        room->resize(900, 600);
        room->show();
    }
    void train() {
        workspace->start();
        ASSERT_TRUE(waitForEnd(*workspace));
    }
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<TrainRoom> room;
};

TEST_F(TrainRoomTest, EveryQuantityHasCurves) {
    train();
    for (const char* id : {"validation_loss", "training_loss", "losses", "learning_rate", "gradient_norm"}) {
        room->showQuantity(id);
        const Figure figure = room->figure();
        ASSERT_GE(figure.curves.size(), 2u) << id;
        for (const FigureCurve& curve : figure.curves) EXPECT_FALSE(curve.x.isEmpty()) << id;
    }
    EXPECT_THROW(room->showQuantity("speed of light"), BadInput);
    EXPECT_EQ(workspace->settings().value("train/quantity").toString(), "gradient_norm");
}

TEST_F(TrainRoomTest, ListAndPlotPickAndHideTogether) {
    train();
    room->runList().pick(2);
    EXPECT_EQ(room->plot().pickedRun(), 2);
    room->plot().pickRun(1);
    EXPECT_EQ(room->runList().picked(), 1);
    room->plot().setRunVisible(1, false);
    EXPECT_FALSE(workspace->runs().find(1)->visible);
    RunTable& table = room->runList().table();
    ASSERT_TRUE(table.setData(table.index(0, RunTable::Name), Qt::Checked, Qt::CheckStateRole));
    EXPECT_TRUE(room->plot().isRunVisible(1));
    EXPECT_EQ(room->figure().curves.size(), 2u);
}

TEST_F(TrainRoomTest, TheTableSaysWhatTheRunsReached) {
    train();
    RunTable& table = room->runList().table();
    const double last = testing::FakeEngine::loss(workspace->runs().find(1)->spec, 60) + 0.1;
    EXPECT_EQ(table.data(table.index(0, RunTable::Last), Qt::DisplayRole).toString(), QString::number(last, 'f', 4));
    EXPECT_EQ(table.data(table.index(0, RunTable::State), Qt::DisplayRole).toString(), "finished");
    table.setLossUnit("bits per character", 1 / std::log(2.0));
    EXPECT_EQ(table.data(table.index(0, RunTable::Best), Qt::DisplayRole).toString(),
              QString::number(last / std::log(2.0), 'f', 4));
}

TEST_F(TrainRoomTest, ThePickedRunWrites) {
    engine.step_microseconds = 3000;
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return !workspace->runs().find(1)->sample.isEmpty(); }));
    EXPECT_EQ(room->sampleText(), workspace->runs().find(1)->sample);
    room->runList().pick(2);
    ASSERT_TRUE(waitUntil([&] { return !workspace->runs().find(2)->sample.isEmpty(); }));
    EXPECT_EQ(room->sampleText(), workspace->runs().find(2)->sample);
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(TrainRoomTest, GeneratedTextHasAFloorAndFilesHaveNone) {
    train();
    EXPECT_FALSE(room->isBusy());
    EXPECT_TRUE(room->figure().horizontalLines.empty());

    Experiment generated = smallSweep(20);
    generated.set("data", {"generated-local"});
    workspace->experiment().replace(generated);
    train();
    ASSERT_TRUE(waitUntil([&] { return !room->isBusy(); }, 120'000));
    ASSERT_EQ(room->figure().horizontalLines.size(), 1u);
    const auto floor = floor_of(workspace->runs().find(3)->spec);
    ASSERT_TRUE(floor);
    EXPECT_DOUBLE_EQ(room->figure().horizontalLines.front().at, floor->mean);
}

}  // namespace
}  // namespace ropelab::ui
