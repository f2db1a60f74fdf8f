#include "ui/experiment/train_room.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <cmath>

#include "core/data/corpus.h"
#include "core/spec/error.h"
#include "tests/ui/support/workbench.h"
#include "ui/experiment/roofline_view.h"
#include "ui/experiment/run_list.h"
#include "ui/experiment/sweep_panel.h"
#include "ui/experiment/sweep_preview.h"
#include "ui/figure/ticks.h"
#include "ui/plot/curve_plot.h"
#include "ui/plot/figure_view.h"
#include "ui/window/actions.h"
#include "ui/window/why.h"

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

TEST_F(TrainRoomTest, F1ExplainsWhatIsDrawnWithThePickedRunsValues) {
    EXPECT_EQ(whyOf(&room->plot()).text, room->plot().accessibleDescription()) << "no run, no values";
    train();
    room->runList().pick(2);
    const auto said = [this] { return whyOf(&room->plot()).text; };
    room->showQuantity("validation_loss");
    const double nats = room->plot().yValues({2, Quantity::validation_loss}).back();
    EXPECT_TRUE(said().contains("ln p(next symbol")) << said().toStdString();
    EXPECT_TRUE(said().contains(readableNumber(std::exp(nats)))) << said().toStdString();
    EXPECT_TRUE(said().contains("θ 10k")) << said().toStdString();
    EXPECT_FALSE(said().contains("best possible predictor")) << "no language is known of this text";
    room->showQuantity("learning_rate");
    EXPECT_TRUE(said().contains("w = 0, lowest 1.00×10⁻⁴, T = 60")) << said().toStdString();
    room->showQuantity("gradient_norm");
    EXPECT_TRUE(said().contains("c = 1")) << said().toStdString();
    room->showQuantity("characters_per_second");
    EXPECT_TRUE(said().contains("16 windows of 32 symbols")) << said().toStdString();
    const QString roofline = whyOf(&room->roofline().view()).text;
    EXPECT_TRUE(roofline.contains("min(P, B·I)")) << roofline.toStdString();
}

TEST_F(TrainRoomTest, EveryColumnOfTheListIsExplained) {
    RunTable& table = room->runList().table();
    room->showQuantity("validation_loss");
    for (int column = 0; column < RunTable::ColumnCount; ++column) {
        EXPECT_FALSE(table.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty()) << column;
    }
    EXPECT_TRUE(table.headerData(RunTable::Best, Qt::Horizontal, Qt::ToolTipRole).toString().contains("nats"));
}

TEST_F(TrainRoomTest, TheListsColumnsComeBackFromALargeScale) {
    train();
    const auto widths = [this] {
        QList<int> all;
        for (const int column : {RunTable::State, RunTable::Last, RunTable::Best}) {
            all << room->runList().header()->sectionSize(column);
        }
        return all;
    };
    const QList<int> before = widths();
    ThemeManager::instance().setScale(200);
    EXPECT_NE(widths(), before);
    ThemeManager::instance().setScale(100);
    EXPECT_EQ(widths(), before);
}

TEST_F(TrainRoomTest, LongNamesAreListedByWhatTellsThemApart) {
    train();
    const RunTable table(*workspace);
    const auto& runs = workspace->runs().runs();
    ASSERT_GE(runs.size(), 2U);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        workspace->renameRun(runs[i].record.id,
                             "learned + θ 10k, 100 %, data tinyshakespeare, seed " + QString::number(i));
    }
    const QModelIndex second = table.index(1, RunTable::Name);
    ASSERT_TRUE(waitUntil([&] { return table.data(second, Qt::DisplayRole) == "seed 1"; }));
    EXPECT_FALSE(table.hasWholeNames());
    for (const int role : {Qt::EditRole, Qt::ToolTipRole}) {
        EXPECT_EQ(table.data(second, role), "learned + θ 10k, 100 %, data tinyshakespeare, seed 1");
    }
}

TEST_F(TrainRoomTest, LongNamesGiveTheListMoreRoomUntilTheBorderIsMoved) {
    train();
    auto* below = qobject_cast<QSplitter*>(room->runList().parentWidget());
    ASSERT_NE(below, nullptr);
    QApplication::processEvents();
    const int before = room->runList().width();
    workspace->renameRun(2, "learned + θ 10k, 100 %, data tinyshakespeare, seed 1337");
    ASSERT_TRUE(waitUntil([&] { return room->runList().width() > before + 50; }));
    EXPECT_LT(room->runList().width(), 0.75 * room->width()) << "what it writes has room too";
    below->setSizes({400, below->width() - below->handleWidth() - 400});
    emit below->splitterMoved(400, 1);  // as a hand does
    workspace->renameRun(2, "learned + θ 10k, 100 %, data tinyshakespeare, seed 133");
    QApplication::processEvents();
    EXPECT_EQ(room->runList().width(), 400);
}

TEST_F(TrainRoomTest, AnActionOfTheCurvesIsThereWhereTheyAre) {
    ActionRegistry registry(room.get());
    room->addActions(registry);
    train();
    const auto isEnabled = [&registry] {
        registry.refresh();
        EXPECT_EQ(registry.action("plot.log")->isEnabled(), registry.action("plot.reset")->isEnabled());
        return registry.action("plot.log")->isEnabled();
    };
    EXPECT_TRUE(isEnabled());
    room->showQuantity("roofline");
    EXPECT_FALSE(isEnabled());
    room->showQuantity("gradient_norm");
    EXPECT_TRUE(isEnabled());
    room->showPlan(true);
    EXPECT_FALSE(isEnabled());
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

TEST_F(TrainRoomTest, TheListKeepsEveryColumnInReach) {
    train();
    RunList& list = room->runList();
    const auto columns = [&] {
        int all = 0;
        for (int i = 0; i < RunTable::ColumnCount; ++i) all += list.header()->sectionSize(i);
        return all;
    };
    list.setMinimumSize(0, 0);
    list.resize(900, 200);
    const int wide = list.header()->sectionSize(RunTable::Name);
    EXPECT_LE(columns(), list.viewport()->width());
    list.resize(300, 200);
    EXPECT_LT(list.header()->sectionSize(RunTable::Name), wide);
    EXPECT_GE(list.header()->sectionSize(RunTable::Name), 150);
    EXPECT_GT(columns(), list.viewport()->width());
    EXPECT_EQ(list.horizontalScrollBarPolicy(), Qt::ScrollBarAsNeeded);
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

TEST_F(TrainRoomTest, RunsOfAnEarlierSweepStepBackWithWhatTheyWrote) {
    const auto writer = [this] {
        for (const auto* label : room->findChildren<QLabel*>()) {
            if (label->text().contains(" writes") && label->isVisible()) return label->text();
        }
        return QString();
    };
    const auto nameOf = [this](RunId run) { return QString::fromStdString(workspace->runs().find(run)->record.name); };
    train();
    EXPECT_TRUE(writer().startsWith(nameOf(1)));
    Experiment other = smallSweep(60);
    other.set("theta", {"500", "2000"});
    workspace->experiment().replace(other);
    train();
    EXPECT_TRUE(writer().startsWith(nameOf(3))) << writer().toStdString();
    room->runList().pick(1);
    EXPECT_TRUE(writer().startsWith(nameOf(1))) << "asked for";
}

TEST_F(TrainRoomTest, SeedsBecomeAMeanWithABand) {
    auto* bands = [this] {
        for (auto* button : room->findChildren<QToolButton*>()) {
            if (button->text() == "± std") return button;
        }
        throw std::runtime_error("no such button");
    }();
    train();
    EXPECT_TRUE(bands->isHidden()) << "nothing repeats";
    Experiment seeds = smallSweep(60);
    seeds.set("seed", {"1", "2", "3"});
    workspace->experiment().replace(seeds);
    train();
    ASSERT_FALSE(bands->isHidden());
    EXPECT_EQ(room->figure().curves.size(), 6u);
    bands->click();
    const Figure figure = room->figure();
    ASSERT_EQ(figure.curves.size(), 2u);
    const auto label = [this] { return room->plot().groups().at(0).label; };
    EXPECT_TRUE(label().endsWith("3 seeds")) << label().toStdString();
    EXPECT_EQ(figure.bands.size(), 2u);
    EXPECT_EQ(workspace->settings().value("train/bands").toString(), "on");
    workspace->runs().setVisible(1, true);  // of the first sweep: a fourth seed
    EXPECT_EQ(room->figure().curves.size(), 2u);
    EXPECT_TRUE(label().endsWith("4 seeds")) << label().toStdString();
    workspace->runs().setVisible(1, false);
    bands->click();
    EXPECT_EQ(room->figure().curves.size(), 6u);
}

TEST_F(TrainRoomTest, ManyRunsBeginAsMeansOverSeeds) {
    Experiment seeds = smallSweep(20);
    seeds.set("seed", {"1", "2", "3", "4", "5", "6"});
    workspace->experiment().replace(seeds);
    train();
    EXPECT_EQ(room->figure().curves.size(), 2u) << "twelve lines are too many";
    EXPECT_EQ(room->figure().bands.size(), 2u);
    EXPECT_EQ(workspace->settings().value("train/bands").toString(), "auto");
}

TEST_F(TrainRoomTest, ARunStoppedByHandKeepsItsMates) {
    engine.step_microseconds = 3000;
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.iteration > 5; }));
    RunList& list = room->runList();
    list.pick(1);
    emit list.customContextMenuRequested(list.visualRect(list.currentIndex()).center());
    QAction* stop = nullptr;
    for (QAction* action : list.findChild<QMenu*>()->actions()) {
        if (action->text() == "Stop this run") stop = action;
    }
    ASSERT_NE(stop, nullptr);
    stop->trigger();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_EQ(workspace->runs().find(1)->record.state, RunState::stopped);
    EXPECT_EQ(workspace->runs().find(2)->record.state, RunState::finished);
    EXPECT_EQ(workspace->runs().find(2)->record.iteration, 60);
    EXPECT_EQ(workspace->unfinishedRuns(), (std::vector<RunId>{1}));
}

TEST_F(TrainRoomTest, ARunThatDivergesEndsAndKeepsItsMates) {
    engine.failing_theta = 100;
    train();
    EXPECT_EQ(workspace->runs().find(1)->record.state, RunState::failed);
    EXPECT_EQ(workspace->runs().find(1)->record.iteration, 11);
    EXPECT_EQ(workspace->runs().find(2)->record.state, RunState::finished);
    EXPECT_TRUE(workspace->unfinishedRuns().empty()) << "it would diverge again";
    const Figure figure = room->figure();
    EXPECT_TRUE(figure.note.contains("red point: a run failed there")) << figure.note.toStdString();
}

TEST_F(TrainRoomTest, WhatIsTypedIntoANameStaysWhileTheSweepTrains) {
    engine.step_microseconds = 2000;
    workspace->experiment().replace(smallSweep(2000));
    workspace->start();
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.iteration > 0; }));
    room->runList().pick(1);
    room->runList().rename(1);
    auto* editor = room->runList().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    editor->setText("my own name");
    const std::int64_t before = workspace->runs().find(1)->record.iteration;
    ASSERT_TRUE(waitUntil([&] {  // steps and an evaluation were delivered
        return workspace->runs().find(1)->record.iteration > before + 40;
    }));
    editor = room->runList().findChild<QLineEdit*>();
    ASSERT_NE(editor, nullptr);
    EXPECT_EQ(editor->text(), "my own name");
    QTest::keyClick(editor, Qt::Key_Return);
    EXPECT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.name == "my own name"; }));
    EXPECT_EQ(room->runList().picked(), 1) << "a new name is no other run";
    ASSERT_TRUE(waitUntil([&] { return !room->runList().findChild<QLineEdit*>(); }));
    room->runList().rename(2);
    ASSERT_NE(room->runList().findChild<QLineEdit*>(), nullptr);
    room->runList().findChild<QLineEdit*>()->setText("open when the room goes");
    room.reset();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
}

TEST_F(TrainRoomTest, InAnotherRoomThePickedRunIsNotOffered) {
    QWidget window;
    ActionRegistry registry(&window);
    bool opened = false;
    registry.add({.id = "room.train", .menu = {}, .text = "Train", .handler = [&] {
                      opened = true;
                      room->show();
                  }});
    room->addActions(registry);
    train();
    room->runList().pick(1);
    const std::vector<const char*> own = {"run.rename", "run.annotate", "run.delete", "plot.log", "plot.reset"};
    registry.refresh();
    for (const char* id : own) EXPECT_TRUE(registry.action(id)->isEnabled()) << id;
    room->hide();
    registry.refresh();
    for (const char* id : own) EXPECT_FALSE(registry.action(id)->isEnabled()) << id;
    registry.action("run.plan")->trigger();
    EXPECT_TRUE(opened);
    EXPECT_TRUE(room->isPlanShown());
}

TEST_F(TrainRoomTest, ALabThatIsOpenedHasItsCurves) {
    train();
    const QList<double> losses = room->plot().yValues({1, Quantity::training_loss});
    ASSERT_EQ(losses.size(), 60);
    const QString path = workspace->lab().path();
    workspace->lab().startAfresh();
    EXPECT_TRUE(room->plot().runs().empty());
    workspace->lab().open(path);
    EXPECT_EQ(room->plot().yValues({1, Quantity::training_loss}), losses);
    EXPECT_EQ(room->plot().xValues({1, Quantity::validation_loss}), (QList<double>{0, 20, 40, 60}));
    TrainRoom second(*workspace);  // made when the lab was open already
    EXPECT_EQ(second.plot().yValues({1, Quantity::training_loss}), losses);
}

TEST_F(TrainRoomTest, ThePlanTakesThePicturesPlace) {
    auto* panel = qobject_cast<SweepPanel*>(room->panel());
    ASSERT_NE(panel, nullptr);
    room->showPlan(true);
    EXPECT_TRUE(room->preview().isVisible());
    EXPECT_EQ(room->preview().preview().runs.size(), 2u);
    workspace->start();
    EXPECT_FALSE(room->isPlanShown()) << "who starts a sweep wants to see it";
    EXPECT_TRUE(room->plot().isVisible());
    ASSERT_TRUE(waitForEnd(*workspace));
    emit panel->planAsked(true);
    EXPECT_TRUE(room->preview().isVisible());
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
