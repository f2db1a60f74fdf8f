#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/store/lab_database.h"
#include "core/store/sqlite.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

constexpr const char* rules = R"({"alpha":0.05})";

class LabDocuments : public testing::Test {
 protected:
    void run_sql(const std::filesystem::path& path, const char* sql) {
        const sqlite::Connection database(path, sqlite::Access::write);
        database.run("PRAGMA foreign_keys = ON");
        database.run(sql);
    }

    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.ropelab";
    std::unique_ptr<LabFile> lab_ = lab_with_runs(path_, 2);
};

TEST_F(LabDocuments, LaterResultsAreKeptByRunAndKind) {
    lab_->add_later_result(2, "head-conversion", "{}");
    lab_->add_later_result(1, "other", "[]");
    lab_->add_later_result(2, "head-conversion", "[1]");
    const auto results = LabFile::open(path_, LabFile::Mode::read)->later_results("head-conversion");
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(results[0].run, 2);
    EXPECT_EQ(results[0].kind, "head-conversion");
    EXPECT_EQ(results[0].text, "{}");
    EXPECT_EQ(results[1].text, "[1]");
    EXPECT_THROW(lab_->add_later_result(9, "other", "{}"), BadInput);
}

TEST_F(LabDocuments, RoundTrip) {
    lab_->add_document(1, "sheet", rules);
    lab_->add_document(1, "predictions", "[]");
    const auto documents = LabFile::open(path_, LabFile::Mode::read)->documents(1);
    ASSERT_EQ(documents.size(), 2U);
    EXPECT_EQ(documents[0].kind, "predictions");
    EXPECT_EQ(documents[1].text, rules);
    EXPECT_EQ(documents[1].experiment, 1);
    EXPECT_EQ(documents[1].created.size(), std::string("2026-03-01T12:00:00Z").size());
    EXPECT_TRUE(lab_->documents(2).empty());
    EXPECT_EQ(lab_->document(1, "sheet"), rules);
    EXPECT_EQ(lab_->document(1, "search"), std::nullopt);
    EXPECT_EQ(lab_->document(2, "sheet"), std::nullopt);
}

TEST_F(LabDocuments, CanBeAddedOnceAndOnlyBeforeTheRunsStart) {
    EXPECT_MESSAGE(lab_->add_document(7, "sheet", rules), BadInput, "There is no experiment 7");
    lab_->add_document(1, "sheet", rules);
    EXPECT_MESSAGE(lab_->add_document(1, "sheet", "{}"), BadInput, "already exists and cannot be changed");
    lab_->record(std::vector<Event>{cohort_started({1})});
    EXPECT_MESSAGE(lab_->add_document(1, "predictions", "[]"), BadInput, "have started");
    const std::int64_t second = lab_->add_experiment("another", "{}");
    lab_->add_document(second, "predictions", "[]");  // for an experiment without runs
    EXPECT_EQ(lab_->documents(1).size(), 1U);
}

TEST_F(LabDocuments, TransactionsAreAtomic) {
    const auto enter = [&] { lab_->add_document(lab_->add_experiment("another", "{}"), "sheet", rules); };
    EXPECT_THROW(lab_->in_one_transaction([&] {
        enter();
        throw std::runtime_error("The lights went out.");
    }),
                 std::runtime_error);
    EXPECT_EQ(lab_->experiments().size(), 1U);
    // An inner transaction that fails is rolled back separately.
    lab_->in_one_transaction([&] {
        enter();
        EXPECT_THROW(lab_->in_one_transaction([&] {
            enter();
            lab_->add_document(1, "sheet", rules);
            lab_->add_document(1, "sheet", rules);
        }),
                     BadInput);
        enter();
    });
    EXPECT_EQ(lab_->experiments().size(), 3U);
    EXPECT_TRUE(lab_->documents(1).empty());
    EXPECT_EQ(LabFile::open(path_, LabFile::Mode::read)->experiments().size(), 3U);
}

TEST_F(LabDocuments, DatabaseTriggersPreventChanges) {
    lab_->add_document(1, "sheet", rules);
    EXPECT_THROW(run_sql(path_, "UPDATE document SET text = '{}'"), BadInput);
    EXPECT_THROW(run_sql(path_, "DELETE FROM document"), BadInput);
    EXPECT_THROW(run_sql(path_, "INSERT OR REPLACE INTO document VALUES (1, 'sheet', '{}', '')"), BadInput);
    run_sql(path_, "INSERT INTO document VALUES (1, 'more', '{}', '')");
    lab_->record(std::vector<Event>{cohort_started({1})});
    EXPECT_THROW(run_sql(path_, "INSERT INTO document VALUES (1, 'late', '{}', '')"), BadInput);
    EXPECT_EQ(lab_->documents(1).back().text, rules);
    // Documents are deleted with their experiment.
    run_sql(path_, "DELETE FROM run; DELETE FROM experiment");
    EXPECT_TRUE(lab_->documents(1).empty());
}

TEST_F(LabDocuments, MeasurementsAreStoredByName) {
    lab_->set_measurement(2, "generated_tokens_per_second", 250);
    lab_->set_measurement(2, "generated_tokens_per_second", 251.5);
    lab_->set_measurement(2, "extended", std::numeric_limits<double>::infinity());
    const auto stored = lab_->measurements(2);
    ASSERT_EQ(stored.size(), 2U);
    EXPECT_EQ(stored.at("generated_tokens_per_second"), 251.5);
    EXPECT_TRUE(std::isnan(stored.at("extended")));
    EXPECT_TRUE(lab_->measurements(1).empty());
    EXPECT_MESSAGE(lab_->set_measurement(9, "x", 1), BadInput, "no run 9");
}

TEST_F(LabDocuments, AreCopiedAndMerged) {
    lab_->add_document(1, "sheet", rules);
    lab_->record(trained(1, 10));
    lab_->record(std::vector<Event>{cohort_started({1})});
    lab_->set_measurement(1, "speed", 3);
    const std::filesystem::path copy = folder_.path() / "copy.ropelab";
    lab_->save_as(copy);
    EXPECT_EQ(LabFile::open(copy)->documents(1).at(0).text, rules);
    EXPECT_EQ(LabFile::open(copy)->measurements(1).at("speed"), 3);
    EXPECT_THROW(run_sql(copy, "DELETE FROM document"), BadInput);

    const auto other = LabFile::create(folder_.path() / "all.ropelab");
    other->add_experiment("first", "{}");
    EXPECT_EQ(other->merge(path_), 2);
    EXPECT_EQ(other->merge(path_), 0);
    ASSERT_EQ(other->documents(2).size(), 1U);
    EXPECT_EQ(other->documents(2).at(0).text, rules);
    EXPECT_EQ(other->documents(2).at(0).created, lab_->documents(1).at(0).created);
    EXPECT_EQ(other->measurements(other->runs().front().id).at("speed"), 3);
}

TEST_F(LabDocuments, ALabOfVersionOneIsMigrated) {
    const std::filesystem::path path = folder_.write("old.ropelab", "");
    {
        const sqlite::Connection database(path, sqlite::Access::write);
        migrate(database, lab_migrations().first(1));
        database.run(
            "INSERT INTO experiment (name, description, created) VALUES ('old', '{}', '2026-01-01T00:00:00Z');"
            "INSERT INTO run (experiment, name, settings, state) VALUES (1, 'run', '{}', 'finished');"
            "INSERT INTO step VALUES (1, 1, 2.5, 1, 0.001)");
    }
    EXPECT_EQ(LabFile::open(path, LabFile::Mode::read)->runs().size(), 1U);
    const auto lab = LabFile::open(path);
    EXPECT_EQ(lab->runs().at(0).name, "run");
    EXPECT_EQ(lab->metrics(1).steps.training_loss, std::vector<double>{2.5});
    EXPECT_TRUE(lab->documents(1).empty());
    lab->set_measurement(1, "speed", 2);
    EXPECT_EQ(LabFile::open(path, LabFile::Mode::read)->measurements(1).at("speed"), 2);
    const sqlite::Connection database(path, sqlite::Access::read);
    EXPECT_EQ(database.number("PRAGMA user_version"), static_cast<int>(lab_migrations().size()));
}

}  // namespace
}  // namespace ropelab
