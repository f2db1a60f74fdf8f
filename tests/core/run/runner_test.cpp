#include "core/run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "core/data/corpus.h"
#include "core/engine/torch_engine.h"
#include "core/forecast/cohort_width.h"
#include "core/run/checkpoint.h"
#include "core/run/cohort_trainer.h"
#include "tests/support/event_log.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

class RunnerTest : public testing::Test {
 protected:
    RunSpec spec() const {
        RunSpec result = tiny_spec();
        result.data = text_.string();
        return result;
    }

    /// Returns a run that is long enough for cohort widths to be measured before it begins.
    RunSpec long_run() const {
        RunSpec result = spec();
        result.iterations = 100000;
        result.evaluate_every = 100000;
        result.device = Device::cpu;
        return result;
    }

    PlannedRun planned(RunId id, const RunSpec& spec) const {
        return {id, spec, folder_ / ("run-" + std::to_string(id) + ".safetensors"), false, std::nullopt};
    }

    Runner::EngineSource engine() {
        return [this]() -> Engine& { return engine_; };
    }

    Runner::Sink sink(EventLog& log) {
        return [&log](const Event& event) { log(event); };
    }

    template <typename Condition>
    static bool wait_for(Condition condition) {
        for (int i = 0; i < 3000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return condition();
    }

    ScratchFolder folder_;
    std::filesystem::path text_ = folder_.write("text.txt", small_text(4000));
    TorchEngine engine_;
};

TEST_F(RunnerTest, TrainsEveryCohortAndEndsOnce) {
    RunSpec other = spec();
    other.theta = 500;
    RunSpec wider = spec();
    wider.width = 32;
    EventLog log;
    Runner runner(engine(), sink(log));
    std::vector<RunId> with_corpus;
    runner.start({{planned(1, spec()), planned(2, wider), planned(3, other)},
                  {},
                  [&](const PlannedRun& run, const Corpus& corpus, bool begins) {
                      EXPECT_GT(corpus.vocabulary.size(), 5);
                      EXPECT_EQ(corpus.text.bytes, 4000);
                      EXPECT_TRUE(begins);
                      with_corpus.push_back(run.id);
                  },
                  {},
                  {}});
    runner.join();
    EXPECT_FALSE(runner.running());

    const auto started = log.of<event::CohortStarted>();
    ASSERT_EQ(started.size(), 2U);
    EXPECT_EQ(started[0].runs, (std::vector<RunId>{1, 3}));
    EXPECT_EQ(started[1].runs, (std::vector<RunId>{2}));
    EXPECT_EQ(started[0].conditions.precision, "float32");
    EXPECT_EQ(with_corpus, (std::vector<RunId>{1, 3, 2}));
    EXPECT_EQ(log.of<event::Step>().size(), 3U * 20U);
    EXPECT_EQ(log.of<event::Evaluated>().size(), 3U * 3U);  // at 0, 10 and 20
    constexpr double year_2020 = 1577836800;                // in seconds since 1970
    for (const auto& step : log.of<event::Step>()) EXPECT_GT(step.time, year_2020);
    for (const auto& evaluated : log.of<event::Evaluated>()) EXPECT_GT(evaluated.time, year_2020);
    EXPECT_EQ(log.of<event::Sampled>().size(), 2U * 3U);  // samples of the first run of each cohort
    const auto ended = log.of<event::RunEnded>();
    ASSERT_EQ(ended.size(), 3U);
    for (const auto& end : ended) {
        EXPECT_EQ(end.state, RunState::finished);
        EXPECT_EQ(end.summary.iterations, 20);
        EXPECT_EQ(end.summary.whole_validation_loss, end.summary.final_validation_loss);
        EXPECT_LE(end.summary.best_validation_loss, end.summary.final_validation_loss);
        EXPECT_GT(end.summary.tokens_per_second, 0);
    }
    ASSERT_EQ(log.of<event::SweepEnded>().size(), 1U);
    EXPECT_TRUE(std::holds_alternative<event::SweepEnded>(log.all().back()));
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::finished);
    const auto progress = log.of<event::Progress>();
    EXPECT_NEAR(progress.back().done, 1.0, 1e-9);
    EXPECT_EQ(progress.front().phase, "loading the training engine");  // what is shown before the first step
    EXPECT_EQ(progress[1].phase, "preparing the models");
    EXPECT_EQ(progress.back().phase, "");
    for (std::size_t i = 1; i < progress.size(); ++i) EXPECT_GE(progress[i].done, progress[i - 1].done);
}

// A tab precedes the newline in this vocabulary, so that the newline is not its first token.
TEST_F(RunnerTest, SamplesContinueANewline) {
    RunSpec sampled = spec();
    sampled.data = folder_.write("tabs.txt", "a\tb\n" + small_text(4000)).string();
    sampled.sample_length = 40;
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, sampled)}, {}, {}, {}, {}});
    runner.join();
    const auto checkpoint = read_checkpoint(planned(1, sampled).checkpoint);
    ASSERT_TRUE(checkpoint);
    const auto vocabulary = Vocabulary::from_text(checkpoint->vocabulary);
    ASSERT_EQ(vocabulary.bytes_of(1), "\n");
    Generation generation;
    generation.length = 40;
    generation.temperature = 0.8;
    generation.seed = sampled.seed;
    const std::vector<std::int32_t> newline = {1};
    const auto tokens =
        create_model(engine_, sampled, vocabulary.size(), checkpoint->state)->generate(newline, generation);
    ASSERT_FALSE(log.of<event::Sampled>().empty());
    EXPECT_EQ(log.of<event::Sampled>().back().iteration, 20);
    EXPECT_EQ(log.of<event::Sampled>().back().text, vocabulary.decode(tokens));
}

TEST_F(RunnerTest, ComparedRunsTrainAloneInOrder) {
    RunSpec wider = spec();
    wider.width = 32;
    std::vector<PlannedRun> runs = {planned(1, spec()), planned(2, wider), planned(3, spec()), planned(4, spec()),
                                    planned(5, spec())};
    for (const std::size_t alone : {1, 2, 3}) runs[alone].alone = true;
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({runs, {}, {}, {}, {}});
    runner.join();
    std::vector<std::vector<RunId>> begun;
    for (const auto& cohort : log.of<event::CohortStarted>()) begun.push_back(cohort.runs);
    EXPECT_EQ(begun, (std::vector<std::vector<RunId>>{{1, 5}, {2}, {3}, {4}}));
    EXPECT_EQ(log.of<event::RunEnded>().size(), 5U);
}

TEST_F(RunnerTest, StoppedAndResumedRunEndsWithTheSameBits) {
    RunSpec run = spec();
    run.iterations = 400;
    run.evaluate_every = 40;
    run.dropout = 0.1;
    EventLog undisturbed_log;
    {
        Runner undisturbed(engine(), sink(undisturbed_log));
        undisturbed.start({{planned(1, run)}, {}, {}, {}, {}});
        undisturbed.join();
    }
    EventLog first_log;
    {
        Runner first(engine(), sink(first_log));
        first.start({{planned(2, run)}, {}, {}, {}, {}});
        ASSERT_TRUE(wait_for([&] { return first_log.of<event::Step>().size() > 50; }));
        first.stop();
        first.join();
    }
    ASSERT_EQ(first_log.of<event::RunEnded>().size(), 1U);
    EXPECT_EQ(first_log.of<event::RunEnded>().front().state, RunState::stopped);
    EXPECT_EQ(first_log.of<event::SweepEnded>().front().state, RunState::stopped);
    const std::int64_t stopped_at = first_log.of<event::Step>().back().iteration;
    ASSERT_LT(stopped_at, 400);

    EventLog second_log;
    std::int64_t cut_at = -2;
    PlannedRun again = planned(2, run);
    again.resume = true;
    {
        Runner second(engine(), sink(second_log));
        second.start({{again}, {}, {}, [&](RunId, std::int64_t iteration) { cut_at = iteration; }, {}});
        second.join();
    }
    EXPECT_EQ(cut_at, stopped_at);
    EXPECT_EQ(second_log.of<event::Step>().front().iteration, stopped_at + 1);
    EXPECT_EQ(second_log.of<event::Step>().back().training_loss,
              undisturbed_log.of<event::Step>().back().training_loss);
    EXPECT_EQ(read_checkpoint(folder_ / "run-1.safetensors")->state,
              read_checkpoint(folder_ / "run-2.safetensors")->state);
    EXPECT_EQ(second_log.of<event::RunEnded>().front().summary.best_validation_loss,
              undisturbed_log.of<event::RunEnded>().front().summary.best_validation_loss);
}

// A stop during a sample stores no part of it; the resumed run generates it once, with the bits of an undisturbed run.
TEST_F(RunnerTest, ASampleThatAStopCutIsGeneratedAgain) {
    RunSpec run = spec();
    run.sample_length = 400;
    run.dropout = 0.1;
    run.evaluation = Evaluation::sampled;
    EventLog undisturbed;
    {
        Runner runner(engine(), sink(undisturbed));
        runner.start({{planned(1, run)}, {}, {}, {}, {}});
        runner.join();
    }
    for (const std::int64_t stop_at : {0, 10, 20}) {
        EventLog log;
        {
            Runner* running = nullptr;
            Runner runner(engine(), [&](const Event& event) {
                log(event);
                const auto* evaluated = std::get_if<event::Evaluated>(&event);
                if (evaluated && evaluated->iteration == stop_at) running->stop();
            });
            running = &runner;
            runner.start({{planned(2, run)}, {}, {}, {}, {}});
            runner.join();
        }
        EXPECT_EQ(log.of<event::Sampled>().size(), static_cast<std::size_t>(stop_at / 10)) << stop_at;
        EXPECT_EQ(log.of<event::RunEnded>().back().state, RunState::stopped);
        PlannedRun again = planned(2, run);
        again.resume = true;
        {
            Runner runner(engine(), sink(log));
            runner.start({{again}, {}, {}, {}, {}});
            runner.join();
        }
        EXPECT_EQ(log.of<event::RunEnded>().back().state, RunState::finished);
        EXPECT_EQ(log.of<event::Evaluated>().size(), 3U);
        const auto samples = log.of<event::Sampled>();
        ASSERT_EQ(samples.size(), 3U) << stop_at;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            EXPECT_EQ(samples[i].iteration, static_cast<std::int64_t>(10 * i));
            EXPECT_EQ(samples[i].text, undisturbed.of<event::Sampled>()[i].text);
            EXPECT_EQ(samples[i].text.size(), 400U);
        }
        std::filesystem::remove(planned(2, run).checkpoint);
    }
}

TEST_F(RunnerTest, RunWithoutCheckpointStartsAtStepZero) {
    EventLog log;
    std::int64_t cut_at = -2;
    PlannedRun run = planned(5, spec());
    run.resume = true;
    run.conditions = RunConditions{"float32", "cpu", 1, "at its first start"};
    Runner runner(engine(), sink(log));
    runner.start({{run}, {}, {}, [&](RunId, std::int64_t iteration) { cut_at = iteration; }, {}});
    runner.join();
    EXPECT_EQ(cut_at, -1);
    EXPECT_EQ(log.of<event::Step>().front().iteration, 1);
    EXPECT_EQ(log.of<event::CohortStarted>().front().conditions.threads, 1);
}

TEST_F(RunnerTest, PausesWithACheckpointAndContinues) {
    RunSpec run = spec();
    run.iterations = 100000;
    run.evaluate_every = 100000;
    EventLog log;
    Runner runner(engine(), sink(log));
    int flushes = 0;
    runner.start({{planned(1, run)}, {}, {}, {}, [&] { return ++flushes > 0; }});
    ASSERT_TRUE(wait_for([&] { return log.of<event::Step>().size() > 5; }));
    runner.pause();
    ASSERT_TRUE(wait_for([&] {
        const auto progress = log.of<event::Progress>();
        return !progress.empty() && progress.back().paused;
    }));
    const auto steps = log.of<event::Step>().size();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(log.of<event::Step>().size(), steps);
    EXPECT_EQ(read_checkpoint(folder_ / "run-1.safetensors")->iteration, static_cast<std::int64_t>(steps));
    EXPECT_GT(flushes, 0);
    runner.resume();
    EXPECT_TRUE(wait_for([&] { return log.of<event::Step>().size() > steps + 5; }));
    runner.stop();
    runner.join();
    EXPECT_FALSE(log.of<event::Progress>().back().paused);
}

TEST_F(RunnerTest, StopsOneRunAndSamplesAnother) {
    RunSpec run = spec();
    run.width = 64;
    run.batch = 16;
    run.iterations = 790;  // takes seconds, but too few for measuring cohort widths
    run.evaluate_every = 1000000;
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, run), planned(2, run), planned(3, run)}, {}, {}, {}, {}});
    ASSERT_TRUE(wait_for([&] { return log.of<event::Step>().size() > 5; }));
    runner.pick(3);
    runner.stop_run(2);
    ASSERT_TRUE(wait_for([&] { return !log.of<event::RunEnded>().empty(); }));
    EXPECT_EQ(log.of<event::RunEnded>().front().run, 2);
    EXPECT_EQ(log.of<event::RunEnded>().front().state, RunState::stopped);
    EXPECT_TRUE(wait_for([&] {
        const auto samples = log.of<event::Sampled>();
        return !samples.empty() && samples.back().run == 3;
    }));
    const auto steps = log.of<event::Step>().size();
    EXPECT_TRUE(wait_for([&] { return log.of<event::Step>().size() > steps + 4; }));
    runner.stop();
    runner.join();
    EXPECT_EQ(log.of<event::RunEnded>().size(), 3U);
}

TEST_F(RunnerTest, DivergedRunFailsAndOtherRunsFinish) {
    RunSpec wild = spec();
    wild.learning_rate = 10;
    wild.final_learning_rate = 10;
    wild.warmup = 0;
    wild.weight_decay = 10;  // equal in the cohort; with this learning rate it multiplies the weights by −99 per step
    RunSpec tame = wild;
    tame.learning_rate = 1e-6;
    tame.final_learning_rate = 1e-6;
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, wild), planned(2, tame)}, {}, {}, {}, {}});
    runner.join();
    const auto ended = log.of<event::RunEnded>();
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].run, 1);
    EXPECT_EQ(ended[0].state, RunState::failed);
    EXPECT_THAT(ended[0].message, testing::HasSubstr("no longer a finite number"));
    EXPECT_EQ(ended[1].run, 2);
    EXPECT_EQ(ended[1].state, RunState::finished);
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::failed);
    EXPECT_EQ(log.of<event::SweepEnded>().front().message, "1 of 2 runs failed. " + ended[0].message);
}

TEST_F(RunnerTest, CohortThatCannotStartFailsAndTheNextTrains) {
    RunSpec missing = spec();
    missing.data = (folder_ / "missing.txt").string();
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, missing), planned(2, spec())}, {}, {}, {}, {}});
    runner.join();
    const auto ended = log.of<event::RunEnded>();
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_EQ(ended[0].state, RunState::failed);
    EXPECT_THAT(ended[0].message, testing::HasSubstr("missing.txt"));
    EXPECT_EQ(ended[1].state, RunState::finished);
}

TEST_F(RunnerTest, MovesRemovesAndAppendsWaitingCohorts) {
    RunSpec first = spec();
    first.iterations = 100000;
    first.evaluate_every = 100000;
    const auto of_width = [&](std::int64_t width) {
        RunSpec result = spec();
        result.width = width;
        return result;
    };
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, first), planned(2, of_width(24)), planned(3, of_width(32)), planned(4, of_width(40))},
                  {},
                  {},
                  {},
                  {}});
    ASSERT_TRUE(wait_for([&] { return log.of<event::Step>().size() > 5; }));
    auto waiting = runner.waiting();
    ASSERT_EQ(waiting.size(), 3U);
    EXPECT_EQ(waiting[0].runs, (std::vector<RunId>{2}));
    EXPECT_TRUE(runner.move_waiting(waiting[2].id, 0));
    EXPECT_TRUE(runner.remove_waiting(waiting[0].id));
    EXPECT_FALSE(runner.remove_waiting(waiting[0].id));
    EXPECT_FALSE(runner.move_waiting(waiting[0].id, 0));
    RunSpec twin = of_width(48);
    twin.seed = 2;
    EXPECT_TRUE(runner.append({planned(5, of_width(48)), planned(6, twin)}));
    waiting = runner.waiting();
    ASSERT_EQ(waiting.size(), 3U);
    EXPECT_EQ(waiting[0].runs, (std::vector<RunId>{4}));
    EXPECT_EQ(waiting[1].runs, (std::vector<RunId>{3}));
    EXPECT_EQ(waiting[2].runs, (std::vector<RunId>{5, 6}));
    runner.stop_run(1);
    runner.join();
    std::vector<RunId> ended;
    for (const auto& end : log.of<event::RunEnded>()) ended.push_back(end.run);
    EXPECT_EQ(ended, (std::vector<RunId>{1, 4, 3, 5, 6}));
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::finished);
    EXPECT_EQ(log.of<event::Progress>().back().cohort, 4);
    EXPECT_EQ(log.of<event::Progress>().back().cohorts, 4);
    EXPECT_NEAR(log.of<event::Progress>().back().done, 1.0, 1e-9);
    EXPECT_FALSE(runner.append({planned(7, spec())})) << "the sweep has ended";
    EXPECT_TRUE(runner.waiting().empty());
}

TEST_F(RunnerTest, MeasuresAFewStepsOfEachCohort) {
    RunSpec wide = spec();
    wide.width = 32;
    RunSpec missing = spec();
    missing.data = (folder_ / "missing.txt").string();
    EventLog log;
    std::vector<Measurement> measured;
    Runner runner(engine(), sink(log));
    runner.measure({{spec(), spec()}, {missing}, {wide}}, {},
                   [&](const Measurement& each) { measured.push_back(each); });
    runner.join();
    ASSERT_EQ(measured.size(), 3U);
    EXPECT_EQ(measured[0].cohort, 0U);
    EXPECT_GT(measured[0].seconds, 0);
    EXPECT_EQ(measured[0].problem, "");
    EXPECT_EQ(measured[0].conditions.precision, "float32");
    EXPECT_THAT(measured[1].problem, testing::HasSubstr("missing.txt"));
    EXPECT_GT(measured[2].seconds, 0);
    ASSERT_EQ(log.all().size(), 1U);
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::finished);
    EXPECT_FALSE(runner.append({planned(1, spec())}));
}

TEST_F(RunnerTest, StopsAMeasurement) {
    EventLog log;
    int measured = 0;
    Runner runner(engine(), sink(log));
    runner.measure({{spec()}, {spec()}, {spec()}}, {}, [&](const Measurement&) {
        ++measured;
        runner.stop();
    });
    runner.join();
    EXPECT_EQ(measured, 1);
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::stopped);
}

TEST_F(RunnerTest, ReportsAnEngineThatCannotBeLoaded) {
    EventLog log;
    Runner runner([]() -> Engine& { throw std::runtime_error("The training engine cannot be loaded."); }, sink(log));
    runner.start({{planned(1, spec())}, {}, {}, {}, {}});
    runner.join();
    EXPECT_EQ(log.of<event::RunEnded>().front().message, "The training engine cannot be loaded.");
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::failed);
    EXPECT_EQ(log.of<event::SweepEnded>().front().message, "The training engine cannot be loaded.");
}

// Of one step; of more, the speed that is shown is a moving average.
TEST_F(RunnerTest, TheShownSpeedIsThatOfAllRunsTogether) {
    RunSpec run = spec();
    run.iterations = 1;
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, run), planned(2, run), planned(3, run)}, {}, {}, {}, {}});
    runner.join();
    const double shown = log.of<event::Progress>().back().tokens_per_second;
    ASSERT_EQ(log.of<event::RunEnded>().size(), 3U);
    for (const auto& end : log.of<event::RunEnded>()) EXPECT_NEAR(end.summary.tokens_per_second / shown, 1, 1e-9);
}

TEST_F(RunnerTest, DestructorStopsAndJoins) {
    RunSpec run = spec();
    run.iterations = 100000;
    EventLog log;
    {
        Runner runner(engine(), sink(log));
        runner.start({{planned(1, run)}, {}, {}, {}, {}});
        ASSERT_TRUE(wait_for([&] { return !log.of<event::Step>().empty(); }));
    }
    EXPECT_EQ(log.of<event::SweepEnded>().size(), 1U);
}

// Trains like LibTorch, but the first steps of a cohort take 30 ms longer for each run after the first.
class SlowTogether : public Engine {
 public:
    std::chrono::milliseconds first_snapshot{0};  // how much longer the first one takes
    std::vector<std::int64_t> evaluated;          // numbers of runs, one per evaluation

    EngineInfo info() override { return engine_.info(); }
    std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData& data) override {
        return std::make_unique<Slow>(*this, engine_.create_cohort(start, data));
    }
    std::unique_ptr<Model> create_model(const ModelPlan& plan, std::span<const NamedTensor> tensors,
                                        const Computing& computing) override {
        return engine_.create_model(plan, tensors, computing);
    }

 private:
    class Slow : public Cohort {
     public:
        Slow(SlowTogether& engine, std::unique_ptr<Cohort> cohort) : engine_(engine), cohort_(std::move(cohort)) {}
        std::int64_t runs() const override { return cohort_->runs(); }
        std::int64_t iteration() const override { return cohort_->iteration(); }
        RunConditions conditions() const override { return cohort_->conditions(); }
        std::vector<StepResult> step() override {
            if (iteration() < 10) std::this_thread::sleep_for(std::chrono::milliseconds(30) * (runs() - 1));
            return cohort_->step();
        }
        std::vector<EvaluationResult> evaluate_runs(std::int64_t first, std::int64_t count,
                                                    const std::function<bool()>& cancelled) override {
            engine_.evaluated.push_back(count);
            return cohort_->evaluate_runs(first, count, cancelled);
        }
        void remove(std::int64_t run) override { cohort_->remove(run); }
        std::vector<NamedTensor> state(std::int64_t run) const override { return cohort_->state(run); }
        std::unique_ptr<Model> model(std::int64_t run) const override { return cohort_->model(run); }
        ProbeResult probe(std::int64_t run, const ProbeRequest& request) const override {
            std::this_thread::sleep_for(std::exchange(engine_.first_snapshot, std::chrono::milliseconds(0)));
            return cohort_->probe(run, request);
        }

     private:
        SlowTogether& engine_;
        std::unique_ptr<Cohort> cohort_;
    };
    TorchEngine engine_;
};

// Each step of the two runs takes 30 ms or more.
TEST_F(RunnerTest, TheMeasuredTimeCountsEveryStep) {
    SlowTogether slow;
    EventLog log;
    std::vector<Measurement> measured;
    Runner runner([&]() -> Engine& { return slow; }, sink(log));
    runner.measure({{spec(), spec()}}, {}, [&](const Measurement& each) { measured.push_back(each); });
    runner.join();
    ASSERT_EQ(measured.size(), 1U);
    EXPECT_GE(measured[0].seconds, static_cast<double>(spec().iterations) * 0.03);
}

TEST_F(RunnerTest, TheFirstValuesOfARunDoNotWaitForAllRuns) {
    RunSpec run = spec();
    run.threads = 1;
    std::vector<PlannedRun> runs;
    for (int seed = 1; seed <= 7; ++seed) {
        run.seed = seed;
        runs.push_back(planned(seed, run));
    }
    SlowTogether engine;
    EventLog log;
    Runner runner([&]() -> Engine& { return engine; }, sink(log));
    runner.start({runs, {}, {}, {}, {}});
    runner.join();
    ASSERT_GE(engine.evaluated.size(), 4U);
    const std::vector<std::int64_t> first(engine.evaluated.begin(), engine.evaluated.begin() + 4);
    EXPECT_THAT(first, testing::ElementsAre(2, 4, 1, 7));
    EXPECT_EQ(log.of<event::Evaluated>().size(), 7 * (engine.evaluated.size() - 2));
}

// Snapshots that have taken more than 5 s may take 4 % of the training; the last one is always made.
TEST_F(RunnerTest, SnapshotsThatSlowTheTrainingAreLeftOut) {
    SlowTogether slow;
    slow.first_snapshot = std::chrono::milliseconds(5100);
    EventLog log;
    Runner runner([&]() -> Engine& { return slow; }, sink(log));
    runner.start({{planned(1, spec())}, {}, {}, {}, {}});
    runner.join();
    std::vector<std::int64_t> steps;
    for (const event::Probed& probed : log.of<event::Probed>()) steps.push_back(probed.iteration);
    EXPECT_THAT(steps, testing::ElementsAre(0, spec().iterations));
}

TEST_F(RunnerTest, TrainsSequentiallyIfFasterWithTheSameBits) {
    clear_step_times();
    RunSpec run = long_run();  // it is stopped as soon as it has begun
    run.threads = 1;           // two threads on busy cores could wait for each other longer than SlowTogether sleeps
    run.width = 12;
    run.probe_every = 0;
    run.batch = 1;
    run.context = 8;
    RunSpec other = run;
    other.theta = 500;
    RunSpec third = run;
    third.seed = 3;
    SlowTogether slow;
    EventLog log;
    Runner runner([&]() -> Engine& { return slow; }, sink(log));
    runner.start({{planned(1, run), planned(2, other), planned(3, third)}, {}, {}, {}, {}});
    ASSERT_TRUE(wait_for([&] { return log.of<event::Step>().size() > 20; }));
    runner.stop();
    runner.join();
    const auto started = log.of<event::CohortStarted>();
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0].runs, (std::vector<RunId>{1}));
    EXPECT_THAT(started[0].conditions.reason,
                testing::AllOf(testing::StartsWith("float32: as requested. One run trains at a time, "),
                               testing::HasSubstr(" × as fast as ")));
    auto progress = log.of<event::Progress>();
    std::erase_if(progress, [](const event::Progress& each) { return !each.phase.empty(); });
    EXPECT_EQ(progress.front().cohorts, 3);

    // The run has the same bits as in a cohort.
    const auto together = [&] {
        const std::vector<RunSpec> specs = {run, other};
        const auto corpus = open_corpus(run, {});
        CohortStart start;
        start.runs = specs;
        auto cohort = engine_.create_cohort(start, {corpus->vocabulary.size(), corpus->training, corpus->validation});
        const auto reached = read_checkpoint(folder_ / "run-1.safetensors");
        while (cohort->iteration() < reached->iteration) cohort->step();
        return std::pair(cohort->state(0), reached->state);
    }();
    EXPECT_EQ(together.first, together.second);
}

// Few are left, so that measuring widths does not pay.
TEST_F(RunnerTest, AResumedCohortIsMeasuredForTheStepsThatAreLeft) {
    clear_step_times();
    RunSpec run = long_run();
    run.threads = 1;
    run.probe_every = 0;
    CohortStart start;
    start.runs = {run, run};
    start.runs[1].theta = 500;
    const auto corpus = open_corpus(run, {});
    const auto cohort = engine_.create_cohort(start, corpus->token_data());
    std::vector<PlannedRun> runs;
    for (std::int64_t i = 0; i < 2; ++i) {
        PlannedRun& resumed = runs.emplace_back(planned(i + 1, start.runs[static_cast<std::size_t>(i)]));
        resumed.resume = true;
        write_checkpoint(resumed.checkpoint, {resumed.spec,
                                              corpus->vocabulary.to_text(),
                                              cohort->conditions(),
                                              run.iterations - 2,
                                              0,
                                              {},
                                              cohort->state(i)});
    }
    SlowTogether slow;
    EventLog log;
    Runner runner([&]() -> Engine& { return slow; }, sink(log));
    runner.start({runs, {}, {}, {}, {}});
    runner.join();
    const auto started = log.of<event::CohortStarted>();
    ASSERT_EQ(started.size(), 1U);
    EXPECT_EQ(started[0].runs, (std::vector<RunId>{1, 2}));
    EXPECT_EQ(started[0].iteration, run.iterations - 2);
    EXPECT_EQ(log.of<event::Step>().size(), 4U);
}

TEST_F(RunnerTest, SweepStoppedWhileMeasuringHasNotBegun) {
    clear_step_times();
    const RunSpec run = long_run();
    SlowTogether slow;
    EventLog log;
    Runner* running = nullptr;
    int opened = 0;
    Runner runner(
        [&]() -> Engine& {
            ++opened;
            running->stop();
            return slow;
        },
        sink(log));
    running = &runner;
    runner.start({{planned(1, run), planned(2, run)}, {}, {}, {}, {}});
    runner.join();
    EXPECT_EQ(opened, 1);
    EXPECT_EQ(log.of<event::CohortStarted>().size(), 0U);
    EXPECT_EQ(log.of<event::RunEnded>().size(), 0U);
    EXPECT_EQ(log.of<event::SweepEnded>().front().state, RunState::stopped);
}

TEST_F(RunnerTest, PauseEndsMeasuring) {
    clear_step_times();
    const RunSpec run = long_run();
    SlowTogether slow;
    EventLog log;
    Runner* running = nullptr;
    Runner runner(
        [&]() -> Engine& {
            running->pause();
            return slow;
        },
        sink(log));
    running = &runner;
    runner.start({{planned(1, run), planned(2, run)}, {}, {}, {}, {}});
    ASSERT_TRUE(wait_for([&] {
        const auto progress = log.of<event::Progress>();
        return !log.of<event::CohortStarted>().empty() && progress.back().paused;
    }));
    // No measurement was against training together.
    EXPECT_EQ(log.of<event::CohortStarted>().front().runs, (std::vector<RunId>{1, 2}));
    EXPECT_TRUE(log.of<event::Step>().empty());
    for (const auto& progress : log.of<event::Progress>()) {
        EXPECT_EQ(progress.paused, progress.phase != "loading the training engine") << progress.phase;
    }
    runner.stop();
    runner.join();
    EXPECT_EQ(log.of<event::RunEnded>().size(), 2U);
}

TEST_F(RunnerTest, RunsThatBeganElsewhereFormTheirOwnCohort) {
    PlannedRun begun = planned(2, spec());
    begun.resume = true;
    begun.conditions = RunConditions{"float32", "cpu", 1, "at its first start"};
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start({{planned(1, spec()), begun, planned(3, spec())}, {}, {}, {}, {}});
    runner.join();
    const auto started = log.of<event::CohortStarted>();
    ASSERT_EQ(started.size(), 2U);
    EXPECT_EQ(started[0].runs, (std::vector<RunId>{1, 3}));
    EXPECT_NE(started[0].conditions.reason, "at its first start");
    EXPECT_EQ(started[1].runs, (std::vector<RunId>{2}));
    EXPECT_EQ(started[1].conditions.reason, "at its first start");
}

// The second cohort has another shape, for which a measurement of its own could choose another precision.
TEST_F(RunnerTest, AllCohortsOfAnExperimentTrainInTheSettledPrecision) {
    std::vector<PlannedRun> runs = {planned(1, spec()), planned(2, spec())};
    runs[1].spec.width = 32;
    for (PlannedRun& run : runs) {
        run.spec.precision = Precision::automatic;
        run.spec.device = Device::cpu;
        run.experiment = 7;
    }
    const ExperimentPrecision settled = {Precision::bfloat16, "chosen earlier."};
    Plan plan{runs, {}, {}, {}, {}};
    plan.settle_precision = [&](const PlannedRun& run, const std::optional<ExperimentPrecision>&) {
        EXPECT_EQ(run.experiment, 7);
        return std::optional(settled);
    };
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start(std::move(plan));
    runner.join();
    const auto started = log.of<event::CohortStarted>();
    ASSERT_EQ(started.size(), 2U);
    for (const auto& cohort : started) {
        EXPECT_EQ(cohort.conditions.precision, "bfloat16");
        EXPECT_EQ(experiment_precision(cohort.conditions), settled);
    }
}

// Another program settles the precision while the first cohort measures its own.
TEST_F(RunnerTest, CohortAdoptsThePrecisionThatAnotherProgramSettled) {
    PlannedRun run = planned(1, spec());
    run.spec.precision = Precision::automatic;
    run.spec.device = Device::cpu;
    std::string measured_word, adopted_word;
    Plan plan{{run}, {}, {}, {}, {}};
    plan.settle_precision = [&](const PlannedRun&, const std::optional<ExperimentPrecision>& measured) {
        if (!measured) return measured;
        const bool rounds = measured->precision == Precision::bfloat16;
        measured_word = rounds ? "bfloat16" : "float32";
        adopted_word = rounds ? "float32" : "bfloat16";
        return std::optional(ExperimentPrecision{rounds ? Precision::float32 : Precision::bfloat16, "of another."});
    };
    EventLog log;
    Runner runner(engine(), sink(log));
    runner.start(std::move(plan));
    runner.join();
    ASSERT_EQ(log.of<event::CohortStarted>().size(), 1U);
    EXPECT_EQ(log.of<event::CohortStarted>().front().conditions.precision, adopted_word);
    EXPECT_NE(measured_word, adopted_word);
    EXPECT_EQ(log.of<event::RunEnded>().front().state, RunState::finished);
}

TEST(SettlePrecision, FirstMeasurementOfEachExperimentDecides) {
    const SettlePrecision settle = settle_precision_in_memory();
    PlannedRun first, other;
    first.experiment = 1;
    other.experiment = 2;
    const ExperimentPrecision fast = {Precision::bfloat16, "fast."}, plain = {Precision::float32, "plain."};
    EXPECT_FALSE(settle(first, std::nullopt));
    EXPECT_EQ(settle(first, fast), fast);
    EXPECT_EQ(settle(first, plain), fast);
    EXPECT_EQ(settle(other, plain), plain);
    EXPECT_EQ(settle(first, std::nullopt), fast);
}

}  // namespace
}  // namespace ropelab
