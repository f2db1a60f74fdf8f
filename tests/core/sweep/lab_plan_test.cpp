#include "core/sweep/lab_plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/engine/torch_engine.h"
#include "core/run/checkpoint.h"
#include "core/run/probing.h"
#include "core/store/sqlite.h"
#include "tests/support/event_log.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class LabPlanTest : public testing::Test {
 protected:
    Experiment experiment() {
        Experiment result("small");
        const auto settings = to_json(tiny_spec());
        for (const auto& [key, value] : settings.items()) {
            result.set(key, {value.is_string() ? value.get<std::string>() : value.dump()});
        }
        result.set("data", {folder_.write("text.txt", small_text(3000)).string()});
        result.set("theta", {"100", "10000"});
        return result;
    }

    // Creates a lab whose runs are finished.
    std::unique_ptr<LabFile> trained(const std::filesystem::path& path) {
        auto lab = LabFile::create(path);
        train(plan_new_runs(*lab, experiment()), path);
        return lab;
    }

    void train(Plan plan, const std::filesystem::path& lab) {
        LabRecorder recorder(lab);
        connect(plan, lab, recorder);
        Runner runner([this]() -> Engine& { return engine_; }, [&](const Event& event) { recorder.record(event); });
        runner.start(std::move(plan));
        runner.join();
    }

    ScratchFolder folder_;
    TorchEngine engine_;
};

TEST_F(LabPlanTest, CreatesALabAtomically) {
    const auto path = folder_ / "a.ropelab";
    EXPECT_THROW(create_filled_lab(path,
                                   [&](LabFile& lab) {
                                       plan_new_runs(lab, experiment());
                                       EXPECT_FALSE(std::filesystem::exists(path));
                                       throw std::runtime_error("The power failed.");
                                   }),
                 std::runtime_error);
    EXPECT_FALSE(std::filesystem::exists(path));
    folder_.write("a.ropelab.starting", "what a killed program left");
    const auto lab = create_filled_lab(path, [&](LabFile& fresh) { plan_new_runs(fresh, experiment()); });
    EXPECT_EQ(lab->path(), path);
    EXPECT_EQ(lab->runs().size(), 2U);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ropelab.starting"));
    const auto link = folder_ / "link.ropelab";
    std::filesystem::create_symlink("real.ropelab", link);
    EXPECT_EQ(create_filled_lab(link, [](LabFile&) {})->path(), folder_ / "real.ropelab");
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << "the file that the link names is created";
    EXPECT_MESSAGE(create_filled_lab(path, [](LabFile&) {}), BadInput, "already exists");
    EXPECT_MESSAGE(create_filled_lab(folder_ / "none/b.ropelab", [](LabFile&) {}), BadInput, "b.ropelab");
}

// A user may remove a lab after its program was killed, but leave the SQLite log, which must not be applied to a new
// lab.
TEST_F(LabPlanTest, NewLabIgnoresTheLogOfARemovedOne) {
    const auto old = folder_ / "old.ropelab";
    const auto path = folder_ / "a.ropelab";
    for (const bool filled : {false, true}) {
        {
            const auto killed = LabFile::create(old);
            killed->add_experiment("removed", "{}");
            std::filesystem::copy_file(old.string() + "-wal", path.string() + "-wal");
        }
        ASSERT_GT(std::filesystem::file_size(path.string() + "-wal"), 0U);
        {
            const auto lab = filled ? create_filled_lab(path, [](LabFile& fresh) { fresh.add_experiment("new", "{}"); })
                                    : LabFile::create(path);
            if (!filled) lab->add_experiment("new", "{}");
            ASSERT_EQ(lab->experiments().size(), 1U);
            EXPECT_EQ(lab->experiments().front().name, "new");
        }
        std::filesystem::remove(path);
        std::filesystem::remove(old);
    }
}

TEST_F(LabPlanTest, OnlyADocumentThatSaysSoMakesRunsTrainAlone) {
    const auto lab = LabFile::create(folder_ / "a.ropelab");
    plan_new_runs(*lab, experiment());
    const std::vector<RunId> runs = unfinished_runs(*lab);
    const std::int64_t number = lab->runs().front().experiment;
    lab->add_document(number, "note", R"({"text": "an earlier sweep"})");
    EXPECT_FALSE(plan_continued_runs(*lab, runs).runs.front().alone);
    lab->add_document(number, "sheet", nlohmann::json{{sequential_field, true}}.dump());
    EXPECT_TRUE(plan_continued_runs(*lab, runs).runs.front().alone);
}

TEST_F(LabPlanTest, StoresAWholeSweep) {
    const auto path = folder_ / "a.ropelab";
    const auto lab = LabFile::create(path);
    train(plan_new_runs(*lab, experiment()), path);

    const auto runs = lab->runs();
    ASSERT_EQ(runs.size(), 2U);
    for (const RunRecord& run : runs) {
        EXPECT_EQ(run.state, RunState::finished);
        EXPECT_EQ(run.iteration, 20);
        EXPECT_FALSE(run.vocabulary.empty());
        const RunMetrics metrics = lab->metrics(run.id);
        EXPECT_EQ(metrics.steps.iteration.size(), 20U);
        EXPECT_EQ(metrics.evaluations.iteration, (std::vector<std::int64_t>{0, 10, 20}));
        EXPECT_DOUBLE_EQ(metrics.evaluations.validation_loss.back(), run.summary->final_validation_loss);
    }
    EXPECT_EQ(runs[0].name, "θ 100, 100 %");
    EXPECT_TRUE(unfinished_runs(*lab).empty());
    EXPECT_MESSAGE(plan_continued_runs(*lab, {runs[0].id}), BadInput, "is finished");
}

TEST_F(LabPlanTest, DiscardsMeasurementsAfterTheCheckpoint) {
    const auto path = folder_ / "b.ropelab";
    const auto lab = LabFile::create(path);
    const Plan plan = plan_new_runs(*lab, experiment());
    train(plan, path);
    const RunId id = plan.runs[0].id;
    const RunMetrics before = lab->metrics(id);

    // Simulates a program that was killed after step 20 with an older newest checkpoint.
    event::Step stray{id, 21, 9.0, 9.0, 9.0};
    const std::vector<Event> events = {event::RunEnded{id, RunState::stopped, "", {}}, stray};
    lab->record(events);
    ASSERT_EQ(lab->metrics(id).steps.iteration.size(), 21U);

    train(plan_continued_runs(*lab, {id}), path);
    const RunMetrics after = lab->metrics(id);
    EXPECT_EQ(after.steps.iteration.size(), 20U);
    EXPECT_EQ(after.steps.training_loss, before.steps.training_loss);
    EXPECT_EQ(after.evaluations.validation_loss, before.evaluations.validation_loss);
    EXPECT_EQ(lab->run(id).state, RunState::finished);
}

TEST_F(LabPlanTest, FailedRunsAreUnfinishedUnlessTheyDiverged) {
    const auto lab = trained(folder_ / "a.ropelab");
    lab->record(std::vector<Event>{event::RunEnded{1, RunState::failed, "The disk is full.", {}},
                                   event::RunEnded{2, RunState::failed, "Diverged.", {}},
                                   event::Step{2, 20, std::nan(""), 1, 1}});
    EXPECT_EQ(unfinished_runs(*lab), (std::vector<RunId>{1}));
    lab->record(std::vector<Event>{event::Step{1, 20, 1, std::numeric_limits<double>::infinity(), 1}});
    EXPECT_TRUE(unfinished_runs(*lab).empty());
}

TEST_F(LabPlanTest, SkipsRunsOfAnotherProgram) {
    const auto path = folder_ / "a.ropelab";
    const auto lab = LabFile::create(path);
    Plan plan = plan_new_runs(*lab, experiment());
    sqlite::Connection(path, sqlite::Access::write).run("UPDATE run SET writer = 'node7 12 34' WHERE id = 1");
    EXPECT_EQ(unfinished_runs(*lab), (std::vector<RunId>{2}));
    LabRecorder recorder(path);
    EXPECT_MESSAGE(connect(plan, path, recorder), BadInput, "the machine node7");
}

TEST_F(LabPlanTest, CheckpointsAreNeverNewerThanTheLab) {
    const auto path = folder_ / "a.ropelab";
    const auto lab = LabFile::create(path);
    const Plan plan = plan_new_runs(*lab, experiment());
    const sqlite::Connection other(path, sqlite::Access::write);
    other.run(
        "CREATE TRIGGER full BEFORE INSERT ON step WHEN NEW.iteration > 10 BEGIN SELECT RAISE(ABORT, 'full'); END");
    train(plan, path);
    EXPECT_EQ(lab->run(1).iteration, 10);
    EXPECT_EQ(read_checkpoint(lab->checkpoint_path(1))->iteration, 10);
    other.run("DROP TRIGGER full");
    lab->recover();
    train(plan_continued_runs(*lab, unfinished_runs(*lab)), path);
    for (const RunRecord& run : lab->runs()) {
        EXPECT_EQ(run.state, RunState::finished);
        EXPECT_EQ(lab->metrics(run.id).steps.iteration.size(), 20U) << "no gap";
        EXPECT_EQ(lab->metrics(run.id).evaluations.iteration, (std::vector<std::int64_t>{0, 10, 20}));
    }
}

TEST_F(LabPlanTest, ResumeRejectsChangedData) {
    const auto path = folder_ / "a.ropelab";
    const auto lab = trained(path);
    const auto text = folder_ / "text.txt";
    EXPECT_EQ(lab->run(1).text->bytes, 3000);
    EXPECT_EQ(lab->run(1).text->name, text.string());
    EXPECT_EQ(read_checkpoint(lab->checkpoint_path(1))->text, lab->run(1).text);
    const std::vector<Event> stopped = {event::RunEnded{1, RunState::stopped, "", lab->run(1).summary.value()}};
    lab->record(stopped);

    std::string other = small_text(3000);
    std::swap(other[100], other[1000]);  // the vocabulary and the length stay equal
    ASSERT_NE(other, small_text(3000));
    folder_.write("text.txt", other);
    EXPECT_MESSAGE(settle_data(*lab, plan_continued_runs(*lab, {1})), BadInput, "SHA-256");
    train(plan_continued_runs(*lab, {1}), path);
    EXPECT_EQ(lab->run(1).state, RunState::failed);
    EXPECT_NE(lab->run(1).message.find("training began with a text that has"), std::string::npos);
    EXPECT_EQ(lab->run(1).summary->iterations, 20) << "the progress of the failed run is stored";
    EXPECT_MESSAGE(corpus_of(*read_checkpoint(lab->checkpoint_path(1)), {}), BadInput, "SHA-256");
    // A new run of the same data set does not begin in this lab either.
    const Plan more = plan_new_runs(*lab, experiment());
    folder_.write("text.txt", other);
    EXPECT_MESSAGE(settle_data(*lab, more), BadInput, "SHA-256");

    folder_.write("text.txt", small_text(3000));
    settle_data(*lab, more);
    EXPECT_EQ(lab->run(more.runs[0].id).text, lab->run(1).text) << "the data of a new run is stored with it";
    train(plan_continued_runs(*lab, {1}), path);
    EXPECT_EQ(lab->run(1).state, RunState::finished);
}

// A sweep that extends an earlier one of the lab must be comparable with it.
TEST(ExtendedExperiment, TrainsInThePrecisionOfTheEarlierRuns) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "a.ropelab");
    const auto added = [&](std::vector<std::string> widths, const char* seed) {
        Experiment experiment("sweep");
        experiment.set("width", std::move(widths));
        experiment.set("seed", {seed});
        return plan_new_runs(*lab, experiment).runs.front();
    };
    const PlannedRun first = added({"64"}, "1");
    EXPECT_GT(first.experiment, 0);
    EXPECT_FALSE(lab->precision_of_experiment(first.experiment));
    const RunConditions conditions = {"bfloat16", "cpu", 2, "bfloat16: 1.4 × as fast as float32 on this machine."};
    lab->record(std::vector<Event>{event::CohortStarted{{first.id}, 0, 1000, conditions}});
    const PlannedRun more_seeds = added({"128", "64"}, "2");
    EXPECT_NE(more_seeds.experiment, first.experiment);
    EXPECT_EQ(lab->precision_of_experiment(more_seeds.experiment), experiment_precision(conditions));
    EXPECT_FALSE(lab->precision_of_experiment(added({"128"}, "1").experiment));
}

}  // namespace
}  // namespace ropelab
