#include "ui/window/workspace.h"

#include "core/experiment/sheets/sheet_lab.h"
#include "tests/ui/support/workbench.h"

namespace ropelab::ui {
namespace {

class WorkspaceTest : public Workbench {
 protected:
    // The runs of each cohort that began while all that is unfinished in a lab with this sheet went on.
    std::vector<std::vector<RunId>> cohortsOf(const SheetPlan& plan) {
        const QString path = file("sheet.ropelab");
        enter_sheet(*LabFile::create(path.toStdString()), plan);
        Workspace workspace(options());
        workspace.openLab(path);
        std::vector<std::vector<RunId>> begun;
        QObject::connect(&workspace.session(), &SweepSession::delivered, &workspace, [&](const auto& deliveries) {
            for (const Delivery& delivery : deliveries) {
                const auto* event = std::get_if<Event>(&delivery);
                const auto* cohort = event ? std::get_if<event::CohortStarted>(event) : nullptr;
                if (cohort) begun.push_back(cohort->runs);
            }
        });
        workspace.continueRuns(workspace.unfinishedRuns());
        EXPECT_TRUE(waitForEnd(workspace));
        for (const RunView& run : workspace.runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
        return begun;
    }
    SheetPlan plan() const {
        SheetPlan result;
        result.sheet = "test";
        result.experiment = smallSweep(40);
        result.experiment.set("seed", {"1", "2"});
        return result;
    }
};

TEST_F(WorkspaceTest, RunsOfASheetGoOnTogether) {
    EXPECT_EQ(cohortsOf(plan()), (std::vector<std::vector<RunId>>{{1, 2, 3, 4}}));
}

TEST_F(WorkspaceTest, RunsWhoseTimesASheetComparesGoOnOneByOneSeedBySeed) {
    SheetPlan sheet = plan();
    sheet.one_by_one = true;
    EXPECT_EQ(cohortsOf(sheet), (std::vector<std::vector<RunId>>{{1}, {3}, {2}, {4}}));
}

}  // namespace
}  // namespace ropelab::ui
