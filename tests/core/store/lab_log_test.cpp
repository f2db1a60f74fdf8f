// A log beside a lab that is the log of another file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

fs::path with(fs::path path, const char* suffix) {
    return path += suffix;
}

class LabLog : public testing::Test {
 protected:
    void SetUp() override {
        for (const char* name : {"a", "b", "crashed", "restored"}) fs::create_directory(folder_ / name);
    }

    // Copies a lab and its log while it is open, as a crash leaves them.
    static void crash(const fs::path& from, const fs::path& to) {
        for (const char* suffix : {"", "-wal"}) fs::copy_file(with(from, suffix), with(to, suffix));
    }

    // Opening the lab is refused with a sentence that names the log, and changes nothing in its folder.
    static void expect_refused(const fs::path& lab, const char* suffix) {
        std::map<fs::path, std::string> before;
        for (const auto& entry : fs::directory_iterator(lab.parent_path()))
            before[entry.path()] = read_file(entry.path());
        for (const LabFile::Mode mode : {LabFile::Mode::read, LabFile::Mode::write}) {
            const std::string sentence = ROPELAB_SENTENCE_OF(LabFile::open(lab, mode), BadInput);
            EXPECT_THAT(sentence, HasSubstr("The log " + with(lab, suffix).string() + " belongs to another file"));
            std::map<fs::path, std::string> after;
            for (const auto& entry : fs::directory_iterator(lab.parent_path()))
                after[entry.path()] = read_file(entry.path());
            EXPECT_TRUE(after == before) << "a file of the folder changed";
        }
    }

    ScratchFolder folder_;
};

TEST_F(LabLog, ACrashedLabOpensWithItsOwnLog) {
    const auto lab = lab_with_runs(folder_ / "a/x.ropelab", 2);
    lab->record(trained(1, 500));
    crash(folder_ / "a/x.ropelab", folder_ / "crashed/x.ropelab");
    EXPECT_EQ(LabFile::open(folder_ / "crashed/x.ropelab", LabFile::Mode::read)->run(1).iteration, 500);
    EXPECT_EQ(LabFile::open(folder_ / "crashed/x.ropelab")->run(1).iteration, 500);
    EXPECT_FALSE(fs::exists(folder_ / "crashed/x.ropelab-wal"));
}

// A part of its log may be merged already, in any order of the pages.
TEST_F(LabLog, ALabOpensIfItCrashedWhileItsLogWasMerged) {
    const auto lab = lab_with_runs(folder_ / "a/x.ropelab", 2);
    lab->record(trained(1, 900));
    crash(folder_ / "a/x.ropelab", folder_ / "crashed/x.ropelab");
    crash(folder_ / "a/x.ropelab", folder_ / "b/x.ropelab");
    LabFile::open(folder_ / "b/x.ropelab").reset();  // merges the whole log
    const std::string merged = read_file(folder_ / "b/x.ropelab");
    std::string partly = read_file(folder_ / "crashed/x.ropelab");
    constexpr std::size_t page = 4096;
    partly.resize(merged.size());
    for (std::size_t at = page; at < merged.size(); at += 2 * page) partly.replace(at, page, merged, at, page);
    std::ofstream(folder_ / "crashed/x.ropelab", std::ios::binary) << partly;
    EXPECT_EQ(LabFile::open(folder_ / "crashed/x.ropelab")->run(1).iteration, 900);
}

TEST_F(LabLog, TheLogOfAnotherProgramIsNotMerged) {
    lab_with_runs(folder_ / "a/x.ropelab", 2)->record(trained(1, 100));
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "b/x.ropelab").c_str(), &other), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(other, "PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)", nullptr,
                           nullptr, nullptr),
              SQLITE_OK);
    fs::copy_file(folder_ / "b/x.ropelab-wal", folder_ / "a/x.ropelab-wal");
    sqlite3_close(other);
    expect_refused(folder_ / "a/x.ropelab", "-wal");
    const auto third = lab_with_runs(folder_ / "b/third.ropelab", 1);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(third->merge(folder_ / "a/x.ropelab"), BadInput), HasSubstr("belongs to another"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(third->save_as(folder_ / "a/x.ropelab"), BadInput),
                HasSubstr("belongs to another"));
    fs::remove(folder_ / "a/x.ropelab-wal");
    EXPECT_EQ(LabFile::open(folder_ / "a/x.ropelab")->run(1).iteration, 100);
}

TEST_F(LabLog, TheLogOfAnotherLabIsNotMerged) {
    lab_with_runs(folder_ / "a/x.ropelab", 2)->record(trained(1, 300));
    const auto other = LabFile::create(folder_ / "b/x.ropelab");
    other->add_run(other->add_experiment("other", "{}"), "other", R"({"theta":7})");
    other->record(trained(1, 200));
    fs::copy_file(folder_ / "b/x.ropelab-wal", folder_ / "a/x.ropelab-wal");
    expect_refused(folder_ / "a/x.ropelab", "-wal");
}

// A backup of the same lab, restored over a lab that crashed later.
TEST_F(LabLog, TheLogOfALaterStateIsNotMerged) {
    const fs::path path = folder_ / "a/x.ropelab";
    lab_with_runs(path, 2)->record(trained(1, 100));
    fs::copy_file(path, folder_ / "restored/x.ropelab");
    LabFile::open(path)->record(trained(1, 1500));
    const auto lab = LabFile::open(path);
    lab->record(trained(2, 700));
    fs::copy_file(with(path, "-wal"), folder_ / "restored/x.ropelab-wal");
    expect_refused(folder_ / "restored/x.ropelab", "-wal");
}

TEST_F(LabLog, ARollbackJournalOfAnotherFileIsNotUsed) {
    const fs::path path = folder_ / "a/x.ropelab";
    lab_with_runs(path, 2)->record(trained(1, 300));
    const auto hot = [&](const fs::path& from, const fs::path& to, const char* sql) {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(from.c_str(), &database), SQLITE_OK);
        // With a cache this small, changed pages are written before the end of the transaction.
        const std::string all = std::string("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; ") + sql;
        ASSERT_EQ(sqlite3_exec(database, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        fs::copy_file(with(from, "-journal"), with(to, "-journal"));
        if (!fs::exists(to)) fs::copy_file(from, to);
        sqlite3_close(database);
    };
    hot(path, folder_ / "crashed/x.ropelab", "UPDATE step SET training_loss = 9");
    EXPECT_EQ(LabFile::open(folder_ / "crashed/x.ropelab")->metrics(1).steps.training_loss.at(0), 2.0);
    lab_with_runs(folder_ / "b/x.ropelab", 1)->record(trained(1, 2000));
    hot(folder_ / "b/x.ropelab", path, "UPDATE step SET training_loss = 9");
    expect_refused(path, "-journal");
}

TEST_F(LabLog, TheSharedLogIsRefused) {
    const fs::path given = shared_data("../hostile/round4/foreign-wal");
    if (!fs::exists(given)) GTEST_SKIP() << given << " is not there.";
    for (const char* suffix : {"", "-wal"}) {
        fs::copy_file(with(given / "lab.ropelab", suffix), with(folder_ / "a/lab.ropelab", suffix));
    }
    expect_refused(folder_ / "a/lab.ropelab", "-wal");
}

// SQLite creates empty files beside a database with a log, which a reader cannot remove.
TEST_F(LabLog, RefusedFilesLeaveNothingBeside) {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open((folder_ / "b/x.ropelab").c_str(), &other), SQLITE_OK);
    sqlite3_exec(other, "PRAGMA journal_mode = WAL; CREATE TABLE t (x)", nullptr, nullptr, nullptr);
    sqlite3_close(other);
    EXPECT_THROW(LabFile::open(folder_ / "b/x.ropelab", LabFile::Mode::read), BadInput);
    EXPECT_EQ(files_in(folder_ / "b"), 1U);
}

}  // namespace
}  // namespace ropelab
