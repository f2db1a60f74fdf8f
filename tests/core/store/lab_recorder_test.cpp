#include "core/store/lab_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/store/sqlite.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using namespace std::chrono_literals;

class LabRecorderTest : public testing::Test {
 protected:
    // Waits until the file contains `steps` steps of run 1; the time limit is generous for a loaded machine. Returns
    // false if it does not.
    bool waits_until_stored(std::int64_t steps) const {
        const auto lab = LabFile::open(path_, LabFile::Mode::read);
        for (int i = 0; i < 3000; ++i) {
            if (lab->run(1).iteration >= steps) return true;
            std::this_thread::sleep_for(10ms);
        }
        return false;
    }
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.ropelab";
};

TEST_F(LabRecorderTest, WritesInTheBackground) {
    lab_with_runs(path_, 1);
    LabRecorder recorder(path_);
    for (const Event& event : trained(1, 50)) recorder.record(event);
    EXPECT_TRUE(waits_until_stored(50));
    EXPECT_EQ(recorder.trouble(), "");
}

TEST_F(LabRecorderTest, FlushWaitsUntilEventsAreInTheFile) {
    const auto lab = lab_with_runs(path_, 1);
    LabRecorder recorder(path_);
    recorder.flush();  // returns immediately
    for (std::int64_t i = 1; i <= 20; ++i) {
        recorder.record(step(1, i));
        recorder.flush();
        ASSERT_EQ(lab->run(1).iteration, i);
    }
}

TEST_F(LabRecorderTest, TheDestructorWritesRemainingEvents) {
    const auto lab = lab_with_runs(path_, 1);
    {
        LabRecorder recorder(path_);
        for (const Event& event : trained(1, 1000)) recorder.record(event);
    }
    EXPECT_EQ(lab->run(1).iteration, 1000);
}

// What another program does to a lab that is being trained. The lab of 30 steps is then lost; `words` say how.
struct Loss {
    const char* words;
    void (*happens)(const std::filesystem::path& lab, const std::filesystem::path& other);
    bool rescued;
};

class LostLab : public LabRecorderTest, public testing::WithParamInterface<Loss> {};

TEST_P(LostLab, StopsTrainingAndKeepsItsResults) {
    lab_with_runs(path_, 1);
    const auto other = folder_.path() / "other.ropelab";
    lab_with_runs(other, 3)->add_experiment("another lab", "{}");
    sqlite::Connection(other, sqlite::Access::write).run("UPDATE experiment SET created = 'another time'");
    std::string message;
    {
        LabRecorder recorder(path_);
        for (const Event& event : trained(1, 30)) recorder.record(event);
        ASSERT_TRUE(recorder.flush());
        EXPECT_NO_THROW(recorder.require_same_file());
        GetParam().happens(path_, other);
        const bool is_other_file = GetParam().rescued;
        if (is_other_file) {
            EXPECT_THROW(recorder.require_same_file(), LabLost) << "before anything is written";
        }
        for (std::int64_t i = 31; i <= 40; ++i) recorder.record(step(1, i));
        EXPECT_FALSE(recorder.flush());
        EXPECT_TRUE(recorder.lost());
        message = recorder.close();
    }
    EXPECT_THAT(message, testing::HasSubstr(GetParam().words));
    EXPECT_THAT(message, testing::HasSubstr("so training stopped"));
    const auto rescued = folder_.path() / "x.rescued.ropelab";
    EXPECT_EQ(std::filesystem::exists(rescued), GetParam().rescued);
    if (GetParam().rescued) {
        EXPECT_EQ(LabFile::open(rescued)->metrics(1).steps.iteration.size(), 40U);
    }
    if (std::filesystem::exists(path_) && std::filesystem::file_size(path_) > 4096) {
        EXPECT_EQ(LabFile::open(path_)->runs().size(), 3U);
        EXPECT_EQ(LabFile::open(path_)->run(1).iteration, 0) << "nothing was written into the other lab";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, LostLab,
    testing::Values(Loss{"was removed", [](const auto& lab, const auto&) { std::filesystem::remove(lab); }, true},
                    Loss{"was replaced",
                         [](const auto& lab, const auto& other) { std::filesystem::rename(other, lab); }, true},
                    Loss{"was cut or overwritten",
                         [](const auto& lab, const auto& other) {
                             std::ifstream from(other, std::ios::binary);
                             std::ofstream(lab, std::ios::binary) << from.rdbuf();
                         },
                         false},
                    Loss{"was cut or overwritten",
                         [](const auto& lab, const auto&) { std::filesystem::resize_file(lab, 2000); }, false}));

// Another program that opens and closes the lab merges its log into the file, which loses nothing.
TEST_F(LabRecorderTest, AMergedLogIsNoLoss) {
    lab_with_runs(path_, 1);
    LabRecorder recorder(path_);
    for (std::int64_t i = 1; i <= 5; ++i) {
        recorder.record(step(1, i));
        ASSERT_TRUE(recorder.flush());
        LabFile::open(path_)->annotate_run(1, "seen");
        sqlite::Connection(path_, sqlite::Access::write).run("PRAGMA wal_checkpoint(TRUNCATE)");
    }
    EXPECT_FALSE(recorder.lost());
    EXPECT_EQ(recorder.close(), "");
    EXPECT_EQ(LabFile::open(path_)->run(1).iteration, 5);
}

TEST_F(LabRecorderTest, AcceptsEventsFromSeveralThreads) {
    const auto lab = lab_with_runs(path_, 3);
    LabRecorder recorder(path_);
    std::vector<std::thread> threads;
    for (RunId run = 1; run <= 3; ++run) {
        threads.emplace_back([&recorder, run] {
            for (std::int64_t i = 1; i <= 500; ++i) recorder.record(step(run, i));
            recorder.flush();
        });
    }
    for (std::thread& thread : threads) thread.join();
    for (RunId run = 1; run <= 3; ++run) EXPECT_EQ(lab->metrics(run).steps.iteration.size(), 500U);
}

TEST_F(LabRecorderTest, PausesAndResumesRuns) {
    const auto lab = lab_with_runs(path_, 1);
    LabRecorder recorder(path_);
    recorder.record(cohort_started({1}));
    event::Progress progress;
    for (const bool paused : {false, true, true, false, true}) {
        progress.paused = paused;
        recorder.record(progress);
        recorder.flush();
        EXPECT_EQ(lab->run(1).state, paused ? RunState::paused : RunState::running);
    }
}

// Writes fail while a table is missing. The events stay queued and are written when the table exists again.
TEST_F(LabRecorderTest, RetriesAfterAFailedWrite) {
    const auto lab = lab_with_runs(path_, 1);
    LabRecorder recorder(path_);
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "ALTER TABLE step RENAME TO away", nullptr, nullptr, nullptr), SQLITE_OK);
    recorder.record(step(1, 1));
    EXPECT_FALSE(recorder.flush());
    EXPECT_THAT(recorder.trouble(), testing::HasSubstr("x.ropelab cannot be read or written"));
    recorder.record(step(1, 2));
    ASSERT_EQ(sqlite3_exec(other, "ALTER TABLE away RENAME TO step", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(other);
    EXPECT_EQ(lab->run(1).iteration, 0);
    EXPECT_TRUE(waits_until_stored(2));
    EXPECT_TRUE(recorder.flush());
    EXPECT_EQ(recorder.trouble(), "");
    EXPECT_EQ(recorder.close(), "");
    EXPECT_EQ(lab->metrics(1).steps.iteration.size(), 2U);
}

TEST_F(LabRecorderTest, CloseReportsEventsThatCouldNotBeWritten) {
    const auto lab = lab_with_runs(path_, 1);
    LabRecorder recorder(path_);
    recorder.record(step(1, 1));
    EXPECT_TRUE(recorder.flush());
    sqlite::Connection(path_, sqlite::Access::write)
        .run("CREATE TRIGGER full BEFORE INSERT ON step BEGIN SELECT RAISE(ABORT, 'full'); END");
    recorder.record(step(1, 2));
    const std::string lost = recorder.close();
    EXPECT_THAT(lost, testing::HasSubstr("Some results of this training are missing from the lab file, because " +
                                         path_.string()));
    EXPECT_EQ(recorder.close(), lost);
    EXPECT_EQ(lab->run(1).iteration, 1);
}

TEST_F(LabRecorderTest, OpensLabsOnly) {
    EXPECT_THROW(LabRecorder(folder_.write("text", "no lab")), BadInput);
}

// A program that is killed during training leaves a valid file with the recorded events, even without a flush.
TEST_F(LabRecorderTest, KeepsRecordedEventsWhenKilled) {
    lab_with_runs(path_, 1);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child process never outlives this test
        LabRecorder recorder(path_);
        recorder.record(cohort_started({1}));
        for (std::int64_t i = 1;; ++i) {
            recorder.record(step(1, i));
            std::this_thread::sleep_for(1ms);
        }
    }
    const bool recorded = waits_until_stored(300);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(recorded);

    const auto lab = LabFile::open(path_);
    const RunMetrics metrics = lab->metrics(1);
    ASSERT_GE(metrics.steps.iteration.size(), 300U);
    for (std::size_t i = 0; i < metrics.steps.iteration.size(); ++i) {
        const event::Step expected = step(1, static_cast<std::int64_t>(i) + 1);
        ASSERT_EQ(metrics.steps.iteration[i], expected.iteration);
        ASSERT_EQ(metrics.steps.training_loss[i], expected.training_loss);
    }
    EXPECT_EQ(lab->run(1).conditions->precision, "bfloat16");
    EXPECT_EQ(lab->recover(), 1);
    EXPECT_EQ(lab->run(1).state, RunState::stopped);
}

}  // namespace
}  // namespace ropelab
