#include "core/reproduce/report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/forecast/device_need.h"
#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "core/reproduce/rules/measuring.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

double seconds_of(const SheetPlan& plan, const RunSpec& spec) {
    return sheet_cost(plan, {spec}, TimeModel()).seconds;
}

TEST(SheetCost, IsThatOfTheTrainingWithoutMeasurements) {
    RunSpec spec = tiny_spec();
    std::vector<RunSpec> specs = {spec};
    for (int run = 1; run < 4; ++run) specs.push_back(spec), specs.back().seed = run;
    const TimeModel model;
    EXPECT_NEAR(sheet_cost({}, specs, model).seconds, estimate(specs, model).seconds, 1e-9);
    EXPECT_EQ(sheet_cost({}, {}, model).seconds, 0) << "no run";
    EXPECT_EQ(sheet_cost({}, specs, model).cohorts, 1);
    EXPECT_EQ(sheet_cost({}, specs, model).runs, 4);
}

TEST(SheetCost, AddsTheMeasurementsOfEachRun) {
    SheetPlan plan;
    plan.extensions = {1, 4};
    plan.writing.samples = 3;
    const TimeModel model;
    const RunSpec spec = tiny_spec();
    RunSpec other = spec;
    other.seed = 2;
    const double added = sheet_cost(plan, {spec, other}, model).seconds - sheet_cost({}, {spec, other}, model).seconds;
    const double measuring = model.seconds(model.key_of(spec), TimedPart::measuring, measuring_work(plan, spec));
    EXPECT_GT(measuring, 0);
    EXPECT_NEAR(added, 2 * measuring, 1e-9);
}

// Runs that train sequentially need the memory of the largest run, not of the cohort.
TEST(SheetCost, SequentialRunsAreCohortsOfOne) {
    SheetPlan plan;
    RunSpec wide = tiny_spec();
    wide.width = 256;
    std::vector<RunSpec> specs = {wide, tiny_spec(), tiny_spec()};
    specs.back().seed = 2;
    const TimeModel model;
    EXPECT_EQ(sheet_cost(plan, specs, model).cohorts, 2);
    plan.sequential = true;
    const Estimate cost = sheet_cost(plan, specs, model);
    EXPECT_EQ(cost.cohorts, 3);
    EXPECT_EQ(cost.bytes, static_cast<std::int64_t>(likely_bytes(wide, 1)));
    plan.sequential = false;
    const std::vector<RunSpec> seeds(8, wide);
    const Estimate together = sheet_cost(plan, seeds, model);
    plan.sequential = true;
    const Estimate sequential = sheet_cost(plan, seeds, model);
    EXPECT_LT(sequential.bytes, together.bytes);
    EXPECT_GT(sequential.seconds, together.seconds) << "each run has steps of its own";
}

// Each extension evaluates up to 32,768 tokens at a multiple of the context.
TEST(MeasuringWork, CountsTheExtensions) {
    const RunSpec spec = tiny_spec();
    SheetPlan plan;
    EXPECT_EQ(measuring_work(plan, spec).calls, 0);
    plan.extensions = {1, 4};
    RunSpec longer = spec;
    longer.context = 4 * spec.context;
    const PartWork work = measuring_work(plan, spec);
    EXPECT_EQ(work.calls, 1);
    EXPECT_EQ(work.items, 0);
    const double expected = evaluation_operations(spec, 32768) + evaluation_operations(longer, 32768);
    EXPECT_NEAR(work.operations / expected, 1, 1e-12);
    RunSpec learned = spec;
    learned.position = Position::learned;
    EXPECT_EQ(measuring_work(plan, learned).calls, 0) << "learned positions end with the context";
}

// One more sample is generated to warm up. With a context of 16 tokens, the first 16 of 40 tokens process one token
// each with a KV cache and 16·16/2 tokens without; each later token processes the whole context.
TEST(MeasuringWork, CountsTheGeneratedTokens) {
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        RunSpec spec = tiny_spec();
        ASSERT_EQ(spec.context, 16);
        spec.operations = operations;
        const bool is_fused = operations == Operations::fused;
        const double forward = forward_operations(spec, likely_vocabulary(spec));
        SheetPlan plan;
        plan.writing = {.samples = 2, .length = 40};
        const PartWork work = measuring_work(plan, spec);
        EXPECT_EQ(work.items, 3 * 40);
        const double processed = (is_fused ? 16 : 16 * 16 / 2) + 24 * 16;
        EXPECT_NEAR(work.operations / (3 * processed * forward), 1, 1e-12);
        plan.writing.length = 10;  // shorter than the context
        EXPECT_NEAR(measuring_work(plan, spec).operations / (3 * (is_fused ? 10 : 50) * forward), 1, 1e-12);
    }
}

// Two sequences are processed for each of the 18 lags that a context of 32 tokens has.
TEST(MeasuringWork, CountsTheRetrievalOfPredictedRuns) {
    RunSpec spec = tiny_spec();
    spec.context = 32;
    SheetPlan plan;
    plan.retrieval_windows = 2;
    const double without = seconds_of(plan, spec);
    plan.predictions.emplace_back().high = {{{"theta", "10000"}}};
    plan.predictions.front().retrieval = RetrievalRule{8, 25};
    ASSERT_EQ(measured_lags(plan, spec).size(), 18U);
    EXPECT_NEAR(measuring_work(plan, spec).operations / evaluation_operations(spec, 2 * 18 * 32), 1, 1e-12);
    EXPECT_GT(seconds_of(plan, spec), without);
    spec.theta = 500;
    EXPECT_EQ(measuring_work(plan, spec).operations, 0) << "no prediction concerns this base";
}

TEST(SheetCells, SamplesHaveFourDecimalsBelowAHundred) {
    EXPECT_EQ(sample_text({3, 1.47284, 0.0016}), "1.4728 ± 0.0016");
    EXPECT_EQ(sample_text({3, 99.98765, 0.5}), "99.9877 ± 0.5000");
    EXPECT_EQ(sample_text({3, 100, 0.25}), "100.0 ± 0.2");
    EXPECT_EQ(sample_text({3, -441.23, 2.55}), "-441.2 ± 2.5");
    EXPECT_EQ(sample_text({1, 2.5, std::nan("")}), "2.5000");
    EXPECT_EQ(sample_text({}), "–");
}

// The order after few steps and after many, best first.
TEST(SheetCells, RankingsFollowTheLengthOfTraining) {
    SheetPlan plan;
    std::vector<SheetRow> rows;
    const auto add = [&](const char* position, int steps, double loss) {
        SheetRow& row = rows.emplace_back();
        row.plan.measure = "best_validation_loss";
        row.plan.keys = {{"position", position}, {"iterations", steps}};
        row.plan.group = {{"position", position}, {"iterations", std::to_string(steps)}};
        row.ours = {2, loss, 0.1};
    };
    add("sinusoidal", 400, 1.825);
    add("none", 400, 1.728);
    EXPECT_TRUE(rankings_of(rows).empty());
    add("sinusoidal", 2400, 0.864);
    add("none", 2400, 1.339);
    EXPECT_EQ(rankings_of(rows),
              (std::vector<std::string>{
                  "best_validation_loss after 400 steps: position = none 1.7280, position = sinusoidal 1.8250.",
                  "best_validation_loss after 2,400 steps: position = sinusoidal 0.8640, position = none 1.3390."}));
}

TEST(SheetCells, SettingsCountTheirSeeds) {
    std::vector<RunSpec> specs(5, tiny_spec());
    specs[1].theta = 500;
    for (std::size_t i = 0; i < specs.size(); ++i) specs[i].seed = static_cast<std::int64_t>(i);
    const auto settings = settings_of(specs);
    ASSERT_EQ(settings.size(), 2U);
    EXPECT_EQ(settings[0].second, 4);
    EXPECT_EQ(settings[1].second, 1);
    EXPECT_NE(settings[1].first.find("500"), std::string::npos) << settings[1].first;
}

}  // namespace
}  // namespace ropelab
