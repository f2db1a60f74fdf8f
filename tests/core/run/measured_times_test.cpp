#include <gtest/gtest.h>

#include "core/data/corpus.h"
#include "core/engine/torch_engine.h"
#include "core/forecast/time_model.h"
#include "core/run/runner.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class MeasuredTimes : public ::testing::Test {
 protected:
    MeasuredTimes() { use_times_file(file_); }
    ~MeasuredTimes() override { use_times_file({}); }
    ScratchFolder folder_;
    std::filesystem::path file_ = folder_.path() / "data" / "times.jsonl";
};

// What a cohort stores is what a forecast of the same settings asks for.
TEST_F(MeasuredTimes, StoredKeyAndWorkAreThoseOfTheForecast) {
    TorchEngine engine;
    const std::string text = folder_.write("text.txt", small_text(4000)).string();
    for (const Operations operations : {Operations::fused, Operations::eager}) {
        for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
            for (const Split split : {Split::ninety_ten, Split::ninety_five_five}) {
                PlannedRun run;
                run.id = 1;
                run.spec = tiny_spec();
                run.spec.data = text;
                run.spec.split = split;
                run.spec.operations = operations;
                run.spec.precision = precision;
                Runner runner([&]() -> Engine& { return engine; }, [](const Event&) {});
                runner.start({{run}, {}, {}, {}, {}});
                runner.join();
                const TimedCohort stored = read_times(file_).cohorts.back();
                EXPECT_EQ(stored.key, machine_time_model()->key_of(run.spec));
                const auto validation = static_cast<double>(open_corpus(run.spec)->validation.size());
                const CohortWork asked = cohort_work(run.spec, 1, 0, validation, false);
                for (const TimedPart part : {TimedPart::steps, TimedPart::evaluations, TimedPart::samples}) {
                    const auto index = static_cast<std::size_t>(part);
                    EXPECT_EQ(stored.work[index].operations, asked[index].operations) << index;
                }
            }
        }
    }
}

// A finished sweep stores the times of its cohorts and its forecast; one that is stopped immediately stores neither.
TEST_F(MeasuredTimes, RunnerStoresMeasuredTimes) {
    TorchEngine engine;
    PlannedRun run;
    run.id = 1;
    run.spec = tiny_spec();
    run.spec.data = folder_.write("text.txt", small_text(4000)).string();
    PlannedRun wider = run;
    wider.id = 2;
    wider.spec.width = 32;
    {
        Runner runner([&]() -> Engine& { return engine; }, [](const Event&) {});
        runner.start({{run, wider}, {}, {}, {}, {}});
        runner.join();
    }
    const TimeRecords records = read_times(file_);
    ASSERT_EQ(records.cohorts.size(), 2U);
    EXPECT_EQ(records.cohorts[0].key.precision, "float32");
    EXPECT_EQ(records.cohorts[0].key.threads, 2);
    EXPECT_EQ(records.cohorts[0].work[static_cast<std::size_t>(TimedPart::steps)].calls, 20);
    for (const TimedPart part : {TimedPart::start, TimedPart::steps, TimedPart::evaluations, TimedPart::samples}) {
        EXPECT_GT(records.cohorts[0].seconds[static_cast<std::size_t>(part)], 0);
    }
    ASSERT_EQ(records.sweeps.size(), 1U);
    EXPECT_GT(records.sweeps[0].predicted, 0);
    EXPECT_GT(records.sweeps[0].measured, 0);

    run.spec.iterations = 1000000;
    Runner stopped([&]() -> Engine& { return engine; }, [](const Event&) {});
    stopped.start({{run}, {}, {}, {}, {}});
    stopped.stop();
    stopped.join();
    EXPECT_EQ(read_times(file_).cohorts.size(), 2U);
    EXPECT_EQ(read_times(file_).sweeps.size(), 1U);
}

// Also a part of a run teaches how fast the machine is.
TEST_F(MeasuredTimes, StoppedAndResumedRunsStoreTheStepsThatTheyTrained) {
    TorchEngine engine;
    PlannedRun run;
    run.id = 1;
    run.spec = tiny_spec();
    run.spec.data = folder_.write("text.txt", small_text(4000)).string();
    run.spec.iterations = 40;
    run.spec.evaluate_every = 10;
    run.checkpoint = folder_.path() / "run.ckpt";
    const auto steps = [&] { return read_times(file_).cohorts.back().work[1].calls; };
    {
        std::unique_ptr<Runner> runner;
        runner = std::make_unique<Runner>([&]() -> Engine& { return engine; },
                                          [&](const Event& event) {
                                              const auto* step = std::get_if<event::Step>(&event);
                                              if (step && step->iteration == 15) runner->stop();
                                          });
        runner->start({{run}, {}, {}, {}, {}});
        runner->join();
    }
    ASSERT_EQ(read_times(file_).cohorts.size(), 1U);
    const double trained = steps();
    EXPECT_GE(trained, 15);
    EXPECT_LE(trained, 16);
    const PartWork evaluations = read_times(file_).cohorts.back().work[2];
    EXPECT_EQ(evaluations.calls, 2) << "before the first step and after step 10";
    run.resume = true;
    Runner resumed([&]() -> Engine& { return engine; }, [](const Event&) {});
    resumed.start({{run}, {}, {}, {}, {}});
    resumed.join();
    ASSERT_EQ(read_times(file_).cohorts.size(), 2U);
    EXPECT_EQ(steps(), 40 - trained);
    EXPECT_TRUE(read_times(file_).sweeps.empty());
}

}  // namespace
}  // namespace ropelab
