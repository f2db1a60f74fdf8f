// Tests of the room "Reproduce" with labs that were made elsewhere, that failed, or that cannot continue.
#include <cmath>
#include <limits>

#include "tests/core/data/loopback_server.h"
#include "tests/core/data/scratch.h"
#include "tests/support/shared_data.h"
#include "tests/ui/rooms/reproduce/reproduce_fixture.h"
#include "ui/shell/notices/data_offer.h"

namespace ropelab::ui {
namespace {

// Returns a plan at laptop scale without measurements after the training, so that verdicts follow from the losses
// alone. Its claims are tested as if the substitute were the paper's data set, which is not on disk.
SheetPlan plannedBpc(int seeds = 3) {
    SheetPlan plan = sheet("bpc").plan({SheetScale::laptop, seeds, {}});
    for (PlannedRow& row : plan.rows) row.out_of_reach.clear();
    return plan;
}

TEST_F(ReproduceTest, ShowsVerdictsOfAStoredSheet) {
    const QString lab = recordedLab(plannedBpc(), [](const RunSpec& run) {
        const bool rotates = run.position == Position::rope || run.position == Position::learned_rope;
        return (rotates                          ? 1.2
                : run.position == Position::none ? 1.9
                                                 : 1.6) +
               0.001 * static_cast<double>((rotates ? 3 * run.seed : run.seed) % 7);
    });
    workspace->lab().open(lab);
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_EQ(room->choices().choice().sheet, "bpc");
    EXPECT_EQ(room->choices().choice().scale, SheetScale::laptop);
    EXPECT_EQ(room->page(), ReproduceRoom::Page::effects);
    EXPECT_TRUE(room->words().contains("reproduced")) << room->words().toStdString();
    const TextTable& table = room->comparison();
    bool hasVerdict = false;
    for (int i = 0; i < table.rowCount(); ++i) {
        const QModelIndex verdict = table.index(i, table.columnOf("verdict"));
        if (verdict.data().toString() != "reproduced") continue;
        hasVerdict = true;
        EXPECT_EQ(verdict.data(Qt::ForegroundRole).value<QColor>(), ThemeManager::instance().theme().success);
        EXPECT_NE(cell(table, i, "p (rule, Holm)"), "–");
        EXPECT_NE(cell(table, i, "p (Student)"), "–");
        EXPECT_NE(cell(table, i, "p (Welch)"), "–");
    }
    EXPECT_TRUE(hasVerdict);
}

TEST_F(ReproduceTest, CountsAndShowsFailedRuns) {
    const QString lab = recordedLab(plannedBpc(), [](const RunSpec& run) {
        if (run.position == Position::rope && run.seed == 1338) return std::numeric_limits<double>::quiet_NaN();
        return 1.5 + 0.01 * static_cast<double>(run.seed % 7);
    });
    workspace->lab().open(lab);
    ASSERT_TRUE(waitUntilComplete());
    EXPECT_TRUE(room->words().contains("1 run failed; the means exclude failed runs.")) << room->words().toStdString();
    const TextTable& table = room->comparison();
    bool isShown = false;
    for (int i = 0; i < table.rowCount(); ++i) {
        isShown = isShown || cell(table, i, "values per seed").contains("failed");
    }
    EXPECT_TRUE(isShown);
}

TEST_F(ReproduceTest, ReadOnlyLabCannotContinue) {
    const QString path = file("begun.ropelab");
    enter_sheet(*LabFile::create(path.toStdString()), plannedBpc());
    workspace->lab().open(path, true);
    ASSERT_TRUE(waitUntilIdle());
    EXPECT_TRUE(room->words().startsWith("0 of ")) << room->words().toStdString();
    EXPECT_TRUE(room->words().endsWith("This lab file is read-only, so the reproduction cannot continue in it."));
    EXPECT_EQ(button().text(), "Continue");
    EXPECT_FALSE(button().isEnabled());
    EXPECT_EQ(cell(room->comparison(), 0, "this lab"), "–");
}

TEST_F(ReproduceTest, CannotStartWhileOtherRunsTrain) {
    engine.step_microseconds = 20000;
    choose("bpc");
    workspace->experiment().replace(smallSweep());
    workspace->start();
    ASSERT_TRUE(workspace->session().isActive());
    EXPECT_FALSE(button().isEnabled());
    EXPECT_TRUE(room->words().contains("Other runs are training")) << room->words().toStdString();
    workspace->session().stop();
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_TRUE(waitUntil([&] { return button().isEnabled(); }));
}

TEST_F(ReproduceTest, DownloadsTheDataSetThatTheClaimsNeed) {
    SKIP_WITHOUT_SHARED_DATA("text/tinyshakespeare.txt");
    LoopbackServer server;
    const ScratchFolder cache;
    const Environment cacheFolder("XDG_CACHE_HOME", cache.path().c_str());
    const Environment mirror("ROPELAB_DATA_URL", server.base().c_str());
    const Environment proxy("no_proxy", "127.0.0.1");
    const auto download = [this]() -> DataOffer& { return room->choices().download(); };
    choose("glu-variants");
    EXPECT_EQ(download().text(), "") << "the scale smoke tests no claim";
    choose("glu-variants", SheetScale::laptop);
    EXPECT_EQ(download().text(), "Not on this machine yet: Tiny Shakespeare.");
    EXPECT_EQ(download().downloadButton().text(), "Download 1 MB");
    EXPECT_EQ(button().text(), "Start without a verdict");
    EXPECT_FALSE(button().property("primary").toBool());
    EXPECT_TRUE(download().downloadButton().property("primary").toBool());
    EXPECT_TRUE(server.requests().empty()) << "nothing is downloaded without a click";

    download().downloadButton().click();  // the mirror lacks the file
    ASSERT_TRUE(waitUntil([&] { return !download().isDownloading(); }));
    EXPECT_TRUE(download().text().endsWith("Not on this machine yet: Tiny Shakespeare."));
    EXPECT_NE(download().text(), "Not on this machine yet: Tiny Shakespeare.");

    server.put("/tinyshakespeare.txt", read_file(shared_data("text/tinyshakespeare.txt")));
    download().downloadButton().click();
    ASSERT_TRUE(waitUntil([&] { return !download().isDownloading(); }));
    EXPECT_EQ(download().text(), "");
    EXPECT_EQ(button().text(), "Start");
    EXPECT_TRUE(button().property("primary").toBool());

    choose("theta-table-2", SheetScale::laptop);
    EXPECT_EQ(download().text(), "Not on this machine yet: enwik8 and text8.");
    EXPECT_EQ(download().downloadButton().text(), "Download 68 MB");
    choose("theta-table-2", SheetScale::paper);
    EXPECT_EQ(download().text(), "Not on this machine yet: enwik8.") << "the plan fails at the first one";
}

TEST_F(ReproduceTest, ReportsThatALabCannotBeCreated) {
    QFile blocked(file("labs"));  // a file at the path of the labs' folder
    ASSERT_TRUE(blocked.open(QIODevice::WriteOnly));
    blocked.close();
    choose("bpc");
    button().click();
    ASSERT_TRUE(waitUntil([&] { return room->trainer().step() == SheetTrainer::Step::idle; }));
    EXPECT_TRUE(room->words().contains("The last attempt to start this reproduction failed: "))
        << room->words().toStdString();
    EXPECT_FALSE(workspace->lab().hasFile());
}

// Creates a lab at smoke scale with enough iterations to diverge; the engine makes the runs of failing_theta diverge.
QString makeDivergingLab(const char* sheetName, const QString& path) {
    SheetPlan plan = sheet(sheetName).plan({SheetScale::smoke, {}, {}});
    plan.experiment.set("iterations", {"20"});
    enter_sheet(*LabFile::create(path.toStdString()), plan);
    return path;
}

TEST_F(ReproduceTest, DivergedRunIsPartOfTheResult) {
    engine.failing_theta = 500;
    workspace->lab().open(makeDivergingLab("theta-table-3", file("diverging.ropelab")));
    ASSERT_TRUE(waitUntilIdle());
    button().click();
    ASSERT_TRUE(waitUntilComplete()) << room->words().toStdString();
    EXPECT_EQ(room->trainer().failure(), "");
    EXPECT_EQ(room->trainer().progress()->failed, 2);
    EXPECT_EQ(room->trainer().progress()->unmeasured, 0);
    EXPECT_TRUE(room->words().contains("2 runs failed; the means exclude failed runs.")) << room->words().toStdString();
    room->measureBox()->setCurrentIndex(room->measureBox()->findData("generated_tokens_per_second"));
    EXPECT_EQ(cell(room->comparison(), 0, "this lab"), "–");
    EXPECT_NE(cell(room->comparison(), 1, "this lab"), "–");
}

TEST_F(ReproduceTest, ReportsThatNoRunFinished) {
    engine.failing_theta = 10000;
    workspace->lab().open(makeDivergingLab("bpc", file("diverging.ropelab")));
    ASSERT_TRUE(waitUntilIdle());
    button().click();
    ASSERT_TRUE(waitUntil([&] { return !room->trainer().failure().isEmpty(); })) << room->words().toStdString();
    EXPECT_TRUE(room->trainer().failure().startsWith("8 of 8 runs failed.")) << room->words().toStdString();
    EXPECT_EQ(room->trainer().step(), SheetTrainer::Step::idle);
}

}  // namespace
}  // namespace ropelab::ui
