#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "core/base/error.h"
#include "core/store/sqlite.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LabWriters : public testing::Test {
 protected:
    ~LabWriters() override { end_other(); }

    // Starts another process that claims these runs and runs until end_other. Must not be called while this process has
    // the lab open, because SQLite connections do not survive a fork.
    void start_other(const std::vector<RunId>& runs) {
        lab_.reset();
        std::array<int, 2> ready{};
        ASSERT_EQ(::pipe(ready.data()), 0);
        other_ = ::fork();
        ASSERT_GE(other_, 0);
        if (other_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child process never outlives this test
            const auto lab = LabFile::open(path_);
            lab->claim(runs);
            if (::write(ready[1], "x", 1) != 1) ::_exit(1);
            while (true) ::pause();
        }
        char byte = 0;
        ASSERT_EQ(::read(ready[0], &byte, 1), 1);
        ::close(ready[0]);
        ::close(ready[1]);
        lab_ = LabFile::open(path_);
    }
    void end_other() {
        if (other_ <= 0) return;
        ::kill(other_, SIGKILL);
        ::waitpid(other_, nullptr, 0);
        other_ = 0;
    }
    std::vector<RunId> claimed_elsewhere() const {
        std::vector<RunId> runs;
        for (const ClaimedRun& run : lab_->claimed_runs()) runs.push_back(run.id);
        return runs;
    }
    void as_on_another_machine(RunId run) {
        lab_->record(std::vector<Event>{cohort_started({run})});
        sqlite::Connection(path_, sqlite::Access::write)
            .query("UPDATE run SET writer = 'node7 12 34' WHERE id = ?")
            .with(run)
            .run();
    }

    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.ropelab";
    std::unique_ptr<LabFile> lab_ = lab_with_runs(path_, 3);
    pid_t other_ = 0;
};

TEST_F(LabWriters, RunsClaimedByARunningProgramCannotBeClaimed) {
    start_other({1, 3});
    EXPECT_EQ(lab_->recover(), 0);
    EXPECT_EQ(claimed_elsewhere(), (std::vector<RunId>{1, 3}));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->claim({2, 3}), BadInput),
                HasSubstr("Another program is training a run of " + path_.string()));
    EXPECT_THAT(lab_->words_of(lab_->claimed_runs()), HasSubstr("training 2 runs of"));
    EXPECT_NO_THROW(lab_->claim({2}));
    EXPECT_EQ(claimed_elsewhere(), (std::vector<RunId>{1, 3}))
        << "runs claimed by this process are not claimed by others";
    end_other();
    EXPECT_TRUE(claimed_elsewhere().empty());
    EXPECT_EQ(lab_->words_of({}), "");
    EXPECT_NO_THROW(lab_->claim({1, 2, 3}));
}

TEST_F(LabWriters, ARejectedClaimChangesNothing) {
    start_other({1});
    EXPECT_THROW(lab_->claim({2, 1}), BadInput);
    EXPECT_EQ(sqlite::Connection(path_, sqlite::Access::read).number("SELECT COUNT(*) FROM run WHERE writer <> ''"), 1);
}

TEST_F(LabWriters, RunsFinishedByAnotherProgramCannotBeClaimed) {
    lab_->record(std::vector<Event>{event::RunEnded{2, RunState::finished, "", summary_of(5)}});
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->claim({1, 2}), BadInput), HasSubstr("finished the run \"run 2\""));
    EXPECT_EQ(sqlite::Connection(path_, sqlite::Access::read).number("SELECT COUNT(*) FROM run WHERE writer <> ''"), 0);
}

TEST_F(LabWriters, EndedRunsAreReleased) {
    lab_->claim({1, 2, 3});
    lab_->record(std::vector<Event>{cohort_started({1}), event::RunEnded{1, RunState::stopped, "", {}}});
    const sqlite::Connection reader(path_, sqlite::Access::read);
    EXPECT_EQ(reader.number("SELECT COUNT(*) FROM run WHERE writer <> ''"), 2);
    lab_->record(std::vector<Event>{event::SweepEnded{}});
    EXPECT_EQ(reader.number("SELECT COUNT(*) FROM run WHERE writer <> ''"), 0);
    EXPECT_EQ(lab_->run(2).state, RunState::waiting);
}

// The state of a program on another machine is unknown, so its runs stay claimed until the user says that it has ended.
TEST_F(LabWriters, RunsOfAnotherMachineAreTakenOverOnlyOnRequest) {
    as_on_another_machine(2);
    EXPECT_EQ(lab_->recover(), 0);
    EXPECT_EQ(lab_->run(2).state, RunState::running);
    EXPECT_EQ(claimed_elsewhere(), (std::vector<RunId>{2}));
    EXPECT_EQ(lab_->claimed_runs()[0].host, "node7");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab_->claim({2}), BadInput),
                AllOf(HasSubstr("the machine node7"), HasSubstr("sweep --resume --take-over --lab " + path_.string())));
    EXPECT_EQ(lab_->recover(true), 1);
    EXPECT_EQ(lab_->run(2).state, RunState::stopped);
    EXPECT_TRUE(claimed_elsewhere().empty());
}

TEST_F(LabWriters, TakingOverDoesNotAffectARunningProgramOnThisMachine) {
    start_other({1});
    EXPECT_EQ(lab_->recover(true), 0);
    EXPECT_EQ(claimed_elsewhere(), (std::vector<RunId>{1}));
}

}  // namespace
}  // namespace ropelab
