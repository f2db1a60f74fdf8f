#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

class LabMerge : public testing::Test {
 protected:
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "all.ropelab";
    std::filesystem::path other_path_ = folder_.path() / "job?mode=ro#1%.ropelab";
    std::unique_ptr<LabFile> lab_ = lab_with_runs(path_, 1);
    std::unique_ptr<LabFile> other_ = lab_with_runs(other_path_, 3);
};

TEST_F(LabMerge, AddsRunsWithAllTheirData) {
    lab_->record(trained(1, 10));
    std::vector<Event> events = trained(2, 30);
    event::CohortStarted started = cohort_started({2});
    started.conditions.graphs = "all but norm";
    started.conditions.clock = "cohort 3 session";
    events.insert(events.begin(), started);
    events.emplace_back(event::Step{2, 31, std::numeric_limits<double>::quiet_NaN(), 1, 1});
    events.emplace_back(event::RunEnded{2, RunState::failed, "Diverged.", summary_of(31)});
    other_->record(events);
    other_->annotate_run(2, "note");
    other_->set_vocabulary(2, "abc");
    other_->add_later_result(2, "head-conversion", R"({"steps":1})");
    other_->add_later_result(2, "head-conversion", R"({"steps":2})");
    write_checkpoint_of(*other_, 2, 2.0F);
    write_checkpoint_of(*lab_, 1, 1.0F);

    EXPECT_EQ(lab_->merge(other_path_), 3);
    const std::vector<RunRecord> runs = lab_->runs();
    ASSERT_EQ(runs.size(), 4U);
    const RunRecord& merged = runs[2];
    EXPECT_EQ(merged.id, 3);
    EXPECT_EQ(merged.name, "run 2");
    EXPECT_EQ(merged.note, "note");
    EXPECT_EQ(merged.vocabulary, "abc");
    EXPECT_EQ(merged.state, RunState::failed);
    EXPECT_EQ(merged.message, "Diverged.");
    EXPECT_EQ(merged.conditions->precision, "bfloat16");
    EXPECT_EQ(merged.conditions->graphs, "all but norm");
    EXPECT_EQ(merged.conditions->clock, "cohort 3 session");
    EXPECT_EQ(merged.summary->iterations, 31);
    expect_equal(lab_->metrics(3), other_->metrics(2));
    EXPECT_EQ(lab_->samples(3).size(), 3U);
    const std::vector<LaterResult> results = lab_->later_results("head-conversion");
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[1].run, 3);
    EXPECT_EQ(results[1].text, R"({"steps":2})");
    EXPECT_EQ(results[1].created, other_->later_results("head-conversion")[1].created);
    EXPECT_EQ(checkpoint_value(*lab_, 3), 2.0F);
    EXPECT_EQ(checkpoint_value(*lab_, 1), 1.0F);
    EXPECT_EQ(files_in(lab_->checkpoint_folder()), 2U);
    for (const RunRecord& run : runs) EXPECT_GE(run.experiment, 1);
    EXPECT_EQ(lab_->add_run(runs[3].experiment, "next", "{}"), 5);
}

TEST_F(LabMerge, SkipsRunsThatAlreadyExist) {
    lab_->record(trained(1, 10));
    other_->record(trained(1, 10));  // equal settings (seed 1) and metrics mean the same run
    other_->record(trained(2, 20));
    EXPECT_EQ(lab_->merge(other_path_), 2);
    EXPECT_EQ(lab_->merge(other_path_), 0);
    EXPECT_EQ(lab_->runs().size(), 3U);
    const std::size_t experiments = lab_->experiments().size();
    other_->record(trained(3, 5));  // that run has more steps, so it differs from the one in this lab
    EXPECT_EQ(lab_->merge(other_path_), 1);
    EXPECT_EQ(lab_->experiments().size(), experiments);
}

// A merge that is killed after its transaction leaves runs without their checkpoints.
TEST_F(LabMerge, AddsCheckpointsThatAnInterruptedMergeDidNotCopy) {
    for (RunId run = 1; run <= 3; ++run) {
        other_->record(trained(run, 10));
        write_checkpoint_of(*other_, run, static_cast<float>(run));
    }
    EXPECT_EQ(lab_->merge(other_path_), 3);
    std::filesystem::remove(lab_->checkpoint_path(3));
    write_checkpoint_of(*lab_, 4, 9.0F);
    EXPECT_EQ(lab_->merge(other_path_), 0);
    EXPECT_EQ(checkpoint_value(*lab_, 3), 2.0F);
    EXPECT_EQ(checkpoint_value(*lab_, 4), 9.0F) << "an existing checkpoint is unchanged";
    EXPECT_EQ(files_in(lab_->checkpoint_folder()), 3U);
}

TEST_F(LabMerge, AddsLaterResultsThatAKnownRunLacks) {
    lab_->add_later_result(1, "head-conversion", R"({"steps":1})");
    other_->add_later_result(1, "head-conversion", R"({"steps":2})");
    EXPECT_EQ(lab_->merge(other_path_), 2) << "run 1 is the same waiting run in both labs";
    EXPECT_EQ(lab_->merge(other_path_), 0);
    const std::vector<LaterResult> results = lab_->later_results("head-conversion");
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[1].run, 1);
    EXPECT_EQ(results[1].text, R"({"steps":2})");
}

TEST_F(LabMerge, EachRunMatchesAtMostOneOtherRun) {
    const auto twice = LabFile::create(folder_.path() / "twice.ropelab");
    const std::int64_t experiment = twice->add_experiment("twice", "{}");
    for (int i = 0; i < 2; ++i) {
        const RunId run = twice->add_run(experiment, "same", R"({"seed":1})");
        twice->record(trained(run, 10));
    }
    lab_->record(trained(1, 10));
    EXPECT_EQ(lab_->merge(twice->path()), 1);
    EXPECT_EQ(lab_->merge(twice->path()), 0);
}

TEST_F(LabMerge, ComparesNonFiniteNumbers) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    lab_->record(std::vector<Event>{event::Step{1, 1, nan, 1, 1}});
    other_->record(std::vector<Event>{event::Step{1, 1, nan, 1, 1}});
    other_->delete_run(2);  // deleted runs are not merged
    other_->delete_run(3);
    EXPECT_EQ(lab_->merge(other_path_), 0);
    other_->record(std::vector<Event>{event::Step{1, 1, 2.0, 1, 1}});
    EXPECT_EQ(lab_->merge(other_path_), 1);
}

// Imported runs may have no curves; a merge lost those of equal settings.
TEST_F(LabMerge, RunsWithoutCurvesAreComparedByTheirNumbers) {
    other_->delete_run(2);
    other_->delete_run(3);
    const auto end = [](LabFile& lab, double loss, double perplexity) {
        RunSummary summary = summary_of(10);
        summary.best_validation_loss = loss;
        lab.record(std::vector<Event>{event::RunEnded{1, RunState::finished, "", summary}});
        lab.set_measurement(1, "val_ppl", perplexity);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    end(*lab_, nan, 20);
    end(*other_, nan, 20);
    EXPECT_EQ(lab_->merge(other_path_), 0);
    end(*other_, 3, 20);
    EXPECT_EQ(lab_->merge(other_path_), 1);
    end(*other_, nan, 9);
    EXPECT_EQ(lab_->merge(other_path_), 1);
    EXPECT_EQ(lab_->merge(other_path_), 0);
}

TEST_F(LabMerge, RunsInTrainingAreAddedAsStopped) {
    other_->record(std::vector<Event>{cohort_started({1, 2, 3}), step(1, 1)});
    lab_->merge(other_path_);
    EXPECT_EQ(lab_->run(2).state, RunState::stopped);
    EXPECT_EQ(other_->run(1).state, RunState::running);
}

TEST_F(LabMerge, RejectsFilesThatAreNotAnotherLab) {
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->merge(path_), BadInput), HasSubstr("is the open lab file itself"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->merge(folder_.path() / "none"), BadInput), HasSubstr("There is no file"));
    EXPECT_THROW(lab_->merge(folder_.write("text", "not a lab at all")), BadInput);
    EXPECT_EQ(lab_->runs().size(), 1U);
}

TEST_F(LabMerge, AFailedMergeAddsNothing) {
    write_checkpoint_of(*other_, 1, 1.0F);
    std::filesystem::create_directories(other_->checkpoint_path(3));  // cannot be copied as a file
    EXPECT_THROW(lab_->merge(other_path_), BadInput);
    EXPECT_EQ(lab_->runs().size(), 1U);
    EXPECT_EQ(lab_->experiments().size(), 1U);
    EXPECT_EQ(files_in(lab_->checkpoint_folder()), 0U);
    std::filesystem::remove(other_->checkpoint_path(3));
    EXPECT_EQ(lab_->merge(other_path_),
              2);  // run 1 is the same waiting run as in this lab; the lab remains usable
}

}  // namespace
}  // namespace ropelab
