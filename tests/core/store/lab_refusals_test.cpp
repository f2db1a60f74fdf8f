#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "core/base/error.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

void run_sql(const std::filesystem::path& path, const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
}

// Runs `body` in a child process without any permissions. Returns true if `body` returned true.
bool without_permissions(const std::function<bool()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool lowered = ::getuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0);
        bool good = false;
        try {
            good = lowered && body();
        } catch (const std::exception& problem) {
            std::fprintf(stderr, "%s\n", problem.what());
        }
        ::_exit(good ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class LabRefusals : public testing::Test {
 protected:
    static std::string refusal(const std::filesystem::path& path, LabFile::Mode mode) {
        return ROPELAB_SENTENCE_OF(LabFile::open(path, mode), BadInput);
    }
    // The error message is the same for reading and writing, and the file is unchanged.
    static std::string refusal(const std::filesystem::path& path) {
        const bool file = std::filesystem::is_regular_file(path);
        const std::string before = file ? read_file(path) : "";
        std::string sentence = refusal(path, LabFile::Mode::write);
        EXPECT_EQ(refusal(path, LabFile::Mode::read), sentence);
        if (file) {
            EXPECT_EQ(read_file(path), before);
        }
        return sentence;
    }
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.ropelab";
};

TEST_F(LabRefusals, OpensLabsOnly) {
    EXPECT_THAT(refusal(path_), HasSubstr("There is no file"));
    EXPECT_THAT(refusal(folder_.path()), HasSubstr("is not a file"));
    EXPECT_THAT(refusal(folder_.write("empty", "")), EndsWith("empty is not a RoPE Lab file."));
    EXPECT_THAT(refusal(folder_.write("text", std::string(5000, 'x'))), EndsWith("text is not a RoPE Lab file."));
    EXPECT_THAT(refusal(folder_.write("short", "x")), HasSubstr("is not a RoPE Lab file."));
    run_sql(folder_.path() / "other.db", "CREATE TABLE other (x)");
    EXPECT_THAT(refusal(folder_.path() / "other.db"), HasSubstr("is an SQLite database, but not a RoPE Lab file."));
}

TEST_F(LabRefusals, RejectsLabsOfANewerProgram) {
    lab_with_runs(path_, 1);
    run_sql(path_, "PRAGMA user_version = 99");
    EXPECT_THAT(refusal(path_), HasSubstr("written by a newer RoPE Lab (file version 99"));
}

TEST_F(LabRefusals, RejectsVersionsThatNoProgramWrites) {
    lab_with_runs(path_, 1);
    run_sql(path_, "PRAGMA user_version = -1");
    EXPECT_THAT(refusal(path_), HasSubstr("has the file version -1, but the versions of lab files start at 1"));
}

TEST_F(LabRefusals, CreateDoesNotReplaceAFile) {
    folder_.write("x.ropelab", "precious");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(LabFile::create(path_), BadInput), HasSubstr("already exists"));
    EXPECT_EQ(read_file(path_), "precious");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(LabFile::create(folder_.path() / "no folder" / "x"), BadInput),
                HasSubstr("cannot be created: No such file or directory."));
}

TEST_F(LabRefusals, CreateRejectsLeftoverCheckpoints) {
    {
        const auto lab = lab_with_runs(path_, 1);
        write_checkpoint_of(*lab, 1, 3.0F);
    }
    std::filesystem::remove(path_);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(LabFile::create(path_), BadInput),
                HasSubstr("contains checkpoints of another lab"));
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(LabRefusals, NamesMissingRunsAndExperiments) {
    const auto lab = lab_with_runs(path_, 1);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab->run(7), BadInput), HasSubstr("There is no run 7 in "));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab->run(7), BadInput), HasSubstr("; its only run is 1."));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab->add_run(9, "", "{}"), BadInput), HasSubstr("There is no experiment 9 in "));
    EXPECT_THROW(lab->rename_run(7, ""), BadInput);
    EXPECT_THROW(lab->annotate_run(7, ""), BadInput);
    EXPECT_THROW(lab->set_vocabulary(7, ""), BadInput);
    EXPECT_THROW(lab->delete_run(7), BadInput);
    EXPECT_THROW(lab->restore_run(7), BadInput);
}

TEST_F(LabRefusals, AReaderCannotWrite) {
    lab_with_runs(path_, 1);
    const auto lab = LabFile::open(path_, LabFile::Mode::read);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(lab->rename_run(1, "x"), BadInput), HasSubstr("cannot be written"));
    EXPECT_THROW(lab->record(std::vector<Event>{step(1, 1)}), BadInput);
    EXPECT_EQ(lab->run(1).name, "run 1");
}

TEST_F(LabRefusals, ReadsButDoesNotWriteInAReadOnlyFolder) {
    lab_with_runs(path_, 1)->record(trained(1, 20));
    std::filesystem::permissions(path_, std::filesystem::perms(0444));
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
    EXPECT_TRUE(without_permissions([&] { return LabFile::open(path_, LabFile::Mode::read)->run(1).iteration == 20; }));
    EXPECT_TRUE(without_permissions([&] {
        try {
            LabFile::open(path_);
        } catch (const BadInput& problem) {
            return std::string(problem.what()).find("read-only") != std::string::npos;
        }
        return false;
    }));
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
}

// A damaged file is rejected or read in part; it never crashes the program.
TEST_F(LabRefusals, SurvivesDamage) {
    lab_with_runs(path_, 2)->record(trained(1, 300));
    const std::string whole = read_file(path_);
    std::mt19937 random(11);
    int refused = 0;
    for (int round = 0; round < 200; ++round) {
        std::string damaged = whole;
        if (round % 2 == 0) {
            damaged.resize(1 + random() % (whole.size() - 1));
        } else {
            for (int i = 0; i < 40; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
        }
        const auto path = folder_.write("damaged.ropelab", damaged);
        try {
            const auto lab = LabFile::open(path);
            for (const RunRecord& run : lab->runs()) lab->metrics(run.id);
            lab->record(trained(1, 5));
        } catch (const BadInput& problem) {
            EXPECT_THAT(problem.what(), EndsWith("."));
            ++refused;
        }
        for (const char* suffix : {"-wal", "-shm", "-journal"}) std::filesystem::remove(path.string() + suffix);
    }
    EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace ropelab
