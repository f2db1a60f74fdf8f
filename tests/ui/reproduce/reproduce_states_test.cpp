// What the Reproduce room says of labs that were made elsewhere, that failed, or that cannot go on.
#include <cmath>
#include <limits>

#include "tests/ui/reproduce/reproduce_fixture.h"

namespace ropelab::ui {
namespace {

// At laptop scale without anything to measure afterwards, so that verdicts come from the losses alone.
SheetPlan plannedBpc(int seeds = 3) {
    return sheet("bpc").plan({SheetScale::laptop, seeds, {}});
}

TEST_F(ReproduceTest, ALabWithASheetShowsItsVerdicts) {
    const QString lab = recordedLab(plannedBpc(), [](const RunSpec& run) {
        const bool turns = run.position == Position::rope || run.position == Position::learned_rope;
        return (turns ? 1.2 : 1.6) + 0.001 * static_cast<double>((turns ? 3 * run.seed : run.seed) % 7);
    });
    workspace->lab().open(lab);
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_EQ(room->choices().choice().sheet, "bpc");
    EXPECT_EQ(room->choices().choice().scale, SheetScale::laptop);
    EXPECT_EQ(room->page(), ReproduceRoom::Page::comparison);
    EXPECT_TRUE(room->words().contains("reproduced")) << room->words().toStdString();
    const WordTable& table = room->comparison();
    bool hasVerdict = false;
    for (int i = 0; i < table.rowCount(); ++i) {
        const QModelIndex verdict = table.index(i, table.columnOf("verdict"));
        if (verdict.data().toString() != "reproduced") continue;
        hasVerdict = true;
        EXPECT_EQ(verdict.data(Qt::ForegroundRole).value<QColor>(), ThemeManager::instance().theme().success);
        EXPECT_NE(cell(table, i, "p rule, Holm"), "–");
        EXPECT_NE(cell(table, i, "p Student"), "–");
        EXPECT_NE(cell(table, i, "p Welch"), "–");
    }
    EXPECT_TRUE(hasVerdict);
}

TEST_F(ReproduceTest, FailedRunsAreCountedAndShown) {
    const QString lab = recordedLab(plannedBpc(), [](const RunSpec& run) {
        if (run.position == Position::rope && run.seed == 1338) return std::numeric_limits<double>::quiet_NaN();
        return 1.5 + 0.01 * static_cast<double>(run.seed % 7);
    });
    workspace->lab().open(lab);
    ASSERT_TRUE(waitUntilComplete());
    EXPECT_TRUE(room->words().contains("1 run failed: counted, not averaged.")) << room->words().toStdString();
    const WordTable& table = room->comparison();
    bool isShown = false;
    for (int i = 0; i < table.rowCount(); ++i) {
        isShown = isShown || cell(table, i, "values per seed").contains("failed");
    }
    EXPECT_TRUE(isShown);
}

TEST_F(ReproduceTest, AnUnfinishedLabThatIsOnlyReadCannotGoOn) {
    const QString path = file("begun.ropelab");
    enter_sheet(*LabFile::create(path.toStdString()), plannedBpc());
    workspace->lab().open(path, true);
    ASSERT_TRUE(waitUntilIdle());
    EXPECT_TRUE(room->words().startsWith("0 of ")) << room->words().toStdString();
    EXPECT_TRUE(room->words().endsWith("This lab can only be read here."));
    EXPECT_EQ(button().text(), "Continue");
    EXPECT_FALSE(button().isEnabled());
    EXPECT_EQ(cell(room->comparison(), 0, "ours"), "–");
}

TEST_F(ReproduceTest, WhileSomethingElseTrainsNoSheetStarts) {
    engine.step_microseconds = 20000;
    choose("bpc");
    workspace->experiment().replace(smallSweep());
    workspace->start();
    ASSERT_TRUE(workspace->session().isActive());
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(room->words().contains("Something is in training")) << room->words().toStdString();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_TRUE(waitUntil([&] { return button().isEnabled(); }));
}

TEST_F(ReproduceTest, ALabThatCannotBeMadeIsSaid) {
    QFile blocked(file("labs"));  // a file where the folder of labs would be
    ASSERT_TRUE(blocked.open(QIODevice::WriteOnly));
    blocked.close();
    choose("bpc");
    button().click();
    ASSERT_TRUE(waitUntil([&] { return room->trainer().step() == SheetTrainer::Step::idle; }));
    EXPECT_TRUE(room->words().contains("The last attempt failed: ")) << room->words().toStdString();
    EXPECT_FALSE(workspace->lab().hasFile());
}

// At smoke scale with steps enough to diverge, which the engine lets the runs of `theta` do.
QString labThatDiverges(const char* sheetName, const QString& path) {
    SheetPlan plan = sheet(sheetName).plan({SheetScale::smoke, {}, {}});
    plan.experiment.set("iterations", {"20"});
    enter_sheet(*LabFile::create(path.toStdString()), plan);
    return path;
}

TEST_F(ReproduceTest, ARunThatDivergesIsPartOfTheAnswer) {
    engine.failing_theta = 500;
    workspace->lab().open(labThatDiverges("theta-table-3", file("diverging.ropelab")));
    ASSERT_TRUE(waitUntilIdle());
    button().click();
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_EQ(room->trainer().failure(), "");
    EXPECT_EQ(room->trainer().standing()->failed, 2);
    EXPECT_EQ(room->trainer().standing()->unmeasured, 0);
    EXPECT_TRUE(room->words().contains("2 runs failed: counted, not averaged.")) << room->words().toStdString();
    room->measureBox()->setCurrentIndex(room->measureBox()->findData("written_symbols_per_second"));
    EXPECT_EQ(cell(room->comparison(), 0, "ours"), "–");
    EXPECT_NE(cell(room->comparison(), 1, "ours"), "–");
}

TEST_F(ReproduceTest, WhereNoRunCameThroughThatIsSaid) {
    engine.failing_theta = 10000;
    workspace->lab().open(labThatDiverges("bpc", file("diverging.ropelab")));
    ASSERT_TRUE(waitUntilIdle());
    button().click();
    ASSERT_TRUE(waitUntil([&] { return !room->trainer().failure().isEmpty(); })) << room->words().toStdString();
    EXPECT_TRUE(room->trainer().failure().startsWith("8 of 8 runs failed.")) << room->words().toStdString();
    EXPECT_EQ(room->trainer().step(), SheetTrainer::Step::idle);
}

}  // namespace
}  // namespace ropelab::ui
