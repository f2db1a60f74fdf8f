#include "ui/rooms/train/plan_page.h"

#include <QListWidget>

#include "tests/ui/support/workbench.h"

namespace ropelab::ui {
namespace {

class QueueViewTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        open();
        engine.step_microseconds = 2000;
        workspace->experiment().replace(cohorts());
    }
    void open() {
        view.reset();
        workspace = std::make_unique<Workspace>(options());
        view = std::make_unique<QueueView>(*workspace, workspace->runAccess());
    }
    // An experiment of three cohorts with one run each: the runs 1, 2 and 3.
    Experiment cohorts() const {
        Experiment experiment = smallSweep(300);
        experiment.set("theta", {"10000"});
        experiment.set("width", {"64", "128", "256"});
        return experiment;
    }
    void start() {
        workspace->start();
        ASSERT_TRUE(waitUntil([&] { return view->list().count() == 2; }));
        ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.iteration > 25; }));
    }
    std::vector<RunId> waiting() const {
        std::vector<RunId> runs;
        for (const WaitingCohort& cohort : workspace->session().waiting()) {
            runs.insert(runs.end(), cohort.runs.begin(), cohort.runs.end());
        }
        return runs;
    }
    void finishQuickly() {
        engine.step_microseconds = 20;
        ASSERT_TRUE(waitForEnd(*workspace));
    }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<QueueView> view;
};

TEST_F(QueueViewTest, WaitingCohortsCanBeReordered) {
    EXPECT_TRUE(view->isHidden());
    start();
    EXPECT_FALSE(view->isHidden());
    EXPECT_TRUE(view->list().item(0)->text().contains("128"));
    view->list().setCurrentRow(1);
    view->moveEarlier();
    EXPECT_EQ(waiting(), (std::vector<RunId>{3, 2}));
    EXPECT_EQ(view->list().currentRow(), 0) << "the moved cohort stays selected";
    view->moveEarlier();
    view->moveLater();
    view->moveEarlier();
    EXPECT_EQ(waiting(), (std::vector<RunId>{3, 2}));
    std::vector<RunId> begun;
    QObject::connect(&workspace->session(), &SweepSession::delivered, view.get(), [&](const auto& deliveries) {
        for (const Delivery& delivery : deliveries) {
            const auto* event = std::get_if<Event>(&delivery);
            const auto* cohort = event ? std::get_if<event::CohortStarted>(event) : nullptr;
            if (cohort) begun.push_back(cohort->runs.front());
        }
    });
    finishQuickly();
    EXPECT_EQ(begun, (std::vector<RunId>{3, 2}));
    EXPECT_TRUE(view->isHidden());
}

TEST_F(QueueViewTest, RemovingAWaitingCohortCanBeUndone) {
    start();
    view->list().setCurrentRow(0);
    view->removePicked();
    EXPECT_EQ(waiting(), (std::vector<RunId>{3}));
    EXPECT_EQ(workspace->runs().find(2), nullptr);
    EXPECT_FALSE(workspace->session().isTraining(2));
    finishQuickly();
    EXPECT_EQ(workspace->runs().find(3)->record.state, RunState::finished);
    workspace->undo().undo();
    ASSERT_NE(workspace->runs().find(2), nullptr);
    EXPECT_EQ(workspace->unfinishedRuns(), (std::vector<RunId>{2}));
}

TEST_F(QueueViewTest, ExperimentsCanBeAppendedDuringTraining) {
    start();
    Experiment more = smallSweep(40);
    workspace->experiment().replace(more);
    workspace->enqueue();
    EXPECT_EQ(workspace->runs().runs().size(), 5u);
    EXPECT_EQ(waiting(), (std::vector<RunId>{2, 3, 4, 5}));
    EXPECT_EQ(view->list().count(), 3) << "the two new runs form one cohort";
    finishQuickly();
    for (const RunView& run : workspace->runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
    EXPECT_EQ(workspace->lab().experiments().size(), 2u);
    workspace->enqueue();
    EXPECT_TRUE(workspace->session().isActive()) << "the sweep starts because nothing trains";
    finishQuickly();
}

TEST_F(QueueViewTest, ReopenedLabResumesUnfinishedRunsInQueueOrder) {
    start();
    Experiment more = smallSweep(300);
    more.set("theta", {"100"});
    workspace->experiment().replace(more);
    workspace->enqueue();  // run 4
    view->list().setCurrentRow(2);
    view->moveEarlier();
    view->moveEarlier();
    EXPECT_EQ(waiting(), (std::vector<RunId>{4, 2, 3}));
    engine.step_microseconds = 1000;
    ASSERT_TRUE(waitUntil([&] { return workspace->runs().find(1)->record.state == RunState::finished; }));
    engine.step_microseconds = 5000;
    workspace->whenIdle([] {});
    ASSERT_TRUE(waitForEnd(*workspace));
    const QString path = workspace->lab().path();

    open();
    workspace->lab().open(path);
    const std::vector<RunId> left = workspace->unfinishedRuns();
    EXPECT_EQ(left, (std::vector<RunId>{4, 2, 3}));
    const auto before = workspace->lab().file()->metrics(1).steps.iteration.size();
    engine.step_microseconds = 20;
    workspace->resumeRuns(left);
    ASSERT_TRUE(waitForEnd(*workspace));
    for (const RunView& run : workspace->runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
    EXPECT_EQ(workspace->lab().file()->metrics(1).steps.iteration.size(), before);
    EXPECT_EQ(workspace->lab().file()->metrics(3).steps.iteration.size(), 300u);
    EXPECT_TRUE(workspace->unfinishedRuns().empty());
}

}  // namespace
}  // namespace ropelab::ui
