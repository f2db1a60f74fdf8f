#include "core/experiment/sheets/sheet_lab.h"

#include <gtest/gtest.h>

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
        plan_.predictions = {prediction()};
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

TEST_F(SheetLab, WhatIsLeftIsTrainedTogetherOrSeedBySeed) {
    enter_sheet(*lab_, plan_);
    auto stored = *stored_sheet(*lab_);
    ASSERT_EQ(remaining_plans(*lab_, stored).size(), 1U);
    EXPECT_EQ(remaining_plans(*lab_, stored)[0].runs.size(), 4U);
    finish({1});
    EXPECT_EQ(remaining_plans(*lab_, stored)[0].runs.size(), 3U);
    stored.plan.one_by_one = true;
    std::vector<std::int64_t> seeds;
    for (const Plan& plan : remaining_plans(*lab_, stored)) {
        ASSERT_EQ(plan.runs.size(), 1U);
        seeds.push_back(plan.runs[0].spec.seed);
    }
    EXPECT_EQ(seeds, (std::vector<std::int64_t>{1, 2, 2}));
    finish({2, 3, 4});
    EXPECT_TRUE(remaining_plans(*lab_, stored).empty());
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
