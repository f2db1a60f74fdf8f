#include "core/experiment/sheets/sheet_lab.h"

#include <gtest/gtest.h>

#include "core/experiment/lab_plan.h"
#include "core/experiment/sheets/measuring.h"
#include "core/spec/error.h"
#include "tests/core/experiment/sheets/sheet_runs.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

class SheetLab : public testing::Test {
 protected:
    SheetLab() {
        plan_ = plan_of({row_500({})});
        plan_.experiment.set("theta", {"500", "10000"});
        plan_.experiment.set("seed", {"1", "2"});
        plan_.predictions = {prediction(), prediction()};
        plan_.predictions[1].retrieval = RetrievalRule{16, 241, 0.4, 0.2};
        plan_.retrieval_windows = 3;
    }
    static Prediction prediction() {
        Prediction result;
        result.theory = "theory";
        result.measure = "best_validation_loss";
        result.chance = 0.5;
        return result;
    }
    // As when all of the lab's runs have been trained.
    void finish(const std::vector<RunId>& runs) {
        std::vector<Event> events = {cohort_started(runs)};
        for (const RunId run : runs) {
            events.emplace_back(event::RunEnded{run, RunState::finished, "", summary_of(100)});
        }
        lab_->record(events);
    }

    ScratchFolder folder_;
    SheetPlan plan_;
    std::unique_ptr<LabFile> lab_ = LabFile::create(folder_.path() / "sheet.ropelab");
};

TEST_F(SheetLab, RulesAndPredictionsAreFixedBeforeTheRuns) {
    EXPECT_FALSE(stored_sheet(*lab_));
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    const auto stored = stored_sheet(*lab_);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->experiment, experiment);
    EXPECT_EQ(to_json(stored->plan), to_json(plan_));
    EXPECT_EQ(stored->plan.predictions, plan_.predictions);
    EXPECT_EQ(stored->plan.experiment, plan_.experiment);
    EXPECT_THROW(lab_->add_document(experiment, predictions_document, "[]"), BadInput);
    finish({1});
    EXPECT_THROW(lab_->add_document(experiment, "afterthought", "[]"), BadInput);
}

TEST_F(SheetLab, WhatIsLeftIsTrainedTogether) {
    enter_sheet(*lab_, plan_);
    const auto stored = *stored_sheet(*lab_);
    EXPECT_EQ(remaining_plan(*lab_, stored).runs.size(), 4U);
    finish({1});
    const Plan left = remaining_plan(*lab_, stored);
    ASSERT_EQ(left.runs.size(), 3U);
    for (const PlannedRun& run : left.runs) EXPECT_FALSE(run.alone);
    finish({2, 3, 4});
    EXPECT_TRUE(remaining_plan(*lab_, stored).runs.empty());
}

// Their times are compared: also where they go on beside runs that train together.
TEST_F(SheetLab, RunsOfAOneByOneSheetAreAloneSeedBySeed) {
    const Plan together = plan_new_runs(*lab_, plan_.experiment);
    plan_.one_by_one = true;
    enter_sheet(*lab_, plan_);
    std::vector<RunId> all;
    for (const RunRecord& run : lab_->runs()) all.push_back(run.id);
    const Plan plan = plan_continued_runs(*lab_, {all.rbegin(), all.rend()});
    ASSERT_EQ(plan.runs.size(), 8U);
    std::vector<std::int64_t> seeds;
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(plan.runs[i].alone, i >= 4);
        if (i >= 4) seeds.push_back(plan.runs[i].spec.seed);
    }
    EXPECT_EQ(seeds, (std::vector<std::int64_t>{1, 1, 2, 2}));
}

TEST_F(SheetLab, ASheetIsInTheLabWholeOrNotAtAll) {
    plan_.rows.clear();
    plan_.experiment.add_exclusion("theta=500");
    plan_.experiment.add_exclusion("theta=10000");
    EXPECT_THROW(enter_sheet(*lab_, plan_), BadInput);
    EXPECT_TRUE(lab_->experiments().empty());
    EXPECT_THROW(lab_->in_one_transaction([&] {
        plan_new_runs(*lab_, Experiment("one"));
        throw std::runtime_error("The lights went out.");
    }),
                 std::runtime_error);
    EXPECT_TRUE(lab_->experiments().empty());
    EXPECT_TRUE(lab_->runs().empty());
    lab_->in_one_transaction([&] { plan_new_runs(*lab_, Experiment("one")); });
    EXPECT_EQ(lab_->runs().size(), 1U);
}

TEST_F(SheetLab, RunsComeWithWhatWasMeasuredOfThem) {
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    finish({2});
    lab_->set_measurement(2, written_per_second, 250);
    lab_->add_run(lab_->add_experiment("another", "{}"), "other", "{}");
    const auto runs = sheet_runs(*lab_, experiment);
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(measured_value(runs[1], written_per_second), 250);
    EXPECT_EQ(measured_value(runs[1], "best_validation_loss"), 1.47);
    EXPECT_EQ(runs[1].spec.theta, 500);
    EXPECT_EQ(runs[0].state, RunState::waiting);
}

// Spikes are judged from the steps alone, without the engine.
TEST_F(SheetLab, SpikesAreFoundInTheSteps) {
    PlannedRow row = row_500({});
    row.measure = spiked;
    plan_.rows = {row};
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    lab_->record(std::vector<Event>{cohort_started({1, 2})});
    for (std::int64_t i = 1; i <= 300; ++i) {
        lab_->record(
            std::vector<Event>{event::Step{1, i, 2.0, 1, 1e-3}, event::Step{2, i, i == 200 ? 3.0 : 2.0, 1, 1}});
    }
    lab_->record(std::vector<Event>{event::RunEnded{1, RunState::finished, "", summary_of(300)},
                                    event::RunEnded{2, RunState::finished, "", summary_of(300)},
                                    event::RunEnded{3, RunState::failed, "It diverged.", {}}});
    const auto no_engine = []() -> Engine& { throw std::runtime_error("not needed"); };
    EXPECT_TRUE(measure_runs(*lab_, plan_, {}, no_engine, [] { return false; }));
    const auto runs = sheet_runs(*lab_, experiment);
    EXPECT_EQ(measured_value(runs[0], spiked), 0);
    EXPECT_EQ(measured_value(runs[1], spiked), 1);
    EXPECT_EQ(measured_value(runs[2], spiked), 1);
    EXPECT_FALSE(runs[3].measurements.contains(spiked));
    EXPECT_EQ(unmeasured_runs(plan_, runs), 0);
    plan_.writing.samples = 1;
    EXPECT_EQ(unmeasured_runs(plan_, runs), 2);  // those that finished
    plan_.writing.samples = 0;
    plan_.extensions = {1, 2};
    EXPECT_EQ(unmeasured_runs(plan_, runs), 2);
}

}  // namespace
}  // namespace ropelab
