#include "core/sweep/lab_growth.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/run/checkpoint.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/lab_results.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

RunSpec spec_of_length(std::int64_t iterations, std::int64_t decay_iterations) {
    RunSpec spec;
    spec.iterations = iterations;
    spec.decay_iterations = decay_iterations;
    return spec;
}

TEST(LabGrowth, ARangeStandsForItsWholeNumbers) {
    Experiment experiment;
    experiment.set_assignment("seed=1..3, 7,10..10");
    EXPECT_EQ(experiment.values("seed"), (std::vector<std::string>{"1", "2", "3", "7", "10"}));
    experiment.set_assignment("data=../text.txt");
    EXPECT_EQ(experiment.values("data"), (std::vector<std::string>{"../text.txt"}));
    EXPECT_MESSAGE(experiment.set_assignment("seed=2..1"), BadInput, "must ascend");
}

TEST(LabGrowth, OnlyAScheduleThatIsEqualUpToTheEndCanContinue) {
    EXPECT_EQ(why_not_continued(spec_of_length(2000, 2000), spec_of_length(4000, 2000)), "");
    EXPECT_EQ(why_not_continued(spec_of_length(2000, 0), spec_of_length(4000, 2000)), "");
    EXPECT_NE(why_not_continued(spec_of_length(2000, 0), spec_of_length(4000, 0)).find("ends at iteration 2000"),
              std::string::npos);
    EXPECT_NE(why_not_continued(spec_of_length(2000, 1500), spec_of_length(4000, 0)).find("ends at iteration 1500"),
              std::string::npos);
    RunSpec constant = spec_of_length(2000, 0);
    constant.final_learning_rate = constant.learning_rate;
    RunSpec longer = constant;
    longer.iterations = 4000;
    EXPECT_EQ(why_not_continued(constant, longer), "");
    EXPECT_EQ(why_not_continued(spec_of_length(100, 0), spec_of_length(4000, 0)), "") << "still in the warm-up";
    constant.theta_schedule = longer.theta_schedule = ThetaSchedule::linear;
    EXPECT_NE(why_not_continued(constant, longer).find("theta_schedule"), std::string::npos);
}

TEST(LabGrowth, RunsAreRecognisedByAllTheirSettings) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    Experiment experiment("first");
    experiment.set("theta", {"500", "10k"});
    plan_new_runs(*lab, experiment);

    Experiment named_default("second");
    named_default.set("theta", {"500", "10000", "20000", "2e4", "30000"});
    named_default.set("width", {"64"});  // the default
    EXPECT_FALSE(stores_experiment(*lab, named_default));
    const Growth growth = growth_of(*lab, named_default, false);
    EXPECT_EQ(growth.present, 2U);
    ASSERT_EQ(growth.added.size(), 2U) << "equal runs are added once";
    EXPECT_EQ(growth.added[0].spec.theta, 20000);
    EXPECT_EQ(growth.added[1].spec.theta, 30000);

    grow_lab(*lab, named_default, growth, folder.path());
    EXPECT_EQ(lab->runs().size(), 4U);
    EXPECT_EQ(lab->experiments().size(), 2U);
    EXPECT_TRUE(stores_experiment(*lab, named_default));
    EXPECT_EQ(remembered_data_dir(*lab), std::filesystem::absolute(folder.path()));
    EXPECT_TRUE(growth_of(*lab, named_default, false).added.empty());

    const auto runs = result_runs(*lab, lab_runs(*lab, {}), false);  // growing chose all experiments
    EXPECT_EQ(lab_runs(*lab, {}).experiments, 2U);
    EXPECT_EQ(runs.size(), 2U) << "those of the second experiment";
    EXPECT_EQ(origin_of(*lab, 1).look, 0);
    EXPECT_EQ(origin_of(*lab, 2).look, 2) << "it added runs when there were some";
    EXPECT_EQ(runs.back().look, 2);
    RunSelection all;
    all.experiment = RunSelection::all_experiments;
    all.excluded = {3};
    const auto selected = result_runs(*lab, lab_runs(*lab, all), false);
    ASSERT_EQ(selected.size(), 4U);
    for (std::size_t i = 0; i < selected.size(); ++i) EXPECT_EQ(selected[i].excluded, i == 2) << i;
}

// Of equal settings but their length, the run with the most steps; each has a checkpoint without weights. Their last
// evaluations took place because they ended.
TEST(LabGrowth, ALongerRunContinuesFromTheLongestShorterOne) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    const auto sweep = [](const std::vector<std::string>& iterations) {
        Experiment experiment("constant rate");
        experiment.set("iterations", iterations);
        for (const char* assignment : {"final_learning_rate=0.001", "learning_rate=0.001", "evaluate_every=10",
                                       "data_length=2000", "context=16", "theta=500"})
            experiment.set_assignment(assignment);
        return experiment;
    };
    const Plan plan = plan_new_runs(*lab, sweep({"25", "15", "26", "35"}));
    const std::vector<double> losses = {3.0, 2.0, 2.25, 1.0};  // at steps 0, 10, 20, 25
    for (const PlannedRun& run : plan.runs) {
        const std::int64_t end = run.spec.iterations;
        std::vector<Event> events = {event::CohortStarted{{run.id}, 0, end, {"float32", "cpu", 1, "as asked."}}};
        for (std::int64_t step = 1; step <= end; ++step) events.push_back(event::Step{run.id, step, 1, 1, 1e-3, 1});
        for (std::size_t i = 0; i < 4; ++i)
            events.push_back(
                event::Evaluated{run.id, i < 3 ? std::int64_t(10 * i) : end, losses[i] + 0.5, losses[i], 1});
        RunSummary summary;
        summary.iterations = summary.best_iteration = end;
        summary.best_validation_loss = summary.final_validation_loss = summary.whole_validation_loss.emplace(1.0);
        // The third one failed, and the last one still trains.
        if (end == 26) events.push_back(event::RunEnded{run.id, RunState::failed, "The disk is full.", summary});
        if (end < 26) events.push_back(event::RunEnded{run.id, RunState::finished, "", summary});
        lab->record(events);
        Checkpoint checkpoint;
        checkpoint.spec = run.spec;
        checkpoint.iteration = checkpoint.evaluated = end;
        checkpoint.summary = summary;
        write_checkpoint(run.checkpoint, checkpoint);
    }

    const ResultRun shown = result_runs(*lab, lab_runs(*lab, {}), false).back();
    ASSERT_TRUE(shown.conditions);
    EXPECT_EQ(shown.conditions->reason, "as asked.");
    const Experiment longer = sweep({"40"});
    EXPECT_FALSE(growth_of(*lab, longer, true).added.at(0).continues);
    Experiment other = longer;
    other.set("theta", {"501"});
    EXPECT_FALSE(growth_of(*lab, other, false).added.at(0).continues);
    const Growth growth = growth_of(*lab, longer, false);
    EXPECT_EQ(growth.added.at(0).continues, 1);
    EXPECT_EQ(growth.added.at(0).iteration, 25);
    grow_lab(*lab, longer, growth, {});
    const RunRecord run = lab->runs().back();
    EXPECT_EQ(run.state, RunState::stopped);
    EXPECT_EQ(run.iteration, 25);
    EXPECT_EQ(lab->metrics(run.id).evaluations.iteration, (std::vector<std::int64_t>{0, 10, 20}));
    EXPECT_EQ(nlohmann::json::parse(*lab->document(run.experiment, extension_document)).at("continued"),
              nlohmann::json::array({{{"run", run.id}, {"from", 1}, {"iteration", 25}}}));
    const auto checkpoint = read_checkpoint(lab->checkpoint_path(run.id));
    ASSERT_TRUE(checkpoint);
    EXPECT_EQ(checkpoint->spec.iterations, 40);
    EXPECT_EQ(checkpoint->iteration, 25);
    EXPECT_EQ(checkpoint->evaluated, 20);
    EXPECT_EQ(checkpoint->summary.best_validation_loss, 2.0);
    EXPECT_EQ(checkpoint->summary.best_iteration, 10);
    EXPECT_EQ(checkpoint->summary.final_validation_loss, 2.25);
    EXPECT_EQ(checkpoint->summary.final_training_loss, 2.75);
    EXPECT_TRUE(remembered_data_dir(*lab).empty());
}

TEST(LabGrowth, OnlyTheNewestDataFolderIsRemembered) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    EXPECT_FALSE(newest_experiment(*lab));
    for (const char* name : {"first", "second", "third"}) {
        Experiment experiment(name);
        const std::int64_t id = lab->add_experiment(name, experiment.to_json().dump());
        remember_data_dir(*lab, id, std::string(name) == "third" ? "" : folder / name);
    }
    EXPECT_EQ(remembered_data_dir(*lab), folder / "second");
    EXPECT_EQ(newest_experiment(*lab)->name(), "third");
    lab->add_document(lab->add_experiment("sheet", "{}"), "sheet", "{}");
    EXPECT_MESSAGE(growth_of(*lab, Experiment(), false), BadInput, "contains the reproduction of a paper");
}

}  // namespace
}  // namespace ropelab
