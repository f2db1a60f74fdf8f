#include "core/forecast/cohort_width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "core/forecast/device_need.h"
#include "tests/support/expect_message.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(CohortWidth, EqualConditionsIgnoreTheReason) {
    const RunConditions one{"bfloat16", "cuda", 2, "as asked.", "all"};
    RunConditions other = one;
    other.reason = "measured";
    EXPECT_TRUE(equal_conditions(one, other));
    other.graphs = "all but graphs";
    EXPECT_FALSE(equal_conditions(one, other));
    other.graphs = one.graphs;
    other.device = "cpu";
    EXPECT_FALSE(equal_conditions(one, other));
}

TEST(CohortWidth, ChoosesTheFastestWidth) {
    EXPECT_EQ(best_width({{1, 1.0}, {2, 2.2}, {4, 5.0}}, 4), 1U);
    EXPECT_EQ(best_width({{1, 1.0}, {2, 1.1}, {4, 4.0}}, 4), 2U);
    EXPECT_EQ(best_width({{1, 1.0}, {2, 1.1}, {4, 1.2}, {6, 1.3}}, 6), 6U);
    EXPECT_EQ(best_width({}, 6), 6U);
}

TEST(CohortWidth, PrefersAWiderCohortThatIsSlightlySlower) {
    EXPECT_EQ(best_width({{1, 1.0}, {2, 2.05}, {4, 4.1}}, 4), 4U);
    EXPECT_EQ(best_width({{1, 1.0}, {2, 2.05}, {4, 4.2}}, 4), 2U);
}

TEST(CohortWidth, ChoosesAllRunsIfTheWidestMeasuredIsBest) {
    EXPECT_EQ(best_width({{1, 1.0}, {2, 1.1}}, 54), 54U);
    EXPECT_EQ(best_width({{1, 1.0}, {2, 1.1}, {4, 4.0}}, 54), 2U);
    EXPECT_EQ(best_width({{1, 1.0}, {2, 1.1}, {4, 1.2}, {8, 9.0}}, 3), 3U);
}

TEST(CohortWidth, MeasuresOnlyLongSweeps) {
    EXPECT_FALSE(pays_to_measure(1, 1'000'000, false));
    // Widths 1 and 2 with four steps each are 12 steps of a run, 1 % of 2 · 600.
    EXPECT_FALSE(pays_to_measure(2, 599, false));
    EXPECT_TRUE(pays_to_measure(2, 600, false));
    EXPECT_FALSE(pays_to_measure(6, 600, false));
    EXPECT_TRUE(pays_to_measure(6, 1000, false));
    EXPECT_FALSE(pays_to_measure(54, 1000, true));
    EXPECT_TRUE(pays_to_measure(54, 5000, true));
}

class MeasureWidthsTest : public testing::Test {
 protected:
    // Simulates a cohort of `width` runs: its creation takes one second, and each of its four timed steps `step`
    // seconds.
    TimeSteps timing(double step_of_one, double step_of_another) {
        return [=, this](std::size_t width) -> std::optional<double> {
            timed_.push_back(width);
            const double step = step_of_one + step_of_another * static_cast<double>(width - 1);
            now_ += 1.0 + 4 * step;
            return step;
        };
    }
    void measure(std::size_t runs, std::int64_t iterations, const TimeSteps& steps) {
        measure_widths(times_, runs, iterations, steps, [this] { return now_; });
    }

    double now_ = 100;
    std::vector<std::size_t> timed_;
    StepTimes times_;
};

TEST_F(MeasureWidthsTest, MeasuresPowersOfTwoAndAllRuns) {
    measure(6, 10000, timing(0.1, 0.05));
    EXPECT_THAT(timed_, ElementsAre(1, 2, 4, 6));
    EXPECT_DOUBLE_EQ(times_.at(4), 0.25);
    EXPECT_EQ(best_width(times_, 6), 6U);
}

TEST_F(MeasureWidthsTest, StopsBeforeTwoPercentOfTheSweep) {
    // 2 % are 25.6 seconds: widths 2 to 16 take 16 seconds, and 32 would take another 14.8.
    measure(64, 200, timing(0.1, 0.1));
    EXPECT_THAT(timed_, ElementsAre(1, 2, 4, 8, 16));
    timed_.clear();
    times_.clear();
    measure(8, 30, timing(0.1, 0.1));  // 2 % are half a second
    EXPECT_THAT(timed_, ElementsAre(1, 2));
    EXPECT_EQ(best_width(times_, 8), 8U);
}

TEST_F(MeasureWidthsTest, ShortSweepMeasuresOnlyOneRun) {
    measure(8, 1000, timing(0.001, 0.01));  // the sweep takes eight seconds
    EXPECT_THAT(timed_, ElementsAre(1));
    EXPECT_EQ(best_width(times_, 8), 8U);
}

TEST_F(MeasureWidthsTest, ReusesKnownTimes) {
    times_ = {{1, 0.1}, {2, 0.15}, {4, 0.2}};
    measure(9, 10000, timing(0.1, 0.01));
    EXPECT_THAT(timed_, ElementsAre(8, 9));
}

TEST_F(MeasureWidthsTest, StopsAtAWidthThatDoesNotFit) {
    const auto cramped = [&](std::size_t width) -> std::optional<double> {
        timed_.push_back(width);
        if (width > 2) throw BadInput("The device has not enough memory.");
        return 0.1;
    };
    measure(8, 10000, cramped);
    EXPECT_THAT(timed_, ElementsAre(1, 2, 4));
    EXPECT_EQ(best_width(times_, 8), 2U);
    EXPECT_EQ(width_message(times_, 2, 8), "At most 2 runs train at a time, which is 2 × as fast as sequentially.");
    measure(8, 10000, cramped);
    EXPECT_EQ(timed_.size(), 3U);
    times_.clear();
    const auto nothing_fits = [](std::size_t) -> std::optional<double> { throw BadInput("No memory."); };
    EXPECT_MESSAGE(measure(8, 10000, nothing_fits), BadInput, "No memory");
}

TEST_F(MeasureWidthsTest, StopsIfCancelled) {
    measure(8, 10000, [](std::size_t) { return std::nullopt; });
    EXPECT_TRUE(times_.empty());
}

TEST(CohortWidth, ExplainsTheChosenWidth) {
    const StepTimes times = {{1, 1.0}, {2, 1.6}, {4, 4.0}, {6, 6.6}};
    EXPECT_EQ(width_message(times, 2, 6), "At most 2 runs train at a time, which is 1.25 × as fast as sequentially.");
    EXPECT_EQ(width_message(times, 1, 6), "One run trains at a time, which is 1.1 × as fast as 6 together.");
    EXPECT_EQ(width_message({{1, 1.0}, {2, 1.5}, {6, 3.0}}, 6, 6),
              "All 6 runs train at a time, which is 2 × as fast as sequentially.");
    EXPECT_EQ(width_message({{1, 1.0}}, 6, 6), "");
}

TEST(CohortWidth, SplitsIntoEqualParts) {
    EXPECT_THAT(equal_parts(54, 16), ElementsAre(14, 14, 13, 13));
    EXPECT_THAT(equal_parts(6, 6), ElementsAre(6));
    EXPECT_THAT(equal_parts(6, 4), ElementsAre(3, 3));
    EXPECT_THAT(equal_parts(3, 1), ElementsAre(1, 1, 1));
}

// An engine whose cohorts take 2 ms per step for the first run, plus `more` for each further run.
class TimedEngine : public Engine {
 public:
    explicit TimedEngine(std::chrono::microseconds more) : more_(more) {}
    EngineInfo info() override {
        EngineInfo result;
        result.cuda = cuda_memory > 0;
        result.cuda_memory = cuda_memory;
        return result;
    }
    std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData&) override {
        made.push_back(start.runs.size());
        starts.push_back(start);
        if (start.conditions) given.push_back(start.conditions->reason);
        const auto step = std::chrono::microseconds(2000) + more_ * (static_cast<int>(start.runs.size()) - 1);
        return std::make_unique<TimedCohort>(
            step, start.conditions.value_or(RunConditions{"float32", "cpu", 1, "float32: as asked."}));
    }
    std::unique_ptr<Model> create_model(const ModelPlan&, std::span<const NamedTensor>, const Computing&) override {
        return nullptr;
    }

    std::vector<std::size_t> made;
    std::vector<CohortStart> starts;
    std::vector<std::string> given;
    std::int64_t cuda_memory = 0;

 private:
    class TimedCohort : public Cohort {
     public:
        TimedCohort(std::chrono::microseconds step, RunConditions conditions)
            : step_(step), conditions_(std::move(conditions)) {}
        std::int64_t runs() const override { return 1; }
        std::int64_t iteration() const override { return 0; }
        RunConditions conditions() const override { return conditions_; }
        std::vector<StepResult> step() override {
            std::this_thread::sleep_for(step_);
            return {};
        }
        std::vector<EvaluationResult> evaluate_runs(std::int64_t, std::int64_t, const std::function<bool()>&) override {
            return {};
        }
        void remove(std::int64_t) override {}
        std::vector<NamedTensor> state(std::int64_t) const override { return {}; }
        std::unique_ptr<Model> model(std::int64_t) const override { return nullptr; }
        ProbeResult probe(std::int64_t, const ProbeRequest&) const override { return {}; }

     private:
        std::chrono::microseconds step_;
        RunConditions conditions_;
    };
    std::chrono::microseconds more_;
};

CohortStart four_runs(std::int64_t width) {
    CohortStart start;
    start.runs.assign(4, tiny_spec());
    for (RunSpec& run : start.runs) {
        run.width = width;
        run.heads = 1;  // so that every width is a model
        run.iterations = 10000;
        run.device = Device::cpu;
    }
    return start;
}

class ChooseWidth : public testing::Test {
 protected:
    void SetUp() override { clear_step_times(); }
    void TearDown() override { clear_step_times(); }
};

TEST_F(ChooseWidth, ChoosesTheFastestAndMeasuresOnce) {
    TimedEngine engine(std::chrono::milliseconds(20));
    const CohortStart start = four_runs(18);
    EXPECT_EQ(width_plan(start.runs),
              "A few training steps are timed first to choose how many runs train as one batch.");
    const CohortWidth chosen = choose_width(engine, start, {}, {});
    EXPECT_EQ(chosen.runs, 1U);
    EXPECT_THAT(chosen.message, StartsWith("One run trains at a time, "));
    ASSERT_TRUE(chosen.conditions);
    EXPECT_EQ(chosen.conditions->reason, "float32: as asked.");
    EXPECT_THAT(engine.made, ElementsAre(1, 2, 4));
    EXPECT_EQ(engine.given.size(), 2U);  // the wider cohorts train under the conditions of the first
    EXPECT_EQ(width_plan(start.runs), chosen.message);

    const CohortWidth again = choose_width(engine, start, {}, {});
    EXPECT_EQ(again.runs, 1U);
    EXPECT_EQ(again.message, chosen.message);
    EXPECT_EQ(engine.made.size(), 3U);
    EXPECT_EQ(choose_width(engine, four_runs(20), {}, {}).runs, 1U);  // a different shape
    EXPECT_EQ(engine.made.size(), 6U);
}

TEST_F(ChooseWidth, ChoosesAllRunsIfFastest) {
    TimedEngine engine(std::chrono::microseconds(0));
    const CohortWidth chosen = choose_width(engine, four_runs(22), {}, {});
    EXPECT_EQ(chosen.runs, 4U);
    EXPECT_THAT(chosen.message, StartsWith("All 4 runs train at a time, "));
}

TEST_F(ChooseWidth, MeasuresNothingForAShortSweep) {
    TimedEngine engine(std::chrono::milliseconds(20));
    CohortStart start = four_runs(26);
    for (RunSpec& run : start.runs) run.iterations = 500;
    const CohortWidth chosen = choose_width(engine, start, {}, {});
    EXPECT_EQ(chosen.runs, 4U);
    EXPECT_EQ(chosen.message, "");
    EXPECT_FALSE(chosen.conditions);
    EXPECT_TRUE(engine.made.empty());
    EXPECT_EQ(width_plan(start.runs), "");
}

TEST_F(ChooseWidth, LimitsTheWidthToTheDeviceMemory) {
    TimedEngine engine(std::chrono::microseconds(0));
    CohortStart start = four_runs(28);
    for (RunSpec& run : start.runs) run.device = Device::cuda, run.iterations = 100;
    const auto two = device_need(start.runs.front(), 2, 0);
    engine.cuda_memory = static_cast<std::int64_t>(two.total() / 0.9) + 1000;
    const CohortWidth chosen = choose_width(engine, start, {}, {});
    EXPECT_EQ(chosen.runs, 2U);
    EXPECT_EQ(chosen.message, "At most 2 of 4 runs fit into the device's memory together.");
    // The sweep is too short to measure; one cohort is created to choose the conditions of both parts.
    EXPECT_THAT(engine.made, ElementsAre(1));
    ASSERT_TRUE(chosen.conditions);
    EXPECT_EQ(chosen.conditions->precision, "float32");
    for (RunSpec& run : start.runs) run.device = Device::cpu;
    EXPECT_EQ(choose_width(engine, start, {}, {}).runs, 4U);
}

TEST_F(ChooseWidth, RunsThatMayTakeADeviceAreLimitedByTheMachinesMemoryWithoutOne) {
    TimedEngine engine(std::chrono::microseconds(0));
    CohortStart start = four_runs(1 << 15);
    for (RunSpec& run : start.runs) run.device = Device::automatic, run.iterations = 100;
    const CohortWidth chosen = choose_width(engine, start, {}, {});
    EXPECT_EQ(chosen.message, "At most 1 of 4 runs fit into half of this machine's memory together.");
}

TEST_F(ChooseWidth, NewRunsDoNotInheritConditionsOfResumedRuns) {
    TimedEngine engine(std::chrono::milliseconds(20));
    CohortStart resumed = four_runs(30);
    resumed.conditions = RunConditions{"bfloat16", "cpu", 7, "at its first start"};
    EXPECT_EQ(choose_width(engine, resumed, {}, {}).conditions->threads, 7);
    EXPECT_EQ(engine.made.size(), 3U);
    EXPECT_EQ(width_plan(resumed.runs),
              "A few training steps are timed first to choose how many runs train as one batch.");

    const CohortWidth fresh = choose_width(engine, four_runs(30), {}, {});
    EXPECT_EQ(engine.made.size(), 6U);
    EXPECT_EQ(fresh.conditions->precision, "float32");
    EXPECT_EQ(fresh.conditions->threads, 1);
    EXPECT_EQ(width_plan(resumed.runs), fresh.message);

    EXPECT_EQ(choose_width(engine, resumed, {}, {}).conditions->threads, 7);  // the times of both are known now
    EXPECT_EQ(choose_width(engine, four_runs(30), {}, {}).conditions->threads, 1);
    EXPECT_EQ(engine.made.size(), 6U);
}

// Steps of resumed runs are timed as those of new ones, without their states.
TEST_F(ChooseWidth, TimesTheFirstRunsFromStepZero) {
    TimedEngine engine(std::chrono::milliseconds(20));
    CohortStart start = four_runs(34);
    for (std::size_t i = 0; i < 4; ++i) start.runs[i].seed = static_cast<std::int64_t>(i) + 1;
    start.plans = plans_of(start.runs, 7);
    start.plans[1].embedding.factor = 5;
    start.precision_reason = "settled by the first task.";
    start.iteration = 500;
    start.states.resize(4);
    choose_width(engine, start, {}, {});
    ASSERT_FALSE(engine.starts.empty());
    for (const CohortStart& timed : engine.starts) {
        EXPECT_EQ(timed.iteration, 0);
        EXPECT_TRUE(timed.states.empty());
        EXPECT_EQ(timed.precision_reason, start.precision_reason);
        EXPECT_EQ(timed.plans.size(), timed.runs.size());
        for (std::size_t i = 0; i < timed.runs.size(); ++i) {
            EXPECT_EQ(timed.runs[i], start.runs[i]);
            EXPECT_EQ(timed.plans[i].embedding.factor, start.plans[i].embedding.factor);
        }
    }
}

// A device computes no run whose theta varies, unless the user asks for that.
TEST_F(ChooseWidth, OnlyRunsThatMayTakeADeviceAreLimitedByItsMemory) {
    TimedEngine engine(std::chrono::microseconds(0));
    CohortStart start = four_runs(36);
    engine.cuda_memory = static_cast<std::int64_t>(device_need(start.runs.front(), 2, 0).total() / 0.9) + 1000;
    const auto runs_on = [&](Device device, ThetaTraining training) {
        for (RunSpec& run : start.runs) run.device = device, run.theta_training = training, run.iterations = 100;
        return choose_width(engine, start, {}, {}).runs;
    };
    EXPECT_EQ(runs_on(Device::automatic, ThetaTraining::fixed), 2U);
    EXPECT_EQ(runs_on(Device::cpu, ThetaTraining::fixed), 4U);
    EXPECT_EQ(runs_on(Device::automatic, ThetaTraining::one), 4U);
    EXPECT_LT(runs_on(Device::cuda, ThetaTraining::one), 4U);
}

TEST_F(ChooseWidth, UsesKnownTimesIfCancelled) {
    TimedEngine engine(std::chrono::milliseconds(20));
    EXPECT_EQ(choose_width(engine, four_runs(32), {}, [] { return true; }).runs, 4U);
    EXPECT_TRUE(engine.made.empty());
    EXPECT_EQ(choose_width(engine, four_runs(32), {}, [&] { return engine.made.size() == 3; }).runs, 1U);
}

}  // namespace
}  // namespace ropelab
