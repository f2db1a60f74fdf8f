#include "ui/rooms/train/plan_page.h"

#include <QPushButton>
#include <QTreeWidget>

#include "tests/ui/support/workbench.h"

namespace ropelab::ui {
namespace {

class SweepPreviewTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        Experiment experiment = smallSweep(60);
        experiment.set("width", {"64", "128"});
        workspace->experiment().replace(experiment);
        preview = std::make_unique<SweepPreview>(*workspace, workspace->runAccess(), workspace->experiment());
        preview->resize(600, 400);
        preview->show();
    }
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<SweepPreview> preview;
};

TEST_F(SweepPreviewTest, ListsDifferingSettingsByCohort) {
    QTreeWidget& table = preview->table();
    ASSERT_EQ(table.topLevelItemCount(), 2);
    EXPECT_EQ(table.columnCount(), 3);
    EXPECT_EQ(table.headerItem()->text(1), "width");
    EXPECT_EQ(table.headerItem()->text(2), "θ");
    EXPECT_TRUE(table.topLevelItem(0)->text(0).contains("2 runs, about "))
        << table.topLevelItem(0)->text(0).toStdString();
    ASSERT_EQ(table.topLevelItem(1)->childCount(), 2);
    EXPECT_EQ(table.topLevelItem(1)->child(0)->text(1), "128");
    EXPECT_EQ(table.topLevelItem(1)->child(1)->text(2), "10k");
    EXPECT_TRUE(preview->summary().startsWith("4 runs in 2 cohorts (runs that train together), about "));
    EXPECT_TRUE(preview->summary().endsWith("(estimated)"));
}

TEST_F(SweepPreviewTest, UpdatesWithTheExperimentAndExplainsErrors) {
    workspace->experiment().edit("x", [](Experiment& experiment) { experiment.set("width", {}); });
    EXPECT_EQ(preview->table().topLevelItemCount(), 1);
    workspace->experiment().edit("x", [](Experiment& experiment) { experiment.set("heads", {"3"}); });
    EXPECT_EQ(preview->table().topLevelItemCount(), 0);
    EXPECT_TRUE(preview->summary().contains("heads"));
    preview->hide();
    workspace->undo().undo();
    preview->show();
    EXPECT_EQ(preview->table().topLevelItemCount(), 1);
}

TEST_F(SweepPreviewTest, SeedsAreNotAbbreviated) {
    workspace->experiment().edit("x", [](Experiment& experiment) {
        experiment.set("width", {});
        experiment.set("seed", {"1337", "2000"});
    });
    const QTreeWidget& table = preview->table();
    ASSERT_EQ(table.headerItem()->text(2), "seed");
    EXPECT_EQ(table.topLevelItem(0)->child(0)->text(2), "1337");
    EXPECT_EQ(table.topLevelItem(0)->child(1)->text(2), "2000");
}

TEST_F(SweepPreviewTest, ARunCanBeExcluded) {
    preview->exclude(1);
    EXPECT_EQ(workspace->experiment().value().expand().size(), 3u);
    EXPECT_EQ(preview->preview().runs.size(), 3u);
    workspace->undo().undo();
    EXPECT_EQ(preview->preview().runs.size(), 4u);
}

TEST_F(SweepPreviewTest, DuplicateRunsCanBeExcluded) {
    EXPECT_EQ(preview->notes(), "");
    EXPECT_TRUE(preview->excludeButton().isHidden());
    workspace->experiment().edit("x", [](Experiment& experiment) { experiment.set("fraction", {"0", "1"}); });
    EXPECT_EQ(preview->preview().runs.size(), 8u);
    EXPECT_TRUE(preview->notes().startsWith("2 of 8 runs train the same model as another run, for example "))
        << preview->notes().toStdString();
    preview->excludeButton().click();
    EXPECT_EQ(preview->preview().runs.size(), 6u);
    EXPECT_EQ(preview->notes(), "");
    EXPECT_TRUE(preview->excludeButton().isHidden());
    workspace->undo().undo();
    EXPECT_EQ(preview->preview().runs.size(), 8u);
}

TEST_F(SweepPreviewTest, NamesAMissingDataFile) {
    workspace->experiment().edit("x", [](Experiment& experiment) { experiment.set("data", {"/none/such.txt"}); });
    EXPECT_TRUE(preview->notes().startsWith("The sweep cannot start yet: There is no file '/none/such.txt'"))
        << preview->notes().toStdString();
    workspace->experiment().edit("x", [](Experiment& experiment) { experiment.set("heads", {"3"}); });
    EXPECT_EQ(preview->notes(), "") << "an invalid sweep shows only its error";
}

TEST_F(SweepPreviewTest, MeasurementReplacesTheEstimate) {
    engine.step_microseconds = 10'000;
    preview->measure();
    EXPECT_TRUE(workspace->meter().isActive());
    ASSERT_TRUE(waitUntil([&] { return !workspace->meter().isActive(); }));
    EXPECT_TRUE(preview->preview().measured());
    EXPECT_TRUE(preview->summary().endsWith("(measured)")) << preview->summary().toStdString();
    EXPECT_GE(preview->preview().cohorts[0].cost.seconds, 60 * 0.01) << "each of the 60 steps takes at least 0.01 s";
    EXPECT_EQ(engine.cohorts, 2);
    EXPECT_TRUE(workspace->runs().runs().empty()) << "measuring adds no runs to the lab";
    workspace->experiment().edit("x", [](Experiment& experiment) { experiment.set("width", {}); });
    EXPECT_FALSE(preview->preview().measured()) << "the measurement was of the previous sweep";
}

TEST_F(SweepPreviewTest, StartingASweepStopsTheMeasurement) {
    engine.step_microseconds = 100'000;
    preview->measure();
    ASSERT_TRUE(workspace->meter().isActive());
    workspace->start();
    workspace->start();
    engine.step_microseconds = 100;
    ASSERT_TRUE(waitUntil([&] { return workspace->session().isActive(); }));
    EXPECT_FALSE(workspace->meter().isActive());
    preview->measure();
    EXPECT_FALSE(workspace->meter().isActive()) << "no measurement during training";
    ASSERT_TRUE(waitForEnd(*workspace));
    EXPECT_EQ(workspace->runs().runs().size(), 4u);
}

}  // namespace
}  // namespace ropelab::ui
