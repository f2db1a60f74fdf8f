#include "ui/rooms/train/figures/training_figures.h"

#include <gtest/gtest.h>

#include <QTest>
#include <future>

namespace ropelab::ui {
namespace {

RunSpec specWithDataSeed(std::int64_t seed) {
    RunSpec spec;
    spec.data = "synthetic";
    spec.data_seed = seed;
    return spec;
}

TEST(EntropyFloorJob, ANewerRequestDoesNotWaitForTheEarlierOne) {
    std::promise<void> asked;
    std::promise<void> released;
    std::shared_future<void> release = released.get_future().share();
    bool waited = false;
    EntropyFloorJob finder(nullptr, [&](const RunSpec& spec, const Cancelled&) -> std::optional<double> {
        if (spec.data_seed != 1) return 2.5;
        // Like opening a long text, this computation does not check whether it was cancelled.
        asked.set_value();
        waited = release.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
        return 1.5;
    });
    std::vector<std::optional<double>> found;
    QObject::connect(&finder, &EntropyFloorJob::found, [&](std::optional<double> nats) { found.push_back(nats); });
    finder.ask(specWithDataSeed(1));
    asked.get_future().wait();
    finder.ask(specWithDataSeed(2));
    released.set_value();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !finder.isPending(); }, 60000));
    EXPECT_TRUE(waited) << "ask() returns while the first computation still runs";
    EXPECT_EQ(found.back(), 2.5);
    EXPECT_EQ(std::count(found.begin(), found.end(), std::optional(1.5)), 0)
        << "the result of a cancelled request is not delivered";
}

TEST(EntropyFloorJob, CachesResultsAndReportsMissingFloors) {
    int asked = 0;
    EntropyFloorJob finder(nullptr, [&](const RunSpec& spec, const Cancelled&) -> std::optional<double> {
        ++asked;
        if (spec.data_seed == 2) throw std::runtime_error("unreadable");
        return 1.5;
    });
    std::optional<double> found;
    QObject::connect(&finder, &EntropyFloorJob::found, [&](std::optional<double> nats) { found = nats; });
    const auto answer = [&](const std::optional<RunSpec>& spec) {
        finder.ask(spec);
        EXPECT_TRUE(QTest::qWaitFor([&] { return !finder.isPending(); }, 60000));
        return found;
    };
    EXPECT_EQ(answer(specWithDataSeed(1)), 1.5);
    EXPECT_EQ(answer(specWithDataSeed(2)), std::nullopt);
    EXPECT_EQ(answer(specWithDataSeed(1)), 1.5);
    EXPECT_EQ(asked, 2);
    RunSpec file = specWithDataSeed(1);
    file.data = "some.txt";
    EXPECT_EQ(answer(file), std::nullopt);
    EXPECT_EQ(answer(std::nullopt), std::nullopt);
    EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace ropelab::ui
