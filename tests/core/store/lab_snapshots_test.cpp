#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/contract/probe.h"
#include "core/store/sqlite.h"
#include "tests/core/store/lab_runs.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

ProbeResult seen(float level) {
    ProbeResult result;
    result.sequences = 2;
    result.length = 3;
    result.query_usage = {{1, 1, 2}, {level, level + 1}};
    result.attention = {{1, 1, 2, 2}, {1, 0, 0.25, 0.75}};
    result.map_tokens = {4, 2};
    result.distances = {0, 1, 2};
    result.loss_by_position = {1.5, 1.25, 1.0};
    result.loss = 1.25;
    result.retrieval = {{1, 2, 0.5, 1.5, 0.25, 2.5}};
    return result;
}

event::Probed probed(RunId run, std::int64_t iteration, float level) {
    return {run, iteration, std::make_shared<const ProbeResult>(seen(level))};
}

class LabSnapshots : public testing::Test {
 protected:
    void record(std::vector<Event> events) { lab_->record(events); }

    ScratchFolder folder_;
    std::filesystem::path path_ = folder_.path() / "x.ropelab";
    std::unique_ptr<LabFile> lab_ = lab_with_runs(path_, 2);
};

TEST_F(LabSnapshots, AnEmptyBlobHasNoBytes) {
    sqlite::Connection database(path_, sqlite::Access::write);
    auto query = database.query("SELECT length(?1), length(?2)");
    query.with(std::span<const std::byte>(), std::string());
    ASSERT_TRUE(query.next());
    EXPECT_FALSE(query.null(0));
    EXPECT_EQ(query.integer(0), 0);
    EXPECT_EQ(query.integer(1), 0);
}

// Figures would have as many numbers as the length says.
TEST_F(LabSnapshots, ALengthBeyondTheContextIsRefused) {
    record({probed(1, 8, 1)});
    const auto long_one = lab_->add_run(1, "short context", R"({"context":2})");
    record({probed(long_one, 8, 1)});
    EXPECT_TRUE(lab_->snapshot(1, 8)) << "within the default context";
    EXPECT_MESSAGE(lab_->snapshot(long_one, 8), BadInput, "has sequences of 3 tokens, but the context of the run is 2");
}

TEST_F(LabSnapshots, OnlyTheNewestOfManyAreListed) {
    std::vector<Event> events;
    for (int i = 0; i < 1200; ++i) events.emplace_back(probed(1, i, 1));
    record(events);
    EXPECT_EQ(lab_->snapshots(1).size(), 1000U);
    EXPECT_EQ(lab_->snapshots(1).front(), 200);
    EXPECT_EQ(lab_->snapshots(1).back(), 1199);
}

TEST_F(LabSnapshots, RoundTrip) {
    record({probed(1, 0, 1), probed(1, 8, 2), probed(2, 8, 3)});
    EXPECT_EQ(lab_->snapshots(1), (std::vector<std::int64_t>{0, 8}));
    ProbeResult result = lab_->snapshot(1, 8).value();
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(result.attention.values[i], seen(2).attention.values[i], 1.0 / 65535);
    result.attention = seen(2).attention;
    EXPECT_EQ(result, seen(2));
    EXPECT_FALSE(lab_->snapshot(1, 4));
    EXPECT_FALSE(lab_->snapshot(99, 0));
}

TEST_F(LabSnapshots, ANewSnapshotReplacesThatOfTheSameStep) {
    record({probed(1, 8, 1)});
    ProbeResult smaller = seen(5);
    smaller.attention = {};
    record({event::Probed{1, 8, std::make_shared<const ProbeResult>(smaller)}});
    EXPECT_EQ(lab_->snapshot(1, 8), smaller);
}

// As at the step at which a run resumes: the training step before it is not measured again.
TEST_F(LabSnapshots, TheMeasurementsOfATrainingStepStay) {
    ProbeResult measured = seen(1);
    measured.gradient_norm = {{1, 2}, {0.5, 0.25}};
    record({event::Probed{1, 1, std::make_shared<const ProbeResult>(measured)}});
    record({probed(1, 1, 1)});
    EXPECT_EQ(lab_->snapshot(1, 1)->gradient_norm, measured.gradient_norm);
    EXPECT_EQ(lab_->snapshots(1), std::vector<std::int64_t>{1});
}

TEST_F(LabSnapshots, AreDeletedWithMetricsAfterACheckpoint) {
    record({probed(1, 0, 1), probed(1, 8, 2), probed(1, 10, 3)});
    lab_->discard_after(1, 8);
    EXPECT_EQ(lab_->snapshots(1), (std::vector<std::int64_t>{0, 8}));
    record({cohort_started({1}, 4)});
    EXPECT_EQ(lab_->snapshots(1), (std::vector<std::int64_t>{0}));
    record({probed(2, 0, 1)});
    lab_->delete_run(2);
    lab_->purge();
    record({probed(2, 1, 1)});  // run 2 has been removed
    EXPECT_TRUE(lab_->snapshots(2).empty());
}

TEST_F(LabSnapshots, AreMergedWithTheirRuns) {
    const auto other_path = folder_.path() / "y.ropelab";
    {
        const auto other = lab_with_runs(other_path, 1);
        other->record(std::vector<Event>{step(1, 1), probed(1, 1, 7)});
    }
    ASSERT_EQ(lab_->merge(other_path), 1);
    const RunId id = lab_->runs().back().id;
    EXPECT_EQ(lab_->snapshots(id), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(lab_->snapshot(id, 1)->query_usage, seen(7).query_usage);
}

TEST_F(LabSnapshots, KeepNonFiniteNumbers) {
    ProbeResult broken = seen(1);
    broken.loss = std::nan("");
    broken.query_usage.values[0] = std::nanf("");
    broken.attention.values[0] = std::nanf("");
    record({event::Probed{1, 3, std::make_shared<const ProbeResult>(broken)}});
    const ProbeResult result = lab_->snapshot(1, 3).value();
    EXPECT_TRUE(std::isnan(result.loss));
    EXPECT_TRUE(std::isnan(result.query_usage.values[0]));
    EXPECT_EQ(result.attention.values[0], 0.0F);
}

TEST_F(LabSnapshots, OfADamagedLabAreRefused) {
    record({probed(1, 3, 1)});
    for (const char* shape : {"", "abc", "1,1,", "-1,-1,2", "1,1,3", "9223372036854775807,2", "0", "2 2", "1 1 2"}) {
        {
            const sqlite::Connection database(path_, sqlite::Access::write);
            database.query("UPDATE snapshot SET shape = ?1 WHERE part = 'norm.query'").with(std::string(shape)).run();
        }
        SCOPED_TRACE(shape);
        EXPECT_MESSAGE(lab_->snapshot(1, 3), BadInput, "the lab file is damaged");
    }
    {
        const sqlite::Connection database(path_, sqlite::Access::write);
        database.run("UPDATE snapshot SET shape = '1,1,2', numbers = x'' WHERE part = 'norm.query'");
    }
    EXPECT_MESSAGE(lab_->snapshot(1, 3), BadInput, "the lab file is damaged");
}

}  // namespace
}  // namespace ropelab
