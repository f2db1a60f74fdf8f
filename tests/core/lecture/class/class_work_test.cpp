#include "core/lecture/class/class_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/base/error.h"
#include "core/results/run_selection.h"
#include "core/sweep/lab_plan.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class ClassWorkTest : public testing::Test {
 protected:
    static Experiment two_thetas() {
        Experiment experiment("clocks");
        experiment.set("theta", {"500", "10000"});
        experiment.set("iterations", {"20"});
        experiment.set("seed", {"7"});
        return experiment;
    }
    static double loss_of(const RunSpec& spec) {
        return (spec.theta == 500 ? 2.0 : 1.5) + 0.1 * static_cast<double>(spec.seed);
    }
    // Stores the lab that a student hands in.
    std::filesystem::path finished_lab(const StudentTask& task) {
        const auto path = folder_.path() / (task.name + ".ropelab");
        const auto lab = LabFile::create(path);
        const Plan plan = plan_new_runs(*lab, task.experiment);
        for (const PlannedRun& run : plan.runs) {
            RunSummary summary;
            summary.iterations = 20;
            summary.best_iteration = 20;
            summary.best_validation_loss = summary.final_validation_loss = loss_of(run.spec);
            summary.final_training_loss = 1;
            lab->record(
                std::vector<Event>{event::CohortStarted{{run.id}, 0, 20, {"float32", "cpu", 2, "the only one", ""}},
                                   event::Evaluated{run.id, 20, 1, summary.final_validation_loss},
                                   event::RunEnded{run.id, RunState::finished, "", summary}});
        }
        return path;
    }
    // Stores what `sweep --json` prints.
    std::filesystem::path printed_result(const StudentTask& task) {
        nlohmann::json runs = nlohmann::json::array();
        for (const RunSpec& spec : task.experiment.expand()) {
            nlohmann::json run = to_json(spec);
            run["run"] = runs.size() + 1;
            run["label"] = "a run";
            run["state"] = "finished";
            run["chosen_precision"] = "float32";
            run["chosen_device"] = "cpu";
            run["chosen_threads"] = 2;
            run["trained_iterations"] = 20;
            run["best_validation_loss"] = loss_of(spec);
            run["final_validation_loss"] = loss_of(spec);
            run["whole_validation_loss"] = nullptr;
            run["final_training_loss"] = 1.0;
            runs.push_back(run);
        }
        const auto path = folder_.path() / (task.name + ".json");
        std::ofstream(path) << nlohmann::json{{"runs", runs}}.dump();
        return path;
    }

    ScratchFolder folder_;
};

TEST_F(ClassWorkTest, EachStudentHasASeedOfTheirOwn) {
    const auto tasks = student_tasks(two_thetas(), 3);
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].name, "student-01");
    EXPECT_EQ(tasks[2].name, "student-03");
    EXPECT_EQ(tasks[0].seed, 7);
    EXPECT_EQ(tasks[2].seed, 9);
    for (const StudentTask& task : tasks) {
        const auto runs = task.experiment.expand();
        ASSERT_EQ(runs.size(), 2U);
        for (const RunSpec& run : runs) EXPECT_EQ(run.seed, task.seed);
    }
    EXPECT_EQ(student_tasks(two_thetas(), 120)[4].name, "student-005");
}

TEST_F(ClassWorkTest, RefusesAnImpossibleClass) {
    EXPECT_THROW(student_tasks(two_thetas(), 0), BadInput);
    EXPECT_THROW(student_tasks(two_thetas(), 1000), BadInput);
}

TEST_F(ClassWorkTest, TheSheetSaysWhatToType) {
    const std::string sheet = class_sheet("Clocks", "clocks", student_tasks(two_thetas(), 2));
    EXPECT_THAT(sheet, HasSubstr("ropelab-cli sweep --experiment student-01.json --lab student-01.ropelab"));
    EXPECT_THAT(sheet, HasSubstr("| student-02 | 8 |"));
    EXPECT_THAT(sheet, HasSubstr("experiment of 2 runs"));
    EXPECT_THAT(sheet, HasSubstr("ropelab-cli lecture class clocks --pool student-*.ropelab --lab class.ropelab"));
}

TEST_F(ClassWorkTest, PoolsLabsAndPrintedResultsIntoOneInterval) {
    const auto tasks = student_tasks(two_thetas(), 3);
    const auto lab = LabFile::create(folder_.path() / "class.ropelab");
    const ClassPool pool = pool_class(*lab, {printed_result(tasks[2]), finished_lab(tasks[0]), finished_lab(tasks[1])});
    EXPECT_EQ(pool.files, 3);
    EXPECT_EQ(pool.runs, 6);
    EXPECT_TRUE(pool.refused.empty());
    EXPECT_EQ(run_selection(lab->choice(selection_choice)).experiment, RunSelection::all_experiments);

    const ResultsTable table = class_table(*lab);
    ASSERT_EQ(table.groups.size(), 2U);
    const nlohmann::json json = class_json(table);
    for (const nlohmann::json& group : json["groups"]) {
        const double first = group["settings"]["theta"] == 500 ? 2.7 : 2.2;
        EXPECT_EQ(group["students"], 3);
        EXPECT_NEAR(group["mean"].get<double>(), first + 0.1, 1e-9);
        // s = 0.1 and the 0.975 quantile of t with 2 degrees of freedom is 4.3027.
        EXPECT_NEAR(group["high"].get<double>() - group["mean"].get<double>(), 4.3027 * 0.1 / std::sqrt(3), 1e-4);
    }
    EXPECT_THAT(class_text(table), HasSubstr("3 students, mean 2.3000 ± 0.1000, 95 % interval of the mean"));
}

TEST_F(ClassWorkTest, ARunCountsOnce) {
    const auto tasks = student_tasks(two_thetas(), 1);
    const auto lab = LabFile::create(folder_.path() / "class.ropelab");
    const auto student = finished_lab(tasks[0]);
    EXPECT_EQ(pool_class(*lab, {printed_result(tasks[0]), student}).runs, 2);
    EXPECT_EQ(pool_class(*lab, {printed_result(tasks[0]), student}).runs, 0);
    EXPECT_EQ(class_json(class_table(*lab))["groups"][0]["students"], 1);
    EXPECT_TRUE(class_json(class_table(*lab))["groups"][0]["low"].is_null());
}

TEST_F(ClassWorkTest, ABadFileIsNamedAndTheOthersCount) {
    const auto tasks = student_tasks(two_thetas(), 1);
    std::ofstream(folder_.path() / "notes.json") << "{\"runs\": [{\"theta\": 500}]}";
    std::ofstream(folder_.path() / "text.json") << "hello";
    std::ofstream(folder_.path() / "broken.ropelab") << "hello";
    const auto lab = LabFile::create(folder_.path() / "class.ropelab");
    const ClassPool pool = pool_class(
        *lab, {folder_.path() / "notes.json", folder_.path() / "text.json", folder_.path() / "broken.ropelab",
               folder_.path() / "missing.ropelab", finished_lab(tasks[0])});
    EXPECT_EQ(pool.files, 1);
    EXPECT_EQ(pool.runs, 2);
    ASSERT_EQ(pool.refused.size(), 4U);
    for (const ClassPool::Refused& refused : pool.refused) EXPECT_FALSE(refused.reason.empty());
    EXPECT_EQ(lab->experiments().size(), 1U);
}

}  // namespace
}  // namespace ropelab
