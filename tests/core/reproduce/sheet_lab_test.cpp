#include "core/reproduce/sheet_lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/sweep/lab_plan.h"
#include "tests/core/reproduce/sheet_runs.h"
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
    // Records all runs of the lab as trained.
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

TEST_F(SheetLab, StoresRulesAndPredictionsBeforeTheRuns) {
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

TEST_F(SheetLab, TrainsRemainingRunsAsACohort) {
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

// The runs' times are compared, so that they also train alone when they continue in a batch with runs of a cohort.
TEST_F(SheetLab, SequentialSheetTrainsRunsAloneSeedBySeed) {
    const Plan together = plan_new_runs(*lab_, plan_.experiment);
    plan_.sequential = true;
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

// Within a seed the order is fixed, whatever the order of the request, and differs from seed to seed. The expected
// orders of the runs 1 to 7 were computed in Python.
TEST_F(SheetLab, TimedRunsHaveAnOrderPerSeed) {
    const auto order = [](std::int64_t seed) {
        std::vector<RunId> runs = {7, 6, 5, 4, 3, 2, 1};
        std::sort(runs.begin(), runs.end(),
                  [&](RunId a, RunId b) { return timing_order(seed, a) < timing_order(seed, b); });
        return runs;
    };
    EXPECT_EQ(order(1337), (std::vector<RunId>{3, 1, 2, 4, 6, 5, 7}));
    EXPECT_EQ(order(1338), (std::vector<RunId>{1, 6, 7, 2, 3, 4, 5}));
    EXPECT_EQ(order(1339), (std::vector<RunId>{4, 5, 7, 6, 2, 1, 3}));
    plan_.sequential = true;
    enter_sheet(*lab_, plan_);
    const Plan plan = plan_continued_runs(*lab_, {1, 2, 3, 4});
    for (std::size_t i = 0; i < 4; i += 2) {
        const std::int64_t seed = plan.runs[i].spec.seed;
        ASSERT_EQ(plan.runs[i + 1].spec.seed, seed);
        EXPECT_LT(timing_order(seed, plan.runs[i].id), timing_order(seed, plan.runs[i + 1].id));
    }
}

// A sheet that was stored without versions of its rules keeps the meaning that the rules had then.
TEST_F(SheetLab, RulesWithoutAVersionAreOld) {
    plan_.rows.front().control_reference = GroupKeys{{"theta", "500"}};
    nlohmann::json stored = to_json(plan_);
    const SheetPlan today = sheet_plan_from_json(stored, predictions_json(plan_), plan_.experiment.to_json());
    EXPECT_EQ(today.rows.front().rule, plan_.rows.front().rule);
    EXPECT_EQ(today.rows.front().control_reference, plan_.rows.front().control_reference);
    EXPECT_EQ(stored_rules_words(today), "");
    for (const char* field : {"version", "low", "high", "bound"}) stored["rows"][0]["rule"].erase(field);
    stored["rows"][0].erase("control_reference");
    const SheetPlan old = sheet_plan_from_json(stored, predictions_json(plan_), plan_.experiment.to_json());
    EXPECT_EQ(old.rows.front().rule->version, 1);
    EXPECT_FALSE(old.rows.front().control_reference);
    EXPECT_NE(stored_rules_words(old), "");
}

TEST_F(SheetLab, StoresRangesAndBounds) {
    for (const VerdictRule& rule : {size_rule(0.4, 0.6, "speed"), proportion_rule(+1, 0.7, "spikes")}) {
        plan_.rows.front().rule = rule;
        const SheetPlan again =
            sheet_plan_from_json(to_json(plan_), predictions_json(plan_), plan_.experiment.to_json());
        EXPECT_EQ(again.rows.front().rule, rule);
    }
}

TEST_F(SheetLab, StoresASheetInOneTransaction) {
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

TEST_F(SheetLab, SheetRunsHaveTheirMeasurements) {
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    finish({2});
    lab_->set_measurement(2, generated_per_second, 250);
    lab_->add_run(lab_->add_experiment("another", "{}"), "other", "{}");
    const auto runs = sheet_runs(*lab_, experiment);
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(measured_value(runs[1], generated_per_second), 250);
    EXPECT_EQ(measured_value(runs[1], "best_validation_loss"), 1.47);
    EXPECT_EQ(runs[1].spec.theta, 500);
    EXPECT_EQ(runs[0].state, RunState::waiting);
}

// Spikes follow from the recorded steps alone; the engine is not needed.
TEST_F(SheetLab, FindsSpikesInTheSteps) {
    PlannedRow row = row_500({});
    row.measure = spiked;
    plan_.rows = {row};
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    lab_->record(std::vector<Event>{cohort_started({1, 2})});
    for (std::int64_t i = 1; i <= 300; ++i) {
        lab_->record(
            std::vector<Event>{event::Step{1, i, 2.0, 1, 1e-3}, event::Step{2, i, i == 250 ? 9.0 : 2.0, 1, 1}});
    }
    lab_->record(std::vector<Event>{event::RunEnded{1, RunState::finished, "", summary_of(300)},
                                    event::RunEnded{2, RunState::finished, "", summary_of(300)},
                                    event::Step{3, 1, std::nan(""), 1, 1},
                                    event::RunEnded{3, RunState::failed, "It diverged.", {}}});
    const auto no_engine = []() -> Engine& { throw std::runtime_error("not needed"); };
    EXPECT_TRUE(measure_runs(*lab_, experiment, plan_, {}, no_engine, [] { return false; }));
    const auto runs = sheet_runs(*lab_, experiment);
    EXPECT_EQ(measured_value(runs[0], spiked), 0);
    EXPECT_EQ(measured_value(runs[1], spiked), 1);
    EXPECT_EQ(measured_value(runs[2], spiked), 1);
    EXPECT_EQ(measured_value(runs[2], spiked_early), 1);
    EXPECT_EQ(measured_value(runs[1], spiked_early), 0);  // at step 250 of 1000
    EXPECT_FALSE(runs[3].measurements.contains(spiked));
    EXPECT_EQ(unmeasured_runs(plan_, runs), 0);
    plan_.writing.samples = 1;
    EXPECT_EQ(unmeasured_runs(plan_, runs), 2);  // the finished runs
    plan_.writing.samples = 0;
    plan_.extensions = {1, 2};
    EXPECT_EQ(unmeasured_runs(plan_, runs), 2);
}

// A run that could not be trained, for example because no engine exists, has no spike; after it is resumed, its steps
// count.
TEST_F(SheetLab, RunThatFailedForAnotherReasonHasNoSpike) {
    PlannedRow row = row_500({});
    row.measure = spiked;
    plan_.rows = {row};
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    const auto measured = [&](RunId id) {
        const auto no_engine = []() -> Engine& { throw std::runtime_error("not needed"); };
        measure_runs(*lab_, experiment, plan_, {}, no_engine, [] { return false; });
        return lab_->measurements(id);
    };
    lab_->record(std::vector<Event>{event::RunEnded{1, RunState::failed, "There is no engine.", {}},
                                    event::RunEnded{2, RunState::failed, "There is no engine.", {}}});
    EXPECT_TRUE(std::isnan(measured(1).at(spiked)));
    EXPECT_TRUE(std::isnan(measured(1).at(spiked_early)));
    // Value stored by a version that counted every failure as a spike.
    lab_->set_measurement(2, spiked, 1);
    EXPECT_TRUE(std::isnan(measured(2).at(spiked)));
    lab_->record(std::vector<Event>{cohort_started({1, 2})});
    EXPECT_TRUE(lab_->measurements(1).empty());
    lab_->record(std::vector<Event>{event::Step{1, 1, 2.0, 1, 1e-3}, event::Step{2, 1, std::nan(""), 1, 1e-3},
                                    event::RunEnded{1, RunState::finished, "", summary_of(1)},
                                    event::RunEnded{2, RunState::failed, "It diverged.", {}}});
    EXPECT_EQ(measured(1).at(spiked), 0);
    EXPECT_EQ(measured(2).at(spiked), 1);
}

// Runs of other experiments, as in a merged lab, do not belong to the sheet.
TEST_F(SheetLab, DoesNotMeasureRunsOfOtherExperiments) {
    PlannedRow row = row_500({});
    row.measure = spiked;
    plan_.rows = {row};
    plan_.writing.samples = 1;
    plan_.extensions = {1, 2};
    const RunId other = plan_new_runs(*lab_, Experiment("another")).runs.front().id;
    const std::int64_t experiment = enter_sheet(*lab_, plan_);
    finish({other});  // this run has no checkpoint
    const auto no_engine = []() -> Engine& { throw std::runtime_error("not needed"); };
    EXPECT_TRUE(measure_runs(*lab_, experiment, plan_, {}, no_engine, [] { return false; }));
    EXPECT_TRUE(lab_->measurements(other).empty());
}

Experiment sweep_of_bases() {
    Experiment experiment("sweep");
    experiment.set("theta", {"500", "10000"});
    experiment.set("seed", {"1", "2"});
    experiment.set("context", {"256"});
    return experiment;
}

TEST_F(SheetLab, StoresPredictionsBeforeTheRunsAndScoresThemAfterwards) {
    const std::int64_t experiment =
        lab_->run(plan_new_runs(*lab_, sweep_of_bases(), enter_predictions).runs.front().id).experiment;
    EXPECT_FALSE(stored_sheet(*lab_));
    auto sweep = stored_predictions(*lab_);
    ASSERT_EQ(sweep.size(), 1U);
    EXPECT_EQ(sweep[0].experiment, experiment);
    EXPECT_EQ(sweep[0].plan.predictions, predicted(sweep_of_bases().expand()).predictions);
    // stored predictions cannot be replaced
    EXPECT_THROW(lab_->add_document(experiment, predictions_document, "[]"), BadInput);
    finish({1, 2, 3, 4});
    EXPECT_EQ(unmeasured_runs(sweep[0].plan, sheet_runs(*lab_, experiment)), 4);
    const auto scored = [&] { return score(sweep[0].plan, sheet_runs(*lab_, experiment)); };
    EXPECT_EQ(scored()[0].outcome, ScoredPrediction::Outcome::unmeasured);
    for (const RunId run : {1, 2, 3, 4}) {
        const bool fails = lab_->run(run).settings.find("\"theta\":500") != std::string::npos;
        // θ = 500 is tested at the lags 19 and 229, θ = 10,000 at 20 and 230; both have their control at lag 233, and
        // 241 is the longest lag.
        for (const std::int64_t lag : {19, 20, 229, 230, 233, 241}) {
            lab_->set_measurement(run, retrieval_gain(lag), lag == 229 && fails ? 0.1 : 0.8);
        }
        lab_->set_measurement(run, extension_rise, (fails ? 0.5 : 0.2) + 0.001 * static_cast<double>(run % 3));
    }
    EXPECT_EQ(scored()[0].outcome, ScoredPrediction::Outcome::right) << scored()[0].words;
    EXPECT_EQ(scored()[1].outcome, ScoredPrediction::Outcome::wrong);  // the prediction was that θ = 500 loses least
}

// Earlier versions put formula numbers into the names of theories. Stored predictions keep their text.
TEST_F(SheetLab, ScoresDoNotDependOnTheoryNames) {
    SheetPlan before = predicted(sweep_of_bases().expand());
    ASSERT_EQ(before.predictions.size(), 2U);
    before.predictions[0].theory = "context bound (F12, F13; Men et al. 2024)";
    before.predictions[1].theory = "critical dimension (F14; Liu et al. 2023)";
    plan_new_runs(*lab_, sweep_of_bases(), [&](LabFile& lab, std::int64_t experiment, const std::vector<RunSpec>&) {
        lab.add_document(experiment, predictions_document, predictions_json(before).dump());
    });
    plan_new_runs(*lab_, sweep_of_bases(), enter_predictions);
    std::vector<RunId> all;
    for (const RunRecord& run : lab_->runs()) all.push_back(run.id);
    ASSERT_EQ(all.size(), 8U);
    finish(all);
    for (const RunId run : all) {
        const bool fails = lab_->run(run).settings.find("\"theta\":500") != std::string::npos;
        for (const std::int64_t lag : {19, 20, 230, 233}) lab_->set_measurement(run, retrieval_gain(lag), 0.8);
        lab_->set_measurement(run, retrieval_gain(229), fails ? 0.1 : 0.8);
        lab_->set_measurement(run, extension_rise, (fails ? 0.5 : 0.2) + 0.001 * static_cast<double>((run - 1) % 4));
    }
    const std::vector<StoredSheet> sweep = stored_predictions(*lab_);
    ASSERT_EQ(sweep.size(), 2U);
    EXPECT_EQ(sweep[0].plan.predictions, before.predictions);
    const auto old_ones = score(sweep[0].plan, sheet_runs(*lab_, sweep[0].experiment));
    const auto new_ones = score(sweep[1].plan, sheet_runs(*lab_, sweep[1].experiment));
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NE(old_ones[i].prediction.theory, new_ones[i].prediction.theory);
        EXPECT_EQ(old_ones[i].outcome, new_ones[i].outcome);
        EXPECT_EQ(old_ones[i].words, new_ones[i].words);
    }
    EXPECT_EQ(old_ones[0].outcome, ScoredPrediction::Outcome::right) << old_ones[0].words;
    EXPECT_EQ(old_ones[1].outcome, ScoredPrediction::Outcome::wrong);
}

// A prediction that an earlier version stored has no probes; it is read and scored by its own rule, with its own
// chance.
TEST_F(SheetLab, ScoresPredictionsOfEarlierVersionsByTheirRule) {
    const nlohmann::json rule = {
        {"shortest_lag", 16}, {"longest_lag", 241}, {"kept", 0.5}, {"least_gain", 0.1}, {"words", "words"}};
    nlohmann::json stored = nlohmann::json::array();
    stored.push_back({{"theory", "context bound (Men et al. 2024)"},
                      {"words", "words"},
                      {"quantity", "retrieval by distance"},
                      {"measure", "retrieval_gain_at_lag_241"},
                      {"low", std::vector<GroupKeys>{{{"theta", "10000"}}}},
                      {"high", std::vector<GroupKeys>{{{"theta", "500"}}}},
                      {"chance", 0.25},
                      {"retrieval", rule},
                      {"unmeasured", ""}});
    SheetPlan plan = plan_of({});
    plan.predictions = predictions_from_json(stored);
    ASSERT_TRUE(has_earlier_rule(plan.predictions.front()));
    EXPECT_EQ(predictions_from_json(predictions_json(plan)), plan.predictions);
    std::vector<SheetRun> runs;
    add_runs(runs, 500, {1, 1});
    add_runs(runs, 10000, {1, 1});
    for (SheetRun& run : runs) {
        run.measurements = {{retrieval_gain(16), 0.8}, {retrieval_gain(241), run.spec.theta == 500 ? 0.1 : 0.8}};
    }
    const ScoredPrediction scored = score(plan, runs).front();
    EXPECT_EQ(scored.outcome, ScoredPrediction::Outcome::right);
    EXPECT_EQ(scored.chance, 0.25);
    EXPECT_NE(scored.words.find("The older rule stored in the lab file scores this prediction"), std::string::npos);
}

// Labs of version 2 stored probes without a control lag and no version.
TEST_F(SheetLab, RetrievalRulesWithoutAVersionAreOld) {
    plan_.predictions = predicted(sweep_of_bases().expand()).predictions;
    nlohmann::json stored = predictions_json(plan_);
    EXPECT_EQ(predictions_from_json(stored), plan_.predictions);
    EXPECT_FALSE(has_earlier_rule(plan_.predictions.front()));
    nlohmann::json& rule = stored[0]["retrieval"];
    rule.erase("version");
    for (nlohmann::json& probe : rule["probes"]) {
        probe.erase("control_lag");
        probe.erase("control_bound");
    }
    const Prediction old = predictions_from_json(stored).front();
    EXPECT_EQ(old.retrieval->version, 2);
    EXPECT_TRUE(has_earlier_rule(old));
    EXPECT_FALSE(compares_groups(old));
    EXPECT_EQ(retrieval_groups(old).all, 2U);
    EXPECT_DOUBLE_EQ(group_confidence(*old.retrieval), 0.95);
}

TEST_F(SheetLab, StoresAllBaselinesOfAMean) {
    plan_.rows.front().baseline_others = {GroupKeys{{"theta", "1000"}}};
    nlohmann::json stored = to_json(plan_);
    EXPECT_EQ(
        sheet_plan_from_json(stored, predictions_json(plan_), plan_.experiment.to_json()).rows.front().baseline_others,
        plan_.rows.front().baseline_others);
    stored["rows"][0].erase("baseline_others");  // labs of earlier versions
    EXPECT_TRUE(sheet_plan_from_json(stored, predictions_json(plan_), plan_.experiment.to_json())
                    .rows.front()
                    .baseline_others.empty());
}

TEST_F(SheetLab, SheetPredictionsBelongToTheSheetOnly) {
    enter_sheet(*lab_, plan_);
    plan_new_runs(*lab_, Experiment("one run"), enter_predictions);
    EXPECT_TRUE(stored_predictions(*lab_).empty());
    EXPECT_EQ(stored_sheet(*lab_)->plan.predictions, plan_.predictions);
    // A part of a sweep, as in a task of a cluster job, stores the predictions of the whole sweep.
    plan_new_runs(*lab_, sweep_of_bases(), std::vector<std::size_t>{0}, enter_predictions);
    EXPECT_EQ(stored_predictions(*lab_).size(), 1U);
}

// Each run's final validation loss is (learning rate / best − 1)² with the best at the double for θ = 500.
TEST_F(SheetLab, TheSameSearchTunesEveryGroup) {
    plan_.notes = {untuned_note};
    const Experiment search = tuning_experiment(plan_);
    const std::vector<RunSpec> specs = search.expand();
    EXPECT_EQ(specs.size(), 12U) << "2 settings, 3 factors, 2 seeds";
    for (const RunSpec& spec : specs) EXPECT_GT(spec.seed, 2) << "a seed of the rows";
    const Plan runs = plan_new_runs(*lab_, search);
    std::vector<Event> events = {cohort_started({})};
    const double rate = RunSpec{}.learning_rate;
    std::vector<RunId> ids;
    for (const PlannedRun& run : runs.runs) ids.push_back(run.id);
    events.front() = cohort_started(ids);
    for (const PlannedRun& run : runs.runs) {
        RunSummary summary = summary_of(100);
        const double best = run.spec.theta == 500 ? 2 * rate : rate;
        summary.final_validation_loss = std::pow(run.spec.learning_rate / best - 1, 2);
        const bool diverges = run.spec.theta == 10000 && run.spec.learning_rate > 1.5 * rate;
        events.emplace_back(
            event::RunEnded{run.id, diverges ? RunState::failed : RunState::finished, "", std::move(summary)});
    }
    lab_->record(events);
    const SheetPlan tuned = tuned_plan(plan_, *lab_);
    for (const RunSpec& spec : tuned.experiment.expand())
        EXPECT_DOUBLE_EQ(spec.learning_rate, spec.theta == 500 ? 2 * rate : rate) << spec.theta;
    EXPECT_EQ(seeds_of(tuned), seeds_of(plan_));
    EXPECT_TRUE(tuned.rows.front().tuned);
    EXPECT_EQ(std::ranges::count(tuned.notes, untuned_note), 0);
    EXPECT_NE(tuned.notes.back().find(" Times 2: "), std::string::npos) << tuned.notes.back();
    EXPECT_TRUE(
        sheet_plan_from_json(to_json(tuned), predictions_json(tuned), tuned.experiment.to_json()).rows[0].tuned);
    plan_.experiment.set("theta", {"500", "700"});
    EXPECT_THROW(tuned_plan(plan_, *lab_), BadInput) << "the lab has another search";
    plan_.experiment.set("learning_rate", {"1e-3", "2e-3"});
    EXPECT_THROW(tuning_experiment(plan_), BadInput);
}

// With the factor 1, the runs of every sheet are those of its own experiment.
TEST(Tuning, KeepsTheOtherSettingsOfEverySheet) {
    int tuned = 0;
    for (const Sheet& sheet : sheets()) {
        SheetPlan plan;
        std::vector<RunSpec> search;
        try {
            plan = sheet.plan(SheetRequest{});
            search = tuning_experiment(plan).expand();
        } catch (const BadInput&) {
            continue;  // a sheet that compares learning rates
        }
        ++tuned;
        for (RunSpec expected : plan.experiment.expand()) {
            expected.seed = seeds_of(plan).back() + 1;
            EXPECT_NE(std::ranges::find(search, expected), search.end()) << sheet.name;
        }
    }
    EXPECT_GE(tuned, 10);
}

TEST(SweepPredictionsText, NamesTheExperimentWhereThereAreSeveral) {
    std::vector<SweepPredictions> sweeps(1);
    sweeps[0].stored.experiment = 2;
    sweeps[0].predictions.resize(1);
    EXPECT_NE(sweep_predictions_text(sweeps, "").find("Predictions (preregistered):\n"), std::string::npos);
    sweeps.push_back(sweeps[0]);
    sweeps[1].stored.experiment = 5;
    const std::string text = sweep_predictions_text(sweeps, "");
    EXPECT_NE(text.find("Predictions (preregistered) of experiment 2:\n"), std::string::npos) << text;
    EXPECT_NE(text.find("Predictions (preregistered) of experiment 5:\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace ropelab
