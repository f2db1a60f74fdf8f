#include "core/run/cohort_queue.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/scratch_folder.h"
#include "tests/support/tiny.h"

namespace ropelab {
namespace {

TrainedRun run_of(RunId id, std::int64_t width) {
    PlannedRun planned;
    planned.id = id;
    planned.spec = tiny_spec();
    planned.spec.width = width;
    return prepare(planned);
}

std::vector<std::vector<RunId>> waiting_runs(const CohortQueue& queue) {
    std::vector<std::vector<RunId>> result;
    for (const WaitingCohort& cohort : queue.waiting()) result.push_back(cohort.runs);
    return result;
}

class CohortQueueTest : public testing::Test {
 protected:
    // Runs 1, 2 and 3 are removed from the queue; 4, 5 and 6 wait in separate cohorts.
    CohortQueueTest() {
        queue_.begin({run_of(1, 16), run_of(2, 16), run_of(3, 16), run_of(4, 24), run_of(5, 32), run_of(6, 40)});
        present_ = *queue_.next();
    }
    void cut() {
        std::vector<std::vector<TrainedRun>> parts(2);
        parts[0].push_back(present_[1]);
        parts[1].push_back(present_[2]);
        present_.resize(1);
        queue_.cut(present_, std::move(parts));
    }

    CohortQueue queue_;
    std::vector<TrainedRun> present_;
};

using Order = std::vector<std::vector<RunId>>;

// Two runs were stopped at the same step; only one of them was evaluated there.
TEST(CohortsOfStoppedRuns, RunWithoutEvaluationFormsItsOwnCohort) {
    std::vector<TrainedRun> runs = {run_of(1, 16), run_of(2, 16), run_of(3, 16)};
    for (TrainedRun& run : runs) {
        Checkpoint& checkpoint = run.checkpoint.emplace();
        checkpoint.iteration = 10;
        checkpoint.evaluated = run.plan.id == 2 ? 0 : 10;
    }
    CohortQueue queue;
    queue.begin(std::move(runs));
    EXPECT_EQ(waiting_runs(queue), (std::vector<std::vector<RunId>>{{1, 3}, {2}}));
}

// The precision that a cohort chooses is that of its experiment.
TEST(CohortsOfExperiments, OnlyRunsThatChooseAPrecisionTrainByExperiment) {
    const auto cohorts_with = [](Precision precision) {
        std::vector<TrainedRun> runs = {run_of(1, 16), run_of(2, 16), run_of(3, 16), run_of(4, 16)};
        for (TrainedRun& run : runs) {
            run.plan.spec.precision = precision;
            run.plan.experiment = run.plan.id % 2;
        }
        CohortQueue queue;
        queue.begin(std::move(runs));
        return waiting_runs(queue);
    };
    EXPECT_EQ(cohorts_with(Precision::automatic), (std::vector<std::vector<RunId>>{{1, 3}, {2, 4}}));
    EXPECT_EQ(cohorts_with(Precision::float32), (std::vector<std::vector<RunId>>{{1, 2, 3, 4}}));
}

// A resumed sweep of many runs must not hold the weights of all runs in memory.
TEST(CohortsOfStoppedRuns, WeightsAreLoadedWhenACohortBegins) {
    const ScratchFolder folder;
    PlannedRun planned;
    planned.checkpoint = folder / "run-1.safetensors";
    planned.resume = true;
    Checkpoint checkpoint;
    checkpoint.iteration = 10;
    checkpoint.state = {{"model.a", {2}, {1.0F, 2.0F}}};
    write_checkpoint(planned.checkpoint, checkpoint);
    const TrainedRun run = prepare(planned);
    EXPECT_EQ(run.iteration(), 10);
    EXPECT_TRUE(run.checkpoint->state.empty());
}

// The start of the engine is part of the sweep's time, but not of the speed of its steps.
TEST(RemainingTime, IsEstimatedFromTheStepsAfterTheFirst) {
    CohortQueue queue;
    queue.begin({run_of(1, 16)});
    queue.next();
    const auto progress_at = [&queue](double done, double seconds) {
        event::Progress progress;
        progress.done = done;
        progress.seconds = seconds;
        queue.fill(progress);
        return progress.seconds_left;
    };
    EXPECT_TRUE(std::isnan(progress_at(0, 0)));
    EXPECT_TRUE(std::isnan(progress_at(0.001, 30))) << "the first step ended after 30 s";
    EXPECT_TRUE(std::isnan(progress_at(0.002, 30.1))) << "too little has been measured";
    EXPECT_NEAR(progress_at(0.101, 31), 9 - 0.01, 1e-6) << "a tenth of the sweep takes 1 s";
    EXPECT_NEAR(progress_at(1, 40), 0, 1e-9);
}

TEST_F(CohortQueueTest, PartsOfASplitCohortTrainNext) {
    cut();
    EXPECT_EQ(waiting_runs(queue_), (Order{{2}, {3}, {4}, {5}, {6}}));
}

TEST_F(CohortQueueTest, CohortsMovedToTheFrontStayBeforeParts) {
    EXPECT_TRUE(queue_.move(queue_.waiting()[1].id, 0));
    EXPECT_TRUE(queue_.append({run_of(7, 48)}));
    cut();
    EXPECT_EQ(waiting_runs(queue_), (Order{{5}, {2}, {3}, {4}, {6}, {7}}));
}

TEST_F(CohortQueueTest, CohortsMovedToTheBackStayBehindParts) {
    EXPECT_TRUE(queue_.move(queue_.waiting()[0].id, 2));
    cut();
    EXPECT_EQ(waiting_runs(queue_), (Order{{2}, {3}, {5}, {6}, {4}}));
}

// Cohorts that were moved before another one began are like the others afterwards.
TEST_F(CohortQueueTest, PartsComeBeforeCohortsThatWereMovedEarlier) {
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(queue_.move(queue_.waiting().back().id, 0));
    EXPECT_EQ(waiting_runs(queue_), (Order{{5}, {6}, {4}}));
    EXPECT_EQ(queue_.next()->front().plan.id, 5);
    cut();
    EXPECT_EQ(waiting_runs(queue_), (Order{{2}, {3}, {6}, {4}}));
}

TEST_F(CohortQueueTest, CountsWhatItHasAndWhatHasEnded) {
    const auto progress_at = [&](double done, double seconds) {
        event::Progress progress;
        progress.done = done;
        progress.seconds = seconds;
        queue_.fill(progress);
        return progress;
    };
    EXPECT_EQ(queue_.runs(), 6U);
    EXPECT_TRUE(queue_.is_as_begun());
    const event::Progress first = progress_at(0.5, 10);
    EXPECT_EQ(first.cohort, 1);
    EXPECT_EQ(first.cohorts, 4);
    EXPECT_EQ(first.seconds, 10);
    const event::Progress whole = progress_at(1, 20);
    EXPECT_NEAR(whole.done, 2 * first.done, 1e-12);
    const double waiting = queue_.expected_seconds();
    queue_.next();
    EXPECT_LT(queue_.expected_seconds(), waiting);
    const event::Progress second = progress_at(0, 3);
    EXPECT_EQ(second.cohort, 2);
    EXPECT_EQ(second.cohorts, 4);
    EXPECT_EQ(second.seconds, 23) << "with the seconds of the first cohort";
    EXPECT_NEAR(second.done, whole.done, 1e-12);
    queue_.next();
    EXPECT_EQ(progress_at(0, 0).seconds, 23);

    EXPECT_FALSE(queue_.move(99, 0));
    EXPECT_FALSE(queue_.remove(99));
    EXPECT_TRUE(queue_.is_as_begun());
    EXPECT_TRUE(queue_.remove(queue_.waiting().front().id));
    EXPECT_FALSE(queue_.is_as_begun());
    EXPECT_EQ(queue_.runs(), 5U);
    EXPECT_EQ(queue_.expected_seconds(), 0);
    EXPECT_NEAR(progress_at(1, 0).done, 1, 1e-12);
    EXPECT_FALSE(queue_.next());
    EXPECT_FALSE(queue_.append({run_of(7, 16)})) << "the sweep has ended";
}

TEST(TrainedRuns, PartsHaveAllRunsInOrder) {
    const auto parts = in_parts({run_of(1, 16), run_of(2, 16), run_of(3, 16), run_of(4, 16)}, {2, 1, 1});
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[0].at(0).plan.id, 1);
    EXPECT_EQ(parts[0].at(1).plan.id, 2);
    EXPECT_EQ(parts[1].at(0).plan.id, 3);
    EXPECT_EQ(parts[2].at(0).plan.id, 4);
}

// As a kill leaves them between the checkpoints of the first and of the second run.
TEST(TrainedRuns, RunsOfAHalvingBeginAnewIfTheirCheckpointsAreOfDifferentSteps) {
    const auto begun = [](std::int64_t halving, std::vector<std::int64_t> steps) {
        std::vector<TrainedRun> runs;
        for (const std::int64_t step : steps) {
            runs.push_back(run_of(std::ssize(runs) + 1, 16));
            if (halving > 0) runs.back().plan.stopping = Halving{halving, 40, 4};
            runs.back().checkpoint.emplace();
            runs.back().checkpoint->iteration = step;
            runs.back().summary.iterations = step;
        }
        return runs;
    };
    const auto steps_of = [](std::vector<TrainedRun> runs) {
        begin_halvings_together(runs);
        std::vector<std::int64_t> steps;
        for (const TrainedRun& run : runs) {
            steps.push_back(run.iteration());
            EXPECT_EQ(run.summary.iterations, run.iteration());
            EXPECT_EQ(run.halving_message, run.iteration() > 0 ? "" : halving_begins_anew);
        }
        return steps;
    };
    using Steps = std::vector<std::int64_t>;
    EXPECT_EQ(steps_of(begun(1, {40, 20, 20})), Steps({0, 0, 0}));
    EXPECT_EQ(steps_of(begun(1, {40, 40, 40})), Steps({40, 40, 40}));
    EXPECT_EQ(steps_of(begun(0, {40, 20, 20})), Steps({40, 20, 20})) << "without halving";
    std::vector<TrainedRun> two = begun(1, {40, 40});
    for (TrainedRun& run : begun(2, {20, 60})) two.push_back(run);
    EXPECT_EQ(steps_of(two), Steps({40, 40, 0, 0})) << "of two searches, one was cut between checkpoints";
    two[1].checkpoint->sample_is_cut = true;
    EXPECT_EQ(steps_of(two), Steps({0, 0, 0, 0})) << "the same step, but not the same moment of it";
}

TEST(TrainedRuns, StartInTheSettledPrecisionIfTheyChooseOne) {
    for (const Precision precision : {Precision::automatic, Precision::float32}) {
        std::vector<TrainedRun> runs = {run_of(1, 16), run_of(2, 16)};
        for (TrainedRun& run : runs) {
            run.plan.spec.precision = precision;
            run.settled_precision = ExperimentPrecision{Precision::bfloat16, "settled by the first task."};
        }
        const CohortStart start = start_of(runs);
        const bool chooses = precision == Precision::automatic;
        ASSERT_EQ(start.runs.size(), 2U);
        for (const RunSpec& run : start.runs) EXPECT_EQ(run.precision, chooses ? Precision::bfloat16 : precision);
        EXPECT_EQ(start.precision_reason, chooses ? "settled by the first task." : "");
        EXPECT_FALSE(start.conditions);
    }
}

}  // namespace
}  // namespace ropelab
