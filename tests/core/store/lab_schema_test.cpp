#include "core/store/lab_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/contract/training_clock.h"
#include "tests/core/store/lab_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

constexpr const char* first = "CREATE TABLE thing (name TEXT NOT NULL); INSERT INTO thing VALUES ('kept');";
constexpr const char* second = "ALTER TABLE thing ADD COLUMN size REAL;";
constexpr const char* broken = "ALTER TABLE thing ADD COLUMN colour TEXT; CREATE TABLE thing (twice TEXT);";

class LabSchema : public testing::Test {
 protected:
    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.write("x.ropelab", "");
    sqlite::Connection database_{path_, sqlite::Access::write};
};

TEST_F(LabSchema, MigratesStepByStepAndKeepsTheData) {
    const std::array<const char*, 1> old = {first};
    migrate(database_, old);
    EXPECT_EQ(checked_version(database_, path_, old), 1);
    const std::array<const char*, 2> now = {first, second};
    EXPECT_EQ(checked_version(database_, path_, now), 1);
    migrate(database_, now);
    migrate(database_, now);  // changes nothing
    EXPECT_EQ(checked_version(database_, path_, now), 2);
    EXPECT_EQ(database_.number("SELECT COUNT(size) + COUNT(*) FROM thing"), 1);
    EXPECT_THAT(ROPELAB_SENTENCE_OF(checked_version(database_, path_, old), BadInput),
                HasSubstr("written by a newer RoPE Lab (file version 2, this program reads up to 1)"));
}

TEST_F(LabSchema, AFailedMigrationChangesNothing) {
    const std::array<const char*, 2> migrations = {first, broken};
    EXPECT_THROW(migrate(database_, migrations), BadInput);
    EXPECT_EQ(database_.number("PRAGMA user_version"), 1);
    EXPECT_EQ(database_.number("SELECT COUNT(*) FROM pragma_table_info('thing')"), 1);
}

TEST_F(LabSchema, ReleasedMigrationsCreateALab) {
    migrate(database_, lab_migrations());
    EXPECT_EQ(checked_version(database_, path_, lab_migrations()), static_cast<int>(lab_migrations().size()));
    EXPECT_EQ(database_.number("PRAGMA application_id"), lab_application_id);
}

TEST_F(LabSchema, OpensALabFromBeforeTextsWereStored) {
    migrate(database_, lab_migrations().first(3));
    database_.run(
        "INSERT INTO experiment (name, description, created) VALUES ('old', '{}', '2026-01-01T00:00:00Z');"
        "INSERT INTO run (experiment, name, settings, state, writer) VALUES (1, 'done', '{}', 'finished', 'node7 1 2'),"
        "(1, 'stopped', '{}', 'stopped', 'node7 1 2'), (1, 'running', '{}', 'running', 'node7 1 2')");
    const auto lab = LabFile::open(path_);
    for (const RunRecord& run : lab->runs()) EXPECT_FALSE(run.text);
    ASSERT_EQ(lab->claimed_runs().size(), 1U);
    EXPECT_EQ(lab->claimed_runs()[0].id, 3);
    EXPECT_EQ(database_.number("PRAGMA user_version"), static_cast<int>(lab_migrations().size()));
}

TEST_F(LabSchema, OpensALabFromBeforeKernelsWereStored) {
    migrate(database_, lab_migrations().first(4));
    database_.run(
        "INSERT INTO experiment (name, description, created) VALUES ('old', '{}', '2026-01-01T00:00:00Z');"
        "INSERT INTO run (experiment, name, settings, state) VALUES (1, 'done', '{}', 'finished');"
        "INSERT INTO conditions (run, precision, device, threads, reason) VALUES (1, 'bfloat16', 'cuda', 2, 'asked')");
    const RunRecord run = LabFile::open(path_)->run(1);
    ASSERT_TRUE(run.conditions);
    EXPECT_EQ(run.conditions->device, "cuda");
    EXPECT_EQ(run.conditions->graphs, "");
}

TEST_F(LabSchema, OpensALabFromBeforeSettingsHadNames) {
    migrate(database_, lab_migrations().first(8));
    database_.run("INSERT INTO setting_look (settings, color, pinned) VALUES ('{}', 5, 1)");
    const auto looks = LabFile::open(path_)->setting_looks();
    ASSERT_EQ(looks.size(), 1U);
    EXPECT_EQ(looks[0], (SettingLook{"{}", 5, true, ""}));
}

// Tokens of ASCII characters and bytes have one byte; that of other vocabularies is unknown in earlier labs.
TEST_F(LabSchema, OpensALabFromBeforeBytesPerTokenWereStored) {
    migrate(database_, lab_migrations().first(10));
    database_.run(
        "INSERT INTO experiment (name, description, created) VALUES ('old', '{}', '2026-01-01T00:00:00Z');"
        "INSERT INTO run (experiment, name, settings, state, vocabulary) VALUES"
        "(1, 'ascii', '{\"seed\":7}', 'finished', 'characters:97,98'), (1, 'bytes', '{}', 'finished', 'bytes:97,195'),"
        "(1, 'umlaut', '{}', 'finished', 'characters:97,252');"
        "INSERT INTO summary SELECT id, 100, 1.5, 90, 1.75, 1, 1.625, 1.25, 12.5, 1e5 FROM run;"
        "INSERT INTO evaluation (run, iteration, training_loss, validation_loss) VALUES (1, 90, 1.25, 1.5)");
    const auto lab = LabFile::open(path_);
    EXPECT_EQ(database_.number("PRAGMA user_version"), static_cast<int>(lab_migrations().size()));
    for (const RunId run : {1, 2}) {
        EXPECT_EQ(lab->run(run).bytes_per_token, 1);
        EXPECT_EQ(lab->run(run).summary->bytes_per_token, 1);
        EXPECT_EQ(lab->run(run).summary->best_validation_loss, 1.5);
    }
    EXPECT_TRUE(std::isnan(lab->run(3).bytes_per_token));
    EXPECT_EQ(lab->run(1).settings, R"({"seed":7})");
    EXPECT_EQ(lab->run(3).vocabulary, "characters:97,252");
    EXPECT_EQ(lab->metrics(1).evaluations.validation_loss, std::vector<double>{1.5});
    lab->set_vocabulary(3, "characters:97,252", 1.25);
    EXPECT_EQ(LabFile::open(path_)->run(3).summary->bytes_per_token, 1.25);
}

TEST_F(LabSchema, ALabWithOtherViewsTriggersOrTablesIsRefused) {
    for (const char* change :
         {"CREATE TRIGGER extra AFTER UPDATE ON run BEGIN UPDATE run SET note = note || note; END",
          // What looks like a comment or a guard, but is none.
          "CREATE TRIGGER \"evil--\" AFTER INSERT ON step BEGIN UPDATE run SET note = 'x'; END /*\n BEGIN SELECT "
          "RAISE(ABORT, 'x'); END",
          "ALTER TABLE evaluation ADD COLUMN \"--\" AS (hex(zeroblob(4000000)))",
          "CREATE VIEW extra AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
          "DROP TABLE choice; CREATE VIEW choice AS SELECT 'a' AS name, 'b' AS value",
          "CREATE TABLE extra (id INTEGER)", "DROP TRIGGER document_stands", "CREATE INDEX extra ON run (name)"}) {
        for (const std::size_t version : {lab_migrations().size(), std::size_t{8}}) {
            const auto path = folder_.write("changed.ropelab", "");
            const sqlite::Connection database(path, sqlite::Access::write);
            migrate(database, lab_migrations().first(version));
            EXPECT_NO_THROW(checked_version(database, path, lab_migrations()));
            database.run(change);
            for (const auto mode : {LabFile::Mode::read, LabFile::Mode::write}) {
                EXPECT_THAT(ROPELAB_SENTENCE_OF(LabFile::open(path, mode), BadInput),
                            HasSubstr("other tables, views or triggers"));
            }
        }
    }
}

TEST_F(LabSchema, ATriggerThatOnlyRefusesChangesIsAllowed) {
    migrate(database_, lab_migrations());
    database_.run("CREATE TRIGGER guard BEFORE DELETE ON run WHEN OLD.id < 5 BEGIN SELECT RAISE(ABORT, 'kept'); END");
    EXPECT_NO_THROW(LabFile::open(path_));
    database_.run(
        "CREATE TRIGGER fake BEFORE DELETE ON run WHEN (SELECT COUNT(*) FROM step) BEGIN SELECT RAISE(ABORT, ''); END");
    EXPECT_THROW(LabFile::open(path_), BadInput);
}

TEST_F(LabSchema, OpensALabFromBeforeLaterResultsWereStored) {
    migrate(database_, lab_migrations().first(11));
    database_.run(
        "INSERT INTO experiment (name, description, created) VALUES ('old', '{}', '2026-01-01T00:00:00Z');"
        "INSERT INTO run (experiment, name, settings, state) VALUES (1, 'done', '{}', 'finished')");
    const auto lab = LabFile::open(path_);
    EXPECT_TRUE(lab->later_results("head-conversion").empty());
    lab->add_later_result(1, "head-conversion", "{}");
    EXPECT_EQ(LabFile::open(path_)->later_results("head-conversion").size(), 1U);
    EXPECT_EQ(lab->run(1).name, "done");
}

// Runs of an experiment that compares times trained alone in random order, whether or not the lab said so.
TEST_F(LabSchema, OpensALabFromBeforeClocksWereStored) {
    migrate(database_, lab_migrations().first(12));
    database_.run(R"(
        INSERT INTO experiment (name, description, created) VALUES ('times', '{}', '2026-01-01T00:00:00Z');
        INSERT INTO experiment (name, description, created) VALUES ('others', '{}', '2026-01-01T00:00:00Z');
        INSERT INTO document (experiment, kind, text, created) VALUES (1, 'sheet', '{"one_by_one": true}', '');
        INSERT INTO document (experiment, kind, text, created) VALUES (2, 'sheet', '{"one_by_one": false}', '');
        INSERT INTO document (experiment, kind, text, created) VALUES (2, 'other', 'no JSON', '');
        INSERT INTO run (experiment, name, settings, state) VALUES (1, 'timed', '{}', 'finished');
        INSERT INTO run (experiment, name, settings, state) VALUES (2, 'in a cohort', '{}', 'finished');
        INSERT INTO conditions (run, precision, device, threads, reason) VALUES (1, 'float32', 'cpu', 2, '');
        INSERT INTO conditions (run, precision, device, threads, reason) VALUES (2, 'float32', 'cpu', 2, '');
        INSERT INTO summary (run, iterations, best_iteration, whole_evaluated) VALUES (1, 100, 100, 0))");
    const auto lab = LabFile::open(path_);
    EXPECT_EQ(training_clock(lab->run(1).conditions->clock),
              (TrainingClock{"experiment 1 2026-01-01T00:00:00Z", 1, true}));
    EXPECT_EQ(lab->run(2).conditions->clock, "");
    EXPECT_EQ(lab->run(1).summary->test_loss, std::nullopt);
}

TEST_F(LabSchema, OpensALabFromBeforeTimesWereStored) {
    migrate(database_, lab_migrations().first(5));
    database_.run(
        "INSERT INTO experiment (name, description, created) VALUES ('old', '{}', '2026-01-01T00:00:00Z');"
        "INSERT INTO run (experiment, name, settings, state) VALUES (1, 'stopped', '{}', 'stopped');"
        "INSERT INTO step VALUES (1, 1, 4.5, 0.5, 0.001); INSERT INTO evaluation VALUES (1, 1, 4.5, 4.75)");
    const auto lab = LabFile::open(path_);
    lab->record(
        std::vector<Event>{event::Step{1, 2, 4.25, 0.5, 1e-3, 1.75e9}, event::Evaluated{1, 2, 4.25, 4.5, 1.75e9 + 1}});
    const RunMetrics metrics = lab->metrics(1);
    ASSERT_EQ(metrics.steps.time.size(), 2U);
    EXPECT_TRUE(std::isnan(metrics.steps.time[0]));
    EXPECT_EQ(metrics.steps.time[1], 1.75e9);
    EXPECT_EQ(metrics.steps.training_loss[0], 4.5);
    ASSERT_EQ(metrics.evaluations.time.size(), 2U);
    EXPECT_TRUE(std::isnan(metrics.evaluations.time[0]));
    EXPECT_EQ(metrics.evaluations.time[1], 1.75e9 + 1);
}

}  // namespace
}  // namespace ropelab
