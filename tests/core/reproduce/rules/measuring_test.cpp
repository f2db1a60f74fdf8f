#include "core/reproduce/rules/measuring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/reproduce/sheet_lab.h"
#include "core/reproduce/sheets/building.h"
#include "core/run/checkpoint.h"
#include "tests/core/reproduce/sheet_runs.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

RunMetrics::Steps falling(std::int64_t count) {
    RunMetrics::Steps steps;
    for (std::int64_t i = 1; i <= count; ++i) {
        steps.iteration.push_back(i);
        steps.training_loss.push_back(2 + 2.0 / static_cast<double>(i));
        steps.gradient_norm.push_back(1);
    }
    return steps;
}

TEST(Measuring, SpikeExceedsThePreviousMinimum) {
    RunMetrics::Steps steps = falling(200);
    EXPECT_FALSE(first_spike(steps, 10));
    for (std::size_t i = 150; i < 160; ++i) steps.training_loss[i] += 0.7;  // 0.46 after smoothing
    EXPECT_FALSE(first_spike(steps, 10));
    for (std::size_t i = 150; i < 160; ++i) steps.training_loss[i] += 0.3;
    EXPECT_EQ(first_spike(steps, 10), 157);
    EXPECT_FALSE(first_spike(steps, 180));  // within the warm-up
    EXPECT_FALSE(first_spike({}, 0));
}

TEST(Measuring, LossNoiseIsNoSpike) {
    RunMetrics::Steps steps = falling(200);
    for (std::size_t i = 0; i < steps.training_loss.size(); ++i) steps.training_loss[i] += i % 2 == 0 ? 0.6 : -0.6;
    EXPECT_FALSE(first_spike(steps, 10));
    steps.training_loss[100] += 6;
    EXPECT_EQ(first_spike(steps, 10), 101) << "one large step";
}

// A run ends at a loss that is not finite, so that the step counts even within the warm-up.
TEST(Measuring, NonFiniteLossOrGradientIsASpike) {
    RunMetrics::Steps steps = falling(200);
    steps.training_loss.back() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(first_spike(steps, 10), 200);
    EXPECT_EQ(first_spike(steps, 500), 200);
    steps = falling(200);
    steps.gradient_norm[99] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(first_spike(steps, 10), 100);
}

// The gradients are those of the snapshot at step 1; a run without it has no numbers, but counts as measured.
TEST(Measuring, FirstGradientsAreThoseOfTheSnapshotAtStepOne) {
    const ScratchFolder folder;
    SheetPlan plan = plan_of({});
    plan.experiment.set("data", {folder.write("text.txt", small_text(3000)).string()});
    plan.experiment.set("seed", {"1", "2"});
    plan.rows = {shown_row({}, first_gradient_ratio, {})};
    const auto lab = LabFile::create(folder / "x.ropelab");
    const std::int64_t experiment = enter_sheet(*lab, plan);
    std::vector<Event> events;
    for (const RunRecord& run : lab->runs()) {
        if (run.id == lab->runs().front().id) {
            ProbeResult result;
            result.sequences = 1;
            result.length = 2;
            result.gradient_norm = {{3, 2}, {8, 0.5, 8, 1, 8, 2}};
            events.emplace_back(event::Probed{run.id, 1, std::make_shared<const ProbeResult>(result)});
            result.gradient_norm.values.back() = 100;
            events.emplace_back(event::Probed{run.id, 2, std::make_shared<const ProbeResult>(result)});
        }
        events.emplace_back(event::RunEnded{run.id, RunState::finished, "", RunSummary{}});
    }
    lab->record(events);
    const auto no_engine = []() -> Engine& { throw BadInput("These measurements need no engine."); };
    EXPECT_TRUE(measure_runs(*lab, experiment, plan, {}, no_engine, [] { return false; }));
    const auto measured = lab->measurements(lab->runs().front().id);
    EXPECT_EQ(measured.at(first_gradient_at_end), 2);
    EXPECT_EQ(measured.at(first_gradient_ratio), 4);
    const auto unknown = lab->measurements(lab->runs().back().id);
    EXPECT_TRUE(!unknown.contains(first_gradient_ratio) || !std::isfinite(unknown.at(first_gradient_ratio)));
}

// Model that recalls half of the repeated tokens at every lag, and none at their first occurrence.
class Retriever : public Model {
 public:
    explicit Retriever(int& probes) : probes_(probes) {}
    std::vector<float> logits(std::span<const std::int32_t>) override { return {}; }
    std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation&) override { return {}; }
    double whole_loss(std::span<const std::int32_t>) override { return 1; }
    ProbeResult probe(const ProbeRequest& request) override {
        ++probes_;
        EXPECT_FALSE(request.vectors || request.attention);
        EXPECT_EQ(request.sequences.length, request.retrieval.sequences.length);
        ProbeResult result;
        const std::set<std::int64_t> lags(request.retrieval.lags.begin(), request.retrieval.lags.end());
        for (const std::int64_t lag : lags) result.retrieval.push_back({lag, 12, 0.5, 1, 0.125, 3});
        return result;
    }

 private:
    int& probes_;
};

class RetrievingEngine : public Engine {
 public:
    int probes = 0;
    EngineInfo info() override { return {}; }
    std::unique_ptr<Cohort> create_cohort(const CohortStart&, const TokenData&) override { return nullptr; }
    std::unique_ptr<Model> create_model(const ModelPlan&, std::span<const NamedTensor>, const Computing&) override {
        return std::make_unique<Retriever>(probes);
    }
};

// A prediction concerns θ = 500 with two seeds; none concerns θ = 100.
TEST(Measuring, MeasuresRetrievalOnceForPredictedRuns) {
    const ScratchFolder folder;
    SheetPlan plan = plan_of({});
    plan.experiment.set("data", {folder.write("text.txt", small_text(3000)).string()});
    plan.experiment.set("context", {"32"});
    plan.experiment.set("theta", {"100", "500"});
    plan.experiment.set("seed", {"1", "2"});
    plan.predictions.emplace_back().high = {{{"theta", "500"}}};
    plan.predictions.front().retrieval = RetrievalRule{8, 25};
    plan.retrieval_windows = 2;
    const auto lab = LabFile::create(folder / "x.ropelab");
    const std::int64_t experiment = enter_sheet(*lab, plan);
    lab->checkpoint_folder();
    std::vector<Event> events;
    for (const RunRecord& run : lab->runs()) {
        events.emplace_back(event::RunEnded{run.id, RunState::finished, "", RunSummary{}});
        Checkpoint checkpoint;
        checkpoint.spec = run_spec_from_json(nlohmann::json::parse(run.settings));
        checkpoint.vocabulary = open_corpus(checkpoint.spec)->vocabulary.to_text();
        checkpoint.conditions = {"float32", "cpu", 1, ""};
        write_checkpoint(lab->checkpoint_path(run.id), checkpoint);
    }
    lab->record(events);
    EXPECT_EQ(unmeasured_runs(plan, sheet_runs(*lab, experiment)), 2);

    RetrievingEngine engine;
    for (int time = 0; time < 2; ++time) {
        EXPECT_TRUE(measure_runs(
            *lab, experiment, plan, {}, [&]() -> Engine& { return engine; }, [] { return false; }));
        EXPECT_EQ(engine.probes, 2);
    }
    const auto runs = sheet_runs(*lab, experiment);
    EXPECT_EQ(unmeasured_runs(plan, runs), 0);
    EXPECT_TRUE(runs[0].measurements.empty());
    // The grid of a context of 32 tokens has all measurable lags. The fake model states no sequences, so that the error
    // is binomial: √((0.5 · 0.5 + 0.125 · 0.875)/12).
    EXPECT_EQ(runs[2].measurements.size(), 2U * 18U);
    for (std::int64_t lag = 8; lag <= 25; ++lag) {
        EXPECT_EQ(runs[2].measurements.at(retrieval_gain(lag)), 0.375);
        EXPECT_NEAR(runs[2].measurements.at(retrieval_gain_error(lag)), 0.1730547, 1e-6);
    }
}

TEST(Measuring, MeasuresTheLagsOfTheGroupsProbes) {
    SheetPlan plan = plan_of({});
    plan.retrieval_windows = 2;
    RunSpec spec;
    spec.context = 128;
    spec.theta = 500;
    const std::vector<std::int64_t> grid = measured_lags(plan, spec);
    EXPECT_EQ(grid.size(), 34U);  // 32 evenly spaced lags from 16 to 113 and the powers of two 32 and 64
    EXPECT_FALSE(std::binary_search(grid.begin(), grid.end(), 105));
    Prediction& prediction = plan.predictions.emplace_back();
    prediction.high = {{{"theta", "500"}}};
    prediction.retrieval = RetrievalRule{16, 113};
    prediction.retrieval->probes = {{{{"theta", "500"}}, "θ = 500", 20, 7.9, 105, -0.9, 112, 1.9}};
    const std::vector<std::int64_t> lags = measured_lags(plan, spec);
    EXPECT_EQ(lags.size(), 37U);
    EXPECT_TRUE(std::binary_search(lags.begin(), lags.end(), 105));
    EXPECT_TRUE(std::binary_search(lags.begin(), lags.end(), 112));
    spec.theta = 10000;
    EXPECT_EQ(measured_lags(plan, spec), grid);
    spec.context = 6;
    EXPECT_TRUE(measured_lags(plan, spec).empty());
    // A run that lacks only a probe's lag is not measured yet.
    SheetRun run;
    run.state = RunState::finished;
    run.spec.context = 128;
    run.spec.theta = 500;
    run.measurements[retrieval_gain(113)] = 0.5;
    EXPECT_EQ(unmeasured_runs(plan, std::vector<SheetRun>{run}), 1);
    run.measurements[retrieval_gain(20)] = run.measurements[retrieval_gain(105)] = 0.5;
    EXPECT_EQ(unmeasured_runs(plan, std::vector<SheetRun>{run}), 1);  // the control lag
    run.measurements[retrieval_gain(112)] = 0.5;
    EXPECT_EQ(unmeasured_runs(plan, std::vector<SheetRun>{run}), 0);
}

// The model does not know the tokens of a data set that has changed.
TEST(Measuring, RefusesADataSetWithOtherTokens) {
    const ScratchFolder folder;
    SheetPlan plan = plan_of({});
    plan.experiment.set("data", {folder.write("text.txt", small_text(3000)).string()});
    plan.experiment.set("context", {"32"});
    plan.experiment.set("theta", {"500"});
    plan.predictions.emplace_back().high = {{{"theta", "500"}}};
    plan.predictions.front().retrieval = RetrievalRule{8, 25};
    const auto lab = LabFile::create(folder / "x.ropelab");
    const std::int64_t experiment = enter_sheet(*lab, plan);
    lab->checkpoint_folder();
    const RunRecord run = lab->runs().front();
    lab->record(std::vector<Event>{event::RunEnded{run.id, RunState::finished, "", RunSummary{}}});
    Checkpoint checkpoint;
    checkpoint.spec = run_spec_from_json(nlohmann::json::parse(run.settings));
    checkpoint.vocabulary = "characters:97,98";
    checkpoint.conditions = {"float32", "cpu", 1, ""};
    write_checkpoint(lab->checkpoint_path(run.id), checkpoint);

    RetrievingEngine engine;
    const auto measured = [&] {
        return measure_runs(
            *lab, experiment, plan, {}, [&]() -> Engine& { return engine; }, [] { return false; });
    };
    plan.extensions = {1, 2};
    EXPECT_MESSAGE(measured(), BadInput, "has changed since this run was trained");
    plan.extensions.clear();
    plan.retrieval_windows = 2;
    EXPECT_MESSAGE(measured(), BadInput, "has changed since this run was trained");
    EXPECT_TRUE(sheet_runs(*lab, experiment).front().measurements.empty());
}

}  // namespace
}  // namespace ropelab
