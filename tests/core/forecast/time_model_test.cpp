#include "core/forecast/time_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"
#include "core/plan/step_cost.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

constexpr std::size_t steps_part = static_cast<std::size_t>(TimedPart::steps);
const TimeKey synthetic_key = {"some processor", "cpu", "float32", 0, false};

// The true coefficients of the synthetic machine, far from the defaults.
PartWork steps_work(double steps, double runs, double operations) {
    return {steps, steps * runs, steps * runs * operations};
}
double true_seconds(const PartWork& work) {
    return 3e-3 * work.calls + 4e-4 * work.items + 2e-10 * work.operations;
}

std::vector<TimedCohort> synthetic_cohorts(int count, double noise) {
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<TimedCohort> cohorts;
    for (int i = 0; i < count; ++i) {
        TimedCohort& cohort = cohorts.emplace_back();
        cohort.key = synthetic_key;
        cohort.work[steps_part] =
            steps_work(20 * std::pow(100.0, uniform(generator)), 1 + i % 8, 1e6 * std::pow(1000.0, uniform(generator)));
        cohort.seconds[steps_part] =
            true_seconds(cohort.work[steps_part]) * std::exp(noise * (2 * uniform(generator) - 1));
    }
    return cohorts;
}

double relative_error(const TimeModel& model, const PartWork& work) {
    return std::abs(model.seconds(synthetic_key, TimedPart::steps, work) / true_seconds(work) - 1);
}

TEST(TimeModel, OfADeviceCountsOperationsAtItsSpeed) {
    const PartWork work = steps_work(1000, 2, 1e9);
    const auto seconds = [&](const std::string& device) {
        return TimeModel::of_device(device).seconds(synthetic_key, TimedPart::steps, work);
    };
    EXPECT_DOUBLE_EQ(seconds("2e14"), work.operations / 2e14);
    EXPECT_DOUBLE_EQ(seconds("A100"), work.operations / (0.4 * 312e12));
    EXPECT_EQ(TimeModel::of_device("A100").place(),
              "at 124.8 trillion operations per second, 40 % of the peak of A100");
    EXPECT_EQ(TimeModel().place(), "on this machine");
    EXPECT_EQ(TimeModel::of_device("2e14").duration(3600), "1 h 0 min");
    EXPECT_MESSAGE(TimeModel::of_device("A10"), BadInput, "did you mean A100?");
    EXPECT_MESSAGE(TimeModel::of_device("5"), BadInput, "must be between 1e6 and 1e21");
    for (const DevicePeak& device : device_peaks()) EXPECT_TRUE(device.source.starts_with("https://")) << device.name;
}

TEST(TimeModel, LearnsTheCoefficientsOfAMachine) {
    const TimeModel model(synthetic_cohorts(20, 0));
    EXPECT_TRUE(model.has_learned(synthetic_key));
    for (const PartWork& work : {steps_work(30, 1, 2e6), steps_work(2000, 6, 5e8), steps_work(100, 8, 1e7)}) {
        EXPECT_LT(relative_error(model, work), 0.03);
    }
}

TEST(TimeModel, ToleratesNoiseAndOutliers) {
    std::vector<TimedCohort> cohorts = synthetic_cohorts(30, 0.15);
    for (const std::size_t disturbed : {3, 11, 19, 27}) cohorts[disturbed].seconds[steps_part] *= 6;
    const TimeModel model(cohorts);
    for (const PartWork& work : {steps_work(30, 1, 2e6), steps_work(2000, 6, 5e8), steps_work(100, 8, 1e7)}) {
        EXPECT_LT(relative_error(model, work), 0.25);
    }
}

// One cohort cannot determine three coefficients, but a similar cohort is predicted well.
TEST(TimeModel, LearnsFromOneCohort) {
    const std::vector<TimedCohort> one = synthetic_cohorts(1, 0);
    EXPECT_LT(relative_error(TimeModel(one), one.front().work[steps_part]), 0.02);
    PartWork twice = one.front().work[steps_part];
    twice.calls *= 2;
    twice.items *= 2;
    twice.operations *= 2;
    EXPECT_LT(relative_error(TimeModel(one), twice), 0.02);
}

TEST(TimeModel, AMachineThatIsSlowerInLargeOperationsIsSlowerInAll) {
    const TimeModel defaults(std::vector<TimedCohort>{});
    TimedCohort slow;
    slow.key = synthetic_key;
    slow.work[steps_part] = steps_work(20, 1, 1e12);  // nearly all of its time is that of operations
    slow.seconds[steps_part] = 3 * defaults.seconds(synthetic_key, TimedPart::steps, slow.work[steps_part]);
    const PartWork light = steps_work(20, 1, 1e3);
    EXPECT_NEAR(TimeModel(std::vector{slow}).seconds(synthetic_key, TimedPart::steps, light) /
                    defaults.seconds(synthetic_key, TimedPart::steps, light),
                3, 0.1);
}

TEST(TimeModel, NeverPredictsNegativeTimes) {
    std::vector<TimedCohort> cohorts = synthetic_cohorts(6, 0);
    for (TimedCohort& cohort : cohorts) cohort.seconds[steps_part] = 1;  // does not depend on the work
    const TimeModel model(cohorts);
    EXPECT_GE(model.seconds(synthetic_key, TimedPart::steps, steps_work(1, 1, 1)), 0);
    EXPECT_GE(model.seconds(synthetic_key, TimedPart::steps, {0, 0, 1e9}), 0);
}

TEST(TimeModel, FallsBackToTheDefaultsForOtherConditions) {
    const TimeModel model(synthetic_cohorts(10, 0));
    TimeKey other = synthetic_key;
    other.precision = "bfloat16";
    EXPECT_FALSE(model.has_learned(other));
    const PartWork work = steps_work(100, 2, 1e8);
    EXPECT_EQ(model.seconds(other, TimedPart::steps, work), TimeModel().seconds(other, TimedPart::steps, work));
    EXPECT_GT(model.seconds(other, TimedPart::steps, work), 0);
    EXPECT_EQ(TimeModel::at_speed(1e9).seconds(other, TimedPart::steps, work), work.operations / 1e9);
    EXPECT_EQ(TimeModel::at_speed(1e9).seconds(other, TimedPart::samples, work), 0);
}

TEST(TimeModel, ByDefaultEveryPartTakesTimePerCallItemAndOperation) {
    CohortWork all;
    double sum = 0;
    for (std::size_t part = 0; part < timed_part_count; ++part) {
        const auto seconds = [&](const PartWork& work) {
            return TimeModel().seconds(synthetic_key, static_cast<TimedPart>(part), work);
        };
        EXPECT_GT(seconds({1, 0, 0}), 1e-5) << part;
        EXPECT_LT(seconds({1, 0, 0}), 0.1) << part;
        EXPECT_GT(seconds({0, 1, 0}), 1e-6) << part;
        EXPECT_LE(seconds({0, 1, 0}), 1) << part;
        EXPECT_GT(seconds({0, 0, 1e9}), 1e-3) << part;  // on 16 cores
        EXPECT_LE(seconds({0, 0, 1e9}), 1) << part;     // bytes of checkpoints
        all[part] = {1, 2, 3e8};
        sum += seconds(all[part]);
    }
    EXPECT_DOUBLE_EQ(TimeModel().seconds(synthetic_key, all), sum);
    TimeKey device = synthetic_key;
    device.device = "cuda";
    EXPECT_DOUBLE_EQ(TimeModel().seconds(device, TimedPart::steps, {0, 0, 1e14}), 1);
}

TEST(TimeModel, OnlyRunsThatChoseTheirPrecisionSayWhichOneIsChosen) {
    RunSpec spec;
    std::vector<TimedCohort> cohorts = synthetic_cohorts(2, 0);
    for (TimedCohort& cohort : cohorts)
        cohort.work[steps_part] = {1, 1, training_operations(spec, likely_vocabulary(spec))};
    cohorts[0].key.precision = "bfloat16";
    cohorts[0].chose_precision = true;
    EXPECT_EQ(TimeModel(cohorts).key_of(spec).precision, "bfloat16");
    cohorts[1].chose_precision = true;  // the later one decides
    EXPECT_EQ(TimeModel(cohorts).key_of(spec).precision, "float32");
    cohorts[1].work[steps_part] = {};  // it was stopped before its first step
    EXPECT_EQ(TimeModel(cohorts).key_of(spec).precision, "bfloat16");

    EXPECT_EQ(TimeModel(cohorts).key_of(spec).device, "cpu");
    cohorts[1].key.device = "cuda";
    EXPECT_EQ(TimeModel(cohorts).key_of(spec).device, "cuda") << "as the last cohort";
    spec.device = Device::cpu;
    EXPECT_EQ(TimeModel(cohorts).key_of(spec).device, "cpu");
    spec.device = Device::cuda;
    EXPECT_EQ(TimeModel().key_of(spec).device, "cuda");
}

TEST(TimeModel, PredictsAutoAsRunsOfSimilarSizeTrained) {
    RunSpec small;
    small.width = 32;
    RunSpec large;
    large.width = 256;
    std::vector<TimedCohort> cohorts = synthetic_cohorts(2, 0);
    for (const auto& [spec, index] : {std::pair(small, 0), std::pair(large, 1)}) {
        cohorts[index].chose_precision = true;
        cohorts[index].work[steps_part] = cohort_work(spec, 2, 0, 1000, false)[steps_part];
    }
    cohorts[1].key.precision = "bfloat16";
    const TimeModel model(cohorts);
    EXPECT_EQ(model.key_of(small).precision, "float32");
    EXPECT_EQ(model.key_of(large).precision, "bfloat16");
    RunSpec other = small;
    other.width = 48;
    EXPECT_EQ(model.key_of(other).precision, "float32");
    other.width = 192;
    EXPECT_EQ(model.key_of(other).precision, "bfloat16");
    other.width = 512;
    EXPECT_EQ(model.key_of(other).precision, "bfloat16");
    other.precision = Precision::float32;
    EXPECT_EQ(model.key_of(other).precision, "float32");
    EXPECT_EQ(model.key_of(other).device, "cpu");
}

// Similar means a similar ratio: 1 is nearer to 3 than to 0.1, although the differences are the other way round.
TEST(TimeModel, TheMoreSimilarSizeIsThatOfTheSmallerRatio) {
    const RunSpec spec;
    const double operations = training_operations(spec, likely_vocabulary(spec));
    for (const auto& [low, high, expected] :
         {std::tuple(0.1, 3.0, "bfloat16"), std::tuple(0.5, 3.0, "float32"), std::tuple(0.9, 1.05, "bfloat16")}) {
        std::vector<TimedCohort> cohorts = synthetic_cohorts(2, 0);
        for (std::size_t i = 0; i < 2; ++i) {
            cohorts[i].chose_precision = true;
            cohorts[i].work[steps_part] = {1, 1, (i == 0 ? low : high) * operations};
        }
        cohorts[1].key.precision = "bfloat16";
        EXPECT_EQ(TimeModel(cohorts).key_of(spec).precision, expected) << low << " and " << high;
    }
}

TEST(TimeModel, LearnsEagerOperationsSeparately) {
    const TimeModel model(synthetic_cohorts(10, 0));
    RunSpec spec;
    EXPECT_FALSE(model.key_of(spec).eager);
    spec.operations = Operations::eager;
    EXPECT_TRUE(model.key_of(spec).eager);
    TimeKey eager = synthetic_key;
    eager.eager = true;
    EXPECT_FALSE(model.has_learned(eager));
}

// Uses a file of measured times while it exists.
class TimesFile : public ::testing::Test {
 protected:
    TimesFile() { use_times_file(file_); }
    ~TimesFile() override { use_times_file({}); }
    ScratchFolder folder_;
    std::filesystem::path file_ = folder_.path() / "data" / "times.jsonl";
};

TEST_F(TimesFile, StoresAndReadsRecords) {
    std::vector<TimedCohort> cohorts = synthetic_cohorts(3, 0);
    cohorts[1].chose_precision = true;
    EXPECT_TRUE(read_times(file_).cohorts.empty());
    for (const TimedCohort& cohort : cohorts) store_time(cohort);
    store_time(Forecast{12, 10});
    std::ofstream(file_, std::ios::app) << "{\"cut\": of\n";
    const TimeRecords records = read_times(file_);
    ASSERT_EQ(records.cohorts.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(records.cohorts[i].chose_precision, cohorts[i].chose_precision) << i;
    EXPECT_EQ(records.cohorts[2].key, cohorts[2].key);
    EXPECT_EQ(records.cohorts[2].seconds, cohorts[2].seconds);
    EXPECT_EQ(records.cohorts[2].work[steps_part].operations, cohorts[2].work[steps_part].operations);
    ASSERT_EQ(records.sweeps.size(), 1U);
    EXPECT_EQ(records.sweeps[0].predicted, 12);
    EXPECT_TRUE(machine_time_model()->has_learned(synthetic_key));
    use_times_file({});
    EXPECT_FALSE(machine_time_model()->has_learned(synthetic_key));
}

TEST_F(TimesFile, DropsOldRecords) {
    for (int i = 0; i < 900; ++i) store_time(Forecast{1.0 + i, 1});
    const std::vector<Forecast> sweeps = read_times(file_).sweeps;
    EXPECT_LT(sweeps.size(), 800U);
    EXPECT_GE(sweeps.size(), 400U);
    EXPECT_EQ(sweeps.back().predicted, 900);
}

TEST(Forecasts, StateTheirErrors) {
    EXPECT_EQ(forecast_words({}), "");
    EXPECT_EQ(forecast_words({{8, 10}}),
              "Estimated training times of the last sweep: median error 20 %, largest 20 %.");
    EXPECT_EQ(forecast_words({{8, 10}, {10, 10}, {13, 10}}),
              "Estimated training times of the last 3 sweeps: median error 20 %, largest 30 %.");
    EXPECT_EQ(forecast_words({{11, 10}, {12, 10}, {15, 10}, {18, 10}, {19, 10}}),
              "Estimated training times of the last 5 sweeps: median error 50 %, largest 90 %.");
    EXPECT_EQ(forecast_words({{15, 10}, {12, 10}, {9, 10}, {13, 10}}),
              "Estimated training times of the last 4 sweeps: median error 25 %, largest 50 %.");
    std::vector<Forecast> many(20, Forecast{11, 10});
    many.front() = {100, 10};
    EXPECT_EQ(forecast_words(many), "Estimated training times of the last 12 sweeps: median error 10 %, largest 10 %.");
}

TEST_F(TimesFile, TimesArePromisedAsARange) {
    using Range = std::array<double, 2>;
    EXPECT_EQ(time_range(100, {{10, 90}, {10, 10}}), (Range{50, 200})) << "too few to know";
    EXPECT_EQ(time_range(100, {{10, 12}, {10, 9}, {10, 20}}), (Range{90, 200}));
    EXPECT_EQ(time_range(100, {{10, 12}, {10, 13}, {10, 15}}), (Range{100, 150})) << "the prediction is in the range";
    std::vector<Forecast> many(13, Forecast{10, 10});
    many.front() = {10, 1000};
    EXPECT_EQ(time_range(100, many), (Range{100, 100})) << "only the last twelve sweeps count";

    std::vector<Forecast> loaded(6, Forecast{10, 12});
    loaded[2] = {10, 1000};
    loaded[4] = {10, 1};
    EXPECT_EQ(time_range(100, loaded), (Range{100, 120})) << "one slow and one fast sweep of six do not count";
    EXPECT_EQ(time_range(100, {{10, 5}, {10, 14}, {10, 8}, {10, 13}, {10, 11}, {10, 12}}), (Range{80, 130}));

    EXPECT_EQ(expected_duration(3600), "30 min to 2 h 0 min");
    for (const double measured : {11.0, 10.0, 20.0}) store_time(Forecast{10, measured});
    EXPECT_EQ(expected_duration(60), "1 min 0 s to 2 min 0 s");
    EXPECT_EQ(expected_duration(0), "0.0 s");
}

}  // namespace
}  // namespace ropelab
