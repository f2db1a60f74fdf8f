#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <limits>
#include <tuple>

#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class LabEvents : public testing::Test {
 protected:
    void record(std::vector<Event> events) { lab_->record(events); }
    RunState state(RunId run) const { return lab_->run(run).state; }

    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.ropelab";
    std::unique_ptr<LabFile> lab_ = lab_with_runs(path_, 3);
};

TEST_F(LabEvents, StoresAllMetricsOfEveryStep) {
    record(trained(2, 25));
    const RunMetrics metrics = lab_->metrics(2);
    ASSERT_EQ(metrics.steps.iteration.size(), 25U);
    for (std::size_t i = 0; i < 25; ++i) {
        const event::Step expected = step(2, static_cast<std::int64_t>(i) + 1);
        EXPECT_EQ(metrics.steps.iteration[i], expected.iteration);
        EXPECT_EQ(metrics.steps.training_loss[i], expected.training_loss);
        EXPECT_EQ(metrics.steps.gradient_norm[i], expected.gradient_norm);
        EXPECT_EQ(metrics.steps.learning_rate[i], expected.learning_rate);
    }
    EXPECT_EQ(metrics.evaluations.iteration, (std::vector<std::int64_t>{10, 20}));
    EXPECT_EQ(metrics.evaluations.validation_loss, (std::vector<double>{0.35, 0.175}));
    EXPECT_EQ(metrics.latest_sample->text, "text of step 20");
    EXPECT_EQ(lab_->samples(2).size(), 2U);
    EXPECT_EQ(lab_->samples(2)[0].text, "text of step 10");
    EXPECT_EQ(lab_->run(2).iteration, 25);
    EXPECT_TRUE(lab_->metrics(1).steps.iteration.empty());
    EXPECT_FALSE(lab_->metrics(1).latest_sample);
}

TEST_F(LabEvents, ReadsOneQuantityOfTheStepsAndEvaluationsAlone) {
    using Steps = RunMetrics::Steps;
    record(trained(2, 25));
    const RunMetrics all = lab_->metrics(2);
    for (const auto quantity : {&Steps::training_loss, &Steps::gradient_norm, &Steps::learning_rate}) {
        const Steps steps = lab_->steps(2, quantity);
        EXPECT_EQ(steps.iteration, all.steps.iteration);
        EXPECT_EQ(steps.*quantity, all.steps.*quantity);
        EXPECT_TRUE(steps.time.empty());
    }
    const RunMetrics few = lab_->metrics_of_evaluations(2);
    EXPECT_EQ(few.evaluations.iteration, all.evaluations.iteration);
    EXPECT_EQ(few.evaluations.validation_loss, all.evaluations.validation_loss);
    EXPECT_EQ(few.latest_sample->text, "text of step 20");
    EXPECT_TRUE(few.steps.iteration.empty());
}

TEST_F(LabEvents, StoresNonFiniteNumbersAsNan) {
    const double infinity = std::numeric_limits<double>::infinity();
    RunSummary summary = summary_of(1);
    summary.final_validation_loss = nan;
    summary.whole_validation_loss = nan;
    record({event::Step{1, 1, nan, infinity, 1e-3}, event::Evaluated{1, 1, 2.5, -infinity},
            event::RunEnded{1, RunState::failed, "The loss is not finite.", summary}});
    const RunMetrics metrics = lab_->metrics(1);
    EXPECT_TRUE(std::isnan(metrics.steps.training_loss.at(0)));
    EXPECT_TRUE(std::isnan(metrics.steps.gradient_norm.at(0)));
    EXPECT_EQ(metrics.steps.learning_rate.at(0), 1e-3);
    EXPECT_EQ(metrics.evaluations.training_loss.at(0), 2.5);
    EXPECT_TRUE(std::isnan(metrics.evaluations.validation_loss.at(0)));
    const RunRecord run = lab_->run(1);
    EXPECT_EQ(run.state, RunState::failed);
    EXPECT_EQ(run.message, "The loss is not finite.");
    EXPECT_TRUE(std::isnan(run.summary->final_validation_loss));
    ASSERT_TRUE(run.summary->whole_validation_loss);  // measured, but NaN
    EXPECT_TRUE(std::isnan(*run.summary->whole_validation_loss));
}

TEST_F(LabEvents, EventsChangeTheStateOfARun) {
    EXPECT_EQ(state(1), RunState::waiting);
    record({cohort_started({1, 2})});
    EXPECT_EQ(state(1), RunState::running);
    EXPECT_EQ(state(3), RunState::waiting);
    EXPECT_EQ(lab_->run(1).conditions->precision, "bfloat16");
    EXPECT_EQ(lab_->run(1).conditions->threads, 2);
    EXPECT_EQ(lab_->run(1).conditions->reason, "bfloat16: 1.4 × as fast as float32 here");
    EXPECT_EQ(lab_->run(1).conditions->graphs, "");
    event::CohortStarted on_device = cohort_started({2});
    on_device.conditions.graphs = "all but norm";
    record({on_device});
    EXPECT_EQ(lab_->run(2).conditions->graphs, "all but norm");
    on_device.conditions.clock = "cohort 3 session";
    record({on_device});
    EXPECT_EQ(lab_->run(2).conditions->clock, "cohort 3 session");
    EXPECT_FALSE(lab_->run(3).conditions);

    event::Progress progress;
    progress.paused = true;
    record({progress});
    EXPECT_EQ(state(1), RunState::paused);
    EXPECT_EQ(state(2), RunState::paused);
    EXPECT_EQ(state(3), RunState::waiting);
    progress.paused = false;
    RunSummary whole = summary_of(50);
    whole.test_loss = 1.625;
    record({progress, event::RunEnded{1, RunState::finished, "", whole}});
    EXPECT_EQ(state(1), RunState::finished);
    EXPECT_EQ(state(2), RunState::running);
    const RunSummary summary = lab_->run(1).summary.value();
    EXPECT_EQ(summary.iterations, 50);
    EXPECT_EQ(summary.best_validation_loss, 1.47);
    EXPECT_EQ(summary.best_iteration, 40);
    EXPECT_EQ(summary.final_validation_loss, 1.75);
    EXPECT_EQ(summary.whole_validation_loss, 1.5);
    EXPECT_EQ(summary.test_loss, 1.625);
    EXPECT_EQ(summary.final_training_loss, 0.8);
    EXPECT_EQ(summary.seconds, 12.5);
    EXPECT_EQ(summary.tokens_per_second, 1e5);
}

// Only of these tokens is it known that each is a character or a byte.
TEST_F(LabEvents, SummariesSayWhetherTokensMayBeLonger) {
    for (const auto& [vocabulary, settings, longer] :
         std::vector<std::tuple<const char*, const char*, bool>>{{"characters:97", "{}", false},
                                                                 {"bytes:97", "{}", false},
                                                                 {"sentencepiece:", "{}", true},
                                                                 {"normalized-sentencepiece:", "{}", true},
                                                                 {"byte-level-bpe:", "{}", true},
                                                                 {"words:", "{}", true},
                                                                 {"", R"({"imported":"wandb"})", true}}) {
        const RunId run = lab_->add_run(1, vocabulary, settings);
        lab_->set_vocabulary(run, vocabulary, 1);
        record({event::RunEnded{run, RunState::finished, "", summary_of(1)}});
        EXPECT_EQ(lab_->run(run).summary->subwords, longer) << vocabulary << settings;
    }
}

TEST_F(LabEvents, AFailedSweepEndsItsRuns) {
    record({cohort_started({1, 2}), event::RunEnded{1, RunState::finished, "", summary_of(50)},
            event::SweepEnded{RunState::failed, "Out of memory."}});
    EXPECT_EQ(state(1), RunState::finished);
    EXPECT_EQ(state(2), RunState::failed);
    EXPECT_EQ(lab_->run(2).message, "Out of memory.");
    EXPECT_EQ(state(3), RunState::waiting);
}

TEST_F(LabEvents, ResumingDeletesMetricsAfterTheCheckpoint) {
    record(trained(1, 30));
    record({event::RunEnded{1, RunState::stopped, "", summary_of(30)}});
    record({cohort_started({1}, 20)});
    EXPECT_EQ(lab_->run(1).iteration, 20);
    EXPECT_FALSE(lab_->run(1).summary);
    EXPECT_EQ(lab_->metrics(1).evaluations.iteration.back(), 20);
    EXPECT_EQ(lab_->metrics(1).latest_sample->iteration, 20);
    record(trained(1, 40));  // existing steps are replaced
    EXPECT_EQ(lab_->metrics(1).steps.iteration.size(), 40U);
}

TEST_F(LabEvents, CutBackDeletesLaterMetrics) {
    record(trained(1, 30));
    record(trained(2, 30));
    record({event::RunEnded{1, RunState::stopped, "", summary_of(30)}});
    lab_->discard_after(1, 15);
    EXPECT_EQ(lab_->run(1).iteration, 15);
    EXPECT_FALSE(lab_->run(1).summary);
    EXPECT_EQ(lab_->metrics(1).evaluations.iteration, (std::vector<std::int64_t>{10}));
    EXPECT_EQ(lab_->samples(1).size(), 1U);
    EXPECT_EQ(lab_->run(2).iteration, 30);
    lab_->discard_after(1, 0);
    EXPECT_EQ(lab_->run(1).iteration, 0);
}

TEST_F(LabEvents, EventsOfPurgedRunsAreIgnored) {
    lab_->delete_run(2);
    lab_->purge();
    record({cohort_started({1, 2}), step(1, 1), step(2, 1), event::Evaluated{2, 1, 1, 1}, event::Sampled{2, 1, "x"},
            event::RunEnded{2, RunState::finished, "", summary_of(1)}});
    EXPECT_EQ(lab_->run(1).iteration, 1);
    EXPECT_EQ(lab_->runs().size(), 2U);
}

TEST_F(LabEvents, RecoverStopsRunsOfATerminatedProgram) {
    record({cohort_started({1, 2}), event::RunEnded{1, RunState::finished, "", summary_of(5)}});
    lab_ = LabFile::open(path_);
    EXPECT_EQ(lab_->recover(), 1);
    EXPECT_EQ(state(2), RunState::stopped);
    EXPECT_EQ(state(1), RunState::finished);
    EXPECT_EQ(lab_->recover(), 0);
}

// A second program window that opens the lab must not stop the runs that the first one is training.
TEST_F(LabEvents, RecoverDoesNotChangeRunsOfARunningProgram) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe(ready.data()), 0);
    lab_.reset();
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child process never outlives this test
        const auto lab = LabFile::open(path_);
        lab->record(std::vector<Event>{cohort_started({1})});
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        while (true) ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    lab_ = LabFile::open(path_);
    EXPECT_EQ(lab_->recover(), 0);
    EXPECT_EQ(state(1), RunState::running);
    event::Progress paused;
    paused.paused = true;
    record({paused, event::SweepEnded{}});  // events of this program do not affect that run
    EXPECT_EQ(state(1), RunState::running);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(lab_->recover(), 1);
    EXPECT_EQ(state(1), RunState::stopped);
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_F(LabEvents, ALongSweepNeedsFewBytesPerStep) {
    for (RunId run = 1; run <= 3; ++run) {
        std::vector<Event> events;
        for (std::int64_t i = 1; i <= 5000; ++i) events.emplace_back(step(run, i));
        lab_->record(events);
    }
    lab_.reset();
    EXPECT_LT(std::filesystem::file_size(path_), 60U * 3 * 5000);  // bytes per step * runs * steps
    EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->metrics(3).steps.iteration.size(), 5000U);
}

}  // namespace
}  // namespace ropelab
