#include "ui/session/workspace.h"

#include <QSignalSpy>
#include <QThread>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/reproduce/sheet_lab.h"
#include "core/results/results_table.h"
#include "core/store/sqlite.h"
#include "core/sweep/lab_results.h"
#include "tests/support/shared_data.h"
#include "tests/ui/support/workbench.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/session/undo_step.h"

namespace ropelab::ui {
namespace {

class WorkspaceTest : public Workbench {
 protected:
    // Resumes all unfinished runs of a lab with this sheet and returns the runs of each cohort, in the order of
    // training.
    std::vector<std::vector<RunId>> resumedCohorts(const SheetPlan& plan) {
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
        workspace.resumeRuns(workspace.unfinishedRuns());
        EXPECT_TRUE(waitForEnd(workspace));
        for (const RunView& run : workspace.runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
        return begun;
    }
    // A lab that is read on another thread.
    QString largeLab(const char* name) const {
        const QString path = file(name);
        const auto lab = LabFile::create(path.toStdString());
        enter_sheet(*lab, plan());
        lab->annotate_run(lab->runs().front().id, std::string(9'000'000, 'x'));
        return path;
    }
    SheetPlan plan() const {
        SheetPlan result;
        result.sheet = "test";
        result.experiment = smallSweep(40);
        result.experiment.set("seed", {"1", "2"});
        return result;
    }
};

TEST_F(WorkspaceTest, RunsOfASheetResumeAsOneCohort) {
    EXPECT_EQ(resumedCohorts(plan()), (std::vector<std::vector<RunId>>{{1, 2, 3, 4}}));
}

TEST_F(WorkspaceTest, RunsOfATimingSheetResumeSequentiallyBySeed) {
    SheetPlan sheet = plan();
    sheet.sequential = true;
    // Seed by seed (runs 1 and 3, then 2 and 4), within a seed in the order of timing_order().
    EXPECT_EQ(resumedCohorts(sheet), (std::vector<std::vector<RunId>>{{3}, {1}, {4}, {2}}));
}

// Losses of the engine differ by θ more than by seed, so that few seeds settle the comparison.
TEST_F(WorkspaceTest, TrainsSeedsUntilTheComparisonIsSettled) {
    Workspace workspace(options());
    engine.step_microseconds = 0;
    engine.seed_spread = 0.01;
    Experiment experiment = smallSweep(40);
    experiment.set("seed", {"7"});
    workspace.experiment().replace(experiment, {.stopping = SequentialDesign{.cap = 12}});
    workspace.start();
    const auto state = [&] {
        const auto runs = lab_runs(*workspace.lab().file(), {});
        const ResultsTable table = results_table(result_runs(*workspace.lab().file(), runs, false));
        for (const ResultGroup& group : table.groups) {
            if (group.paired.sequential) return *group.paired.sequential;
        }
        return SequentialResult{};
    };
    ASSERT_TRUE(waitUntil([&] { return !workspace.session().isActive() && workspace.unfinishedRuns().empty(); }));
    EXPECT_EQ(state().end, SequentialResult::End::claim);
    EXPECT_GE(state().pairs, 3);
    EXPECT_LT(state().pairs, 12);
    EXPECT_EQ(std::ssize(workspace.runs().runs()), 2 * state().pairs) << "no further seeds are trained";
    std::set<std::int64_t> seeds;
    for (const RunView& run : workspace.runs().runs()) {
        EXPECT_TRUE(run.visible);
        seeds.insert(run.spec.seed);
    }
    EXPECT_EQ(*seeds.begin(), 7);
    EXPECT_EQ(*seeds.rbegin(), 6 + state().pairs) << "seeds are used in order";
    SweepOptions stored;
    const auto latest = workspace.lab().latestExperiment(&stored);
    ASSERT_TRUE(stored.stopping);
    EXPECT_EQ(stored.stopping->cap, 12);
    EXPECT_EQ(latest->values("seed"), std::vector<std::string>{"7"}) << "further seeds follow from the rule";
}

TEST_F(WorkspaceTest, AStoppingRuleIsRefusedForWhatItCannotDecide) {
    Workspace workspace(options());
    SweepOptions stopping{.extends = true, .stopping = SequentialDesign{}};
    EXPECT_THROW(sampledExperiment(smallSweep(), stopping), BadInput);
    stopping.extends = false;
    Experiment one = smallSweep();
    one.set("theta", {"100"});
    EXPECT_THROW(sampledExperiment(one, stopping), BadInput);
    EXPECT_EQ(runsToTrain(smallSweep(), stopping, nullptr).size(), 6U) << "three seeds before the first look";
}

TEST_F(WorkspaceTest, UndoNamesTheValuesThatReturn) {
    Workspace workspace(options());
    workspace.experiment().replace(smallSweep());
    const auto set = [&](const char* key, const std::vector<std::string>& values) {
        workspace.experiment().edit("change", [&](Experiment& experiment) { experiment.set(key, values); });
    };
    set("iterations", {"123"});
    set("iterations", {"456"});
    EXPECT_EQ(undoLatest(workspace.undo()), "Undone: iterations 456 → 123");
    EXPECT_EQ(redoNext(workspace.undo()), "Redone: iterations 123 → 456");
    workspace.experiment().edit("exclude", [](Experiment& experiment) { experiment.add_exclusion("theta=500"); });
    EXPECT_EQ(undoLatest(workspace.undo()), "Undone: exclude") << "no single values";
}

TEST_F(WorkspaceTest, SweepThatWaitsForAMeasurementDoesNotStartInAnotherLab) {
    const QString other = file("other.ropelab");
    enter_sheet(*LabFile::create(other.toStdString()), plan());
    engine.step_microseconds = 20000;
    Workspace workspace(options());
    workspace.experiment().replace(smallSweep(40));
    workspace.measure({workspace.experiment().value().expand()});
    ASSERT_TRUE(waitUntil([&] { return engine.cohorts > 0; }));
    workspace.start();
    EXPECT_FALSE(workspace.session().isActive());
    workspace.openLab(other);
    EXPECT_EQ(workspace.lab().path(), other);
    ASSERT_TRUE(waitUntil([&] { return !workspace.meter().isActive(); }));
    EXPECT_FALSE(workspace.session().isActive());
    for (const RunView& run : workspace.runs().runs()) EXPECT_EQ(run.record.iteration, 0);
}

TEST_F(WorkspaceTest, LargeLabIsReadInTheBackgroundUnlessASweepStartsMeanwhile) {
    const QString large = largeLab("large.ropelab");
    Workspace workspace(options());
    const QSignalSpy problems(&workspace, &Workspace::problem);
    workspace.openLab(large);
    workspace.openLab(large);  // not a second time, which would find the file locked
    EXPECT_EQ(workspace.openingLab(), large);
    EXPECT_TRUE(workspace.runs().runs().empty()) << "the lab before it is shown until it has been read";
    ASSERT_TRUE(waitUntil([&] { return !workspace.isOpeningLab(); }));
    EXPECT_EQ(workspace.lab().path(), large);
    EXPECT_FALSE(workspace.lab().isReadOnly());
    ASSERT_EQ(workspace.runs().runs().size(), LabFile::open(large.toStdString())->runs().size());
    EXPECT_EQ(workspace.experiment().value(), plan().experiment);
    workspace.newLab();
    workspace.openLab(large);
    workspace.experiment().replace(smallSweep(40));
    workspace.start();
    EXPECT_FALSE(workspace.isOpeningLab());
    ASSERT_EQ(problems.size(), 1);
    EXPECT_TRUE(problems[0][1].toString().startsWith(large + " has not been opened, because a sweep started"));
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_NE(workspace.lab().path(), large);
}

TEST_F(WorkspaceTest, LargeLabThatIsOpenedFollowsALectureAndASaving) {
    const QString large = largeLab("large.ropelab");
    const QString recorded = file("recorded.ropelab");
    enter_sheet(*LabFile::create(recorded.toStdString()), plan());
    Workspace workspace(options());
    workspace.openLab(large);
    workspace.showLabInstead(recorded, {});
    EXPECT_EQ(workspace.lab().path(), recorded);
    workspace.showOwnLab();
    EXPECT_EQ(workspace.lab().path(), large);
    EXPECT_FALSE(workspace.lab().isReadOnly());
    workspace.newLab();
    workspace.openLab(large);
    workspace.saveLabAs(file("kept.ropelab"));
    ASSERT_TRUE(waitUntil([&] { return workspace.lab().path() == large; }));
    EXPECT_TRUE(QFile::exists(file("kept.ropelab")));
    workspace.newLab();
    workspace.openLab(large);
    workspace.newLab();  // cancels the reading, which may have locked the file
    workspace.openLabNow(large);
    EXPECT_EQ(workspace.lab().path(), large);
    EXPECT_FALSE(workspace.lab().isReadOnly());
}

TEST_F(WorkspaceTest, SweepIsAddedToALargeLabInTheBackgroundAndStartsOnce) {
    const QString large = largeLab("large.ropelab");
    Workspace workspace(options());
    workspace.openLabNow(large);
    const std::size_t before = workspace.runs().runs().size();
    workspace.experiment().replace(plan().experiment, {.extends = true});
    QSignalSpy problems(&workspace, &Workspace::problem);
    workspace.start();
    EXPECT_TRUE(workspace.lab().isAdding());
    ASSERT_TRUE(waitUntil([&] { return !workspace.lab().isAdding(); }));
    ASSERT_EQ(problems.size(), 1) << "the lab has all of its runs";
    EXPECT_EQ(problems.takeFirst()[0].toString(), "start");
    workspace.experiment().replace(smallSweep(40));
    workspace.start();
    workspace.start();
    workspace.enqueue();  // a second click of an impatient hand
    EXPECT_TRUE(workspace.lab().isAdding());
    workspace.renameRun(1, "renamed");
    ASSERT_EQ(problems.size(), 1) << "the lab cannot be changed meanwhile";
    ASSERT_TRUE(waitUntil([&] { return workspace.session().isActive(); }));
    ASSERT_EQ(workspace.runs().runs().size(), before + 2);
    for (const RunView& run : workspace.runs().runs()) EXPECT_EQ(run.visible, run.record.id > RunId(before));
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_EQ(workspace.runs().runs().back().record.state, RunState::finished);
    EXPECT_EQ(problems.size(), 1);
}

TEST_F(WorkspaceTest, RunsThatAreResumedWhileASweepIsAddedFollowIt) {
    const QString large = largeLab("large.ropelab");
    Workspace workspace(options());
    workspace.openLabNow(large);
    workspace.experiment().replace(smallSweep(40));
    workspace.start();
    ASSERT_TRUE(workspace.lab().isAdding());
    workspace.resumeRuns(workspace.unfinishedRuns());
    EXPECT_TRUE(workspace.session().isActive());
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_EQ(workspace.runs().runs().size(), 6U);
    for (const RunView& run : workspace.runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
}

TEST_F(WorkspaceTest, SweepThatIsBeingAddedFollowsWhatHappensToItsLab) {
    const QString large = largeLab("large.ropelab");
    const QString other = file("other.ropelab");
    enter_sheet(*LabFile::create(other.toStdString()), plan());
    engine.step_microseconds = 2000;
    const auto runsIn = [](const QString& path) { return LabFile::open(path.toStdString())->runs(); };
    const std::size_t before = runsIn(large).size();
    {
        Workspace workspace(options());
        workspace.openLabNow(large);
        workspace.experiment().replace(smallSweep(40));
        workspace.start();
        EXPECT_THROW(workspace.showLabInstead(other, {}), BadInput) << "a lecture does not replace its lab";
        EXPECT_TRUE(workspace.session().isActive());
        ASSERT_TRUE(waitForEnd(workspace));
        workspace.start();
        workspace.saveLabAs(file("kept.ropelab"));
        ASSERT_TRUE(waitUntil([&] { return workspace.lab().path() == file("kept.ropelab"); }));
        ASSERT_TRUE(waitForEnd(workspace));
        ASSERT_EQ(workspace.runs().runs().size(), before + 4);
        EXPECT_EQ(workspace.runs().runs().back().record.state, RunState::finished) << "it goes on in the copy";
        workspace.start();
        workspace.openLab(other);
        ASSERT_TRUE(waitUntil([&] { return workspace.lab().path() == other; }));
        EXPECT_EQ(workspace.runs().runs().size(), 4U) << "no run of the lab before";
        EXPECT_EQ(runsIn(file("kept.ropelab")).size(), before + 6);
    }
    {
        Workspace workspace(options());
        workspace.openLabNow(large);
        workspace.experiment().replace(smallSweep(40));
        workspace.start();
        EXPECT_TRUE(workspace.lab().isAdding());
    }  // the window is closed
    EXPECT_EQ(runsIn(large).size(), before + 6) << "its runs can be resumed";
}

TEST_F(WorkspaceTest, DamagedLabLeavesTheOneBeforeWhateverItsSize) {
    const QString sound = file("sound.ropelab");
    enter_sheet(*LabFile::create(sound.toStdString()), plan());
    for (const QString& damaged : {file("small.ropelab"), largeLab("large.ropelab")}) {
        {
            const auto lab =
                QFile::exists(damaged) ? LabFile::open(damaged.toStdString()) : LabFile::create(damaged.toStdString());
            lab->add_run(lab->add_experiment("e", plan().experiment.to_json().dump()), "damaged", "{");
        }
        Workspace workspace(options());
        workspace.openLab(sound);
        const QSignalSpy problems(&workspace, &Workspace::problem);
        workspace.openLab(damaged);
        ASSERT_TRUE(waitUntil([&] { return !workspace.isOpeningLab(); }));
        EXPECT_EQ(problems.size(), 1) << damaged.toStdString();
        EXPECT_EQ(workspace.lab().path(), sound);
        EXPECT_EQ(workspace.runs().runs().size(), 4U);
    }
}

TEST_F(WorkspaceTest, SweepThatWaitsForAMeasurementStartsInTheSavedFile) {
    engine.step_microseconds = 5000;
    Workspace workspace(options());
    workspace.experiment().replace(smallSweep(40));
    workspace.measure({workspace.experiment().value().expand()});
    workspace.start();
    workspace.saveLabAs(file("kept.ropelab"));
    ASSERT_TRUE(waitUntil([&] { return workspace.session().isActive(); }));
    ASSERT_TRUE(waitForEnd(workspace));
    EXPECT_EQ(workspace.lab().path(), file("kept.ropelab"));
    for (const RunView& run : workspace.runs().runs()) EXPECT_EQ(run.record.state, RunState::finished);
}

TEST_F(WorkspaceTest, ALabThatCannotBeWrittenIsReportedUntilItCanBe) {
    engine.step_microseconds = 10000;
    Workspace workspace(options());
    workspace.experiment().replace(smallSweep(100000));
    QStringList reports;
    QObject::connect(&workspace, &Workspace::problem, [&](const QString&, const QString& text) { reports << text; });
    QObject::connect(&workspace, &Workspace::solved, [&](const QString& id) {
        if (id == "recorder") reports << "solved";
    });
    workspace.start();
    sqlite::Connection other(toPath(workspace.lab().path()), sqlite::Access::write);
    other.run("CREATE TRIGGER full BEFORE INSERT ON step BEGIN SELECT RAISE(ABORT, ''); END");
    ASSERT_TRUE(waitUntil([&] { return !reports.isEmpty(); }));
    EXPECT_TRUE(reports[0].contains("cannot be written at the moment")) << reports[0].toStdString();
    other.run("DROP TRIGGER full");
    EXPECT_TRUE(waitUntil([&] { return reports.value(1) == "solved"; }));
    EXPECT_TRUE(workspace.session().isActive());
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
}

TEST_F(WorkspaceTest, RunsThatFinishedBeforeASaveStopsTheSweepAreNotResumed) {
    engine.step_microseconds = 2000;
    Workspace workspace(options());
    Experiment experiment = smallSweep(40);
    experiment.set("theta", {"100"});
    experiment.set("context", {"32", "64"});  // two cohorts
    workspace.experiment().replace(experiment);
    QSignalSpy problems(&workspace, &Workspace::problem);
    workspace.start();
    for (int i = 0; engine.cohorts < 2 && i < 30000; ++i) QThread::msleep(1);  // no event is delivered meanwhile
    workspace.saveLabAs(file("kept.ropelab"));
    ASSERT_TRUE(waitUntil([&] { return !workspace.session().isActive() && workspace.unfinishedRuns().empty(); }));
    EXPECT_TRUE(problems.isEmpty()) << problems.value(0).value(1).toString().toStdString();
    EXPECT_EQ(workspace.lab().path(), file("kept.ropelab"));
}

TEST_F(WorkspaceTest, ReplacedUnsavedLabIsListedAsRecent) {
    Workspace workspace(options());
    workspace.experiment().replace(smallSweep(20));
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    const QString first = workspace.lab().path();
    workspace.newLab();
    EXPECT_EQ(workspace.settings().recentLabs(), QStringList{first});
    workspace.start();
    ASSERT_TRUE(waitForEnd(workspace));
    const QString second = workspace.lab().path();
    workspace.openLab(first);
    EXPECT_TRUE(workspace.settings().recentLabs().contains(second));
}

TEST_F(WorkspaceTest, RedoDoesNotDeleteARunInTraining) {
    engine.step_microseconds = 1000;
    Workspace workspace(options());
    workspace.experiment().replace(smallSweep(100000));
    workspace.start();
    ASSERT_TRUE(waitUntil([&] { return workspace.runs().find(1) && workspace.runs().find(1)->record.iteration > 5; }));
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
    workspace.deleteRun(1);
    EXPECT_EQ(workspace.runs().find(1), nullptr);
    workspace.undo().undo();
    workspace.runs().setVisible(1, false);
    workspace.resumeRuns({1});
    EXPECT_TRUE(workspace.runs().find(1)->visible) << "what trains is shown";
    ASSERT_TRUE(workspace.session().isTraining(1));
    EXPECT_THROW(workspace.undo().redo(), BadInput);
    EXPECT_NE(workspace.runs().find(1), nullptr);
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
}

TEST_F(WorkspaceTest, TheSetupsOfTheUserReturnAfterALecture) {
    Workspace workspace(options());
    const auto change = [&](double theta) {
        RotarySetup setup = workspace.rotary().setup();
        setup.theta = theta;
        workspace.rotary().change("change theta", setup);
    };
    change(500);
    workspace.beginLecture();
    change(700);
    workspace.beginLecture();  // the next scene
    workspace.endLecture();
    EXPECT_EQ(workspace.rotary().setup().theta, 500);
    workspace.rotaryUndo().undo();
    EXPECT_EQ(workspace.rotary().setup().theta, RotarySetup{}.theta) << "steps of the lecture are no steps of the user";
}

TEST_F(WorkspaceTest, AnUnsavedLabWithRunsIsReopened) {
    QString path;
    {
        Workspace workspace(options());
        EXPECT_FALSE(workspace.reopenUnsaved()) << "there is none yet";
        workspace.experiment().replace(smallSweep(20));
        workspace.start();
        ASSERT_TRUE(waitForEnd(workspace));
        path = workspace.lab().path();
        Workspace second(options());
        EXPECT_FALSE(second.reopenUnsaved()) << "another window has it open";
        EXPECT_NE(second.lab().path(), path);
    }
    {
        Workspace workspace(options());
        EXPECT_TRUE(workspace.reopenUnsaved());
        EXPECT_EQ(workspace.lab().path(), path);
        EXPECT_EQ(workspace.runs().runs().size(), 2U);
        workspace.newLab();
    }
    EXPECT_FALSE(Workspace(options()).reopenUnsaved()) << "the user has left it";
}

TEST_F(WorkspaceTest, LabNamesTheModelsThatWereOpened) {
    const std::filesystem::path shared = shared_data("oracles/hf_models/llama_gqa");
    SKIP_WITHOUT_SHARED_DATA("oracles/hf_models/llama_gqa");
    const std::filesystem::path model = toPath(file("llama"));
    std::filesystem::create_directory(model);
    for (const char* name : {"config.json", "model.safetensors"})
        std::filesystem::copy_file(shared / name, model / name);

    Workspace workspace(options());
    QSignalSpy asked(&workspace, &Workspace::inspectAsked);
    QSignalSpy problems(&workspace, &Workspace::problem);
    workspace.openModel(file("llama/config.json"));  // as its folder
    ASSERT_TRUE(waitUntil([&] { return asked.count() == 1; }));
    EXPECT_EQ(asked.at(0).at(0).toLongLong(), -1);
    EXPECT_EQ(workspace.runs().picked(), -1) << "which Anatomy shows, too";
    ASSERT_EQ(workspace.lab().models().size(), 1U);
    const ModelMark mark = workspace.lab().models().front();
    EXPECT_EQ(mark.name, "llama");
    EXPECT_EQ(mark.type, "llama");
    EXPECT_EQ(mark.parameters, 2 * 61 * 64 + 2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 64 * 96 + 2 * 64) + 64);
    EXPECT_FALSE(workspace.lab().hasFile());

    // The lab that the first sweep creates names it, and so does a copy that is opened later.
    workspace.lab().addSweep(smallSweep());
    workspace.openModel(file("llama"));  // again: the same entry
    ASSERT_TRUE(waitUntil([&] { return asked.count() == 2; }));
    workspace.lab().saveAs(file("named"));
    LabDocument again(file("labs"));
    again.open(file("named.ropelab"));
    EXPECT_EQ(again.models(), std::vector{mark});
    EXPECT_EQ(*again.model(-1), mark);
    EXPECT_EQ(again.model(1), nullptr);
    EXPECT_EQ(again.model(-2), nullptr);

    EXPECT_NO_THROW(require_same_model(mark));
    nlohmann::json config = read_json_file(model / "config.json");
    config["rms_norm_eps"] = 1e-5;
    std::ofstream(model / "config.json") << config;
    EXPECT_TRUE(problemOf([&] { require_same_model(mark); }).contains("have changed since this lab named it"));
    std::filesystem::rename(model, toPath(file("elsewhere")));
    EXPECT_TRUE(problemOf([&] { require_same_model(mark); }).contains("is no longer at"));
    workspace.openModel(file("llama"));
    ASSERT_TRUE(waitUntil([&] { return problems.count() == 1; }));
    EXPECT_EQ(problems.at(0).at(0).toString(), "model");
}

}  // namespace
}  // namespace ropelab::ui
