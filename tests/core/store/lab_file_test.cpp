#include "core/store/lab_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sqlite3.h>
#include <cmath>

#include <atomic>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/source_file.h"

namespace ropelab {
namespace {

using testing::MatchesRegex;

class LabFileTest : public testing::Test {
 protected:
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "50% off? #1.ropelab";  // characters with a meaning in URIs
};

TEST_F(LabFileTest, StoresExperimentsAndRuns) {
    auto lab = LabFile::create(path_);
    EXPECT_TRUE(lab->experiments().empty());
    const std::int64_t first = lab->add_experiment("θ sweep", R"({"theta":[500,1000]})");
    const std::int64_t second = lab->add_experiment("", "{}");
    const RunId run = lab->add_run(second, "θ = 500", R"({"theta":500})");
    lab->set_vocabulary(run, "ab\ncd");
    lab = LabFile::open(path_);
    ASSERT_EQ(lab->experiments().size(), 2U);
    EXPECT_EQ(lab->experiments()[0].id, first);
    EXPECT_EQ(lab->experiments()[0].name, "θ sweep");
    EXPECT_EQ(lab->experiments()[0].description, R"({"theta":[500,1000]})");
    EXPECT_THAT(lab->experiments()[0].created, MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z"));
    ASSERT_EQ(lab->runs().size(), 1U);
    const RunRecord record = lab->runs()[0];
    EXPECT_EQ(record.id, run);
    EXPECT_EQ(record.experiment, second);
    EXPECT_EQ(record.name, "θ = 500");
    EXPECT_EQ(record.note, "");
    EXPECT_EQ(record.settings, R"({"theta":500})");
    EXPECT_EQ(record.vocabulary, "ab\ncd");
    EXPECT_TRUE(std::isnan(record.bytes_per_token));
    EXPECT_EQ(record.state, RunState::waiting);
    EXPECT_FALSE(record.conditions);
    EXPECT_FALSE(record.summary);
    EXPECT_EQ(record.iteration, 0);
}

TEST_F(LabFileTest, RunsCanBeRenamedAnnotatedDeletedAndRestored) {
    const auto lab = lab_with_runs(path_, 3);
    lab->rename_run(1, "mine");
    lab->annotate_run(1, "with a note");
    EXPECT_EQ(lab->run(1).name, "mine");
    EXPECT_EQ(lab->run(1).note, "with a note");
    lab->delete_run(2);
    ASSERT_EQ(lab->runs().size(), 2U);
    EXPECT_EQ(lab->runs()[1].id, 3);
    EXPECT_EQ(lab->run(2).name, "run 2");
    lab->restore_run(2);
    EXPECT_EQ(lab->runs().size(), 3U);
}

TEST_F(LabFileTest, PurgeRemovesDeletedRunsAndTheirCheckpoints) {
    const auto lab = lab_with_runs(path_, 3);
    lab->record(trained(3, 20));
    for (RunId run = 1; run <= 3; ++run) write_checkpoint_of(*lab, run, 1.0F);
    lab->delete_run(3);
    lab->purge();
    EXPECT_EQ(lab->runs().size(), 2U);
    EXPECT_THROW(lab->run(3), BadInput);
    EXPECT_TRUE(lab->metrics(3).steps.iteration.empty());
    EXPECT_FALSE(std::filesystem::exists(lab->checkpoint_path(3)));
    EXPECT_TRUE(std::filesystem::exists(lab->checkpoint_path(2)));
    EXPECT_EQ(lab->add_run(1, "new", "{}"), 4);  // a purged run's id is not reused
    lab->delete_run(4);
    lab->purge();  // a run without a checkpoint
}

TEST_F(LabFileTest, PurgeLeavesRunsWhoseCheckpointCannotBeRemoved) {
    const auto lab = lab_with_runs(path_, 2);
    for (RunId run = 1; run <= 2; ++run) lab->delete_run(run);
    const std::filesystem::path stuck = lab->checkpoint_path(1);
    std::filesystem::create_directories(stuck / "inside");  // a folder with contents is not removed as a file
    write_checkpoint_of(*lab, 2, 1.0F);
    lab->purge();
    EXPECT_NO_THROW(lab->run(1));
    EXPECT_THROW(lab->run(2), BadInput);
    EXPECT_FALSE(std::filesystem::exists(lab->checkpoint_path(2)));
    std::filesystem::remove_all(stuck);
    lab->purge();
    EXPECT_THROW(lab->run(1), BadInput);
}

TEST_F(LabFileTest, CheckpointsAreStoredNextToTheFile) {
    const auto lab = lab_with_runs(path_, 1);
    EXPECT_FALSE(std::filesystem::exists(path_.string() + ".checkpoints"));
    EXPECT_EQ(lab->checkpoint_folder(), path_.string() + ".checkpoints");
    EXPECT_TRUE(std::filesystem::is_directory(lab->checkpoint_folder()));
    EXPECT_EQ(lab->checkpoint_path(7).parent_path(), lab->checkpoint_folder());
    EXPECT_NE(lab->checkpoint_path(7), lab->checkpoint_path(8));
}

TEST_F(LabFileTest, AClosedLabConsistsOfOneFile) {
    lab_with_runs(path_, 3)->record(trained(1, 100));
    EXPECT_EQ(files_in(folder_.path()), 1U);
}

// While a reader has the lab open, the writer's log remains, but the file alone is complete.
TEST_F(LabFileTest, AClosedWriterLeavesACompleteFileDespiteAnOpenReader) {
    auto writer = lab_with_runs(path_, 1);
    const auto reader = LabFile::open(path_, LabFile::Mode::read);
    EXPECT_EQ(reader->runs().size(), 1U);
    writer->record(trained(1, 100));
    writer.reset();
    std::filesystem::copy_file(path_, folder_.path() / "copy.ropelab");
    EXPECT_EQ(LabFile::open(folder_.path() / "copy.ropelab")->run(1).iteration, 100);
    EXPECT_EQ(reader->run(1).iteration, 100);
}

TEST_F(LabFileTest, OthersCanReadWhileOneWrites) {
    lab_with_runs(path_, 2);
    std::atomic<bool> done = false;
    std::thread writing([&] {
        const auto lab = LabFile::open(path_);
        for (std::int64_t i = 1; i <= 300; ++i) {
            lab->record(std::vector<Event>{step(1, i), event::Evaluated{1, i, 1, 1}, step(2, i)});
        }
        done = true;
    });
    const auto reader = LabFile::open(path_, LabFile::Mode::read);
    std::size_t seen = 0;
    while (!done) {
        const RunMetrics metrics = reader->metrics(1);
        // A reader sees each transaction completely or not at all, and never an older state than before.
        EXPECT_EQ(metrics.steps.iteration.size(), metrics.evaluations.iteration.size());
        EXPECT_GE(metrics.steps.iteration.size(), seen);
        seen = metrics.steps.iteration.size();
    }
    writing.join();
    EXPECT_EQ(reader->metrics(2).steps.iteration.size(), 300U);
}

TEST_F(LabFileTest, TwoWritersCanAlternate) {
    lab_with_runs(path_, 2);
    std::vector<std::thread> threads;
    for (RunId run = 1; run <= 2; ++run) {
        threads.emplace_back([this, run] {
            const auto lab = LabFile::open(path_);
            for (std::int64_t i = 1; i <= 200; ++i) lab->record(std::vector<Event>{step(run, i)});
        });
    }
    for (std::thread& thread : threads) thread.join();
    const auto lab = LabFile::open(path_, LabFile::Mode::read);
    EXPECT_EQ(lab->run(1).iteration, 200);
    EXPECT_EQ(lab->run(2).iteration, 200);
}

// Reading a lab leaves no files next to it and does not remove the log of a program that has the lab open.
TEST_F(LabFileTest, AReaderLeavesNoFilesBehind) {
    lab_with_runs(path_, 1)->record(trained(1, 50));
    const auto is_there = [&](const char* suffix) { return std::filesystem::exists(path_.string() + suffix); };
    ASSERT_FALSE(is_there("-wal"));
    const auto before = std::filesystem::last_write_time(path_);
    EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->run(1).iteration, 50);
    EXPECT_FALSE(is_there("-wal"));
    EXPECT_FALSE(is_there("-shm"));
    EXPECT_EQ(std::filesystem::last_write_time(path_), before);
    const auto writer = LabFile::open(path_);
    EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->run(1).iteration, 50);
    writer->record(std::vector<Event>{step(1, 51)});
    EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->run(1).iteration, 51);
}

// SQLite's VFS "unix-dotfile" is for file systems without shared memory and does not support the write-ahead log.
TEST_F(LabFileTest, FallsBackToARollbackJournal) {
    sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
    sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1);
    {
        const auto lab = lab_with_runs(path_, 1);
        lab->record(trained(1, 50));
        EXPECT_FALSE(std::filesystem::exists(path_.string() + "-wal"));
        EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->run(1).iteration, 50);
        lab->record(std::vector<Event>{step(1, 51)});
    }
    sqlite3_vfs_register(usual, 1);
    EXPECT_EQ(LabFile::open(path_)->run(1).iteration, 51);
}

// In a folder that cannot be written, a lab with a write-ahead log can be read only as immutable, and elsewhere reading
// it would leave files beside it.
TEST(RecordedLabs, OfLecturesAreSingleFilesWithoutAWriteAheadLog) {
    const std::filesystem::path folder = source_file("resources/lectures/labs");
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        EXPECT_EQ(entry.path().extension(), ".ropelab");
        std::ifstream file(entry.path(), std::ios::binary);
        std::string header(20, '\0');
        file.read(header.data(), 20);
        // The versions of the file format for writing and reading: 1 with a rollback journal, 2 with a write-ahead log.
        EXPECT_EQ(header.substr(18), "\1\1") << entry.path();
    }
}

}  // namespace
}  // namespace ropelab
