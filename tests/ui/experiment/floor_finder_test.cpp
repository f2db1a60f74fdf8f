#include "ui/experiment/floor_finder.h"

#include <gtest/gtest.h>

#include <QTest>
#include <future>

namespace ropelab::ui {
namespace {

RunSpec textOf(std::int64_t seed) {
    RunSpec spec;
    spec.data = "generated";
    spec.data_seed = seed;
    return spec;
}

TEST(FloorFinder, ANewerQuestionDoesNotWaitForTheOneBefore) {
    std::promise<void> asked;
    std::promise<void> released;
    std::shared_future<void> release = released.get_future().share();
    bool waited = false;
    FloorFinder finder(nullptr, [&](const RunSpec& spec, const Cancelled&) -> std::optional<double> {
        if (spec.data_seed != 1) return 2.5;
        // As opening a long text: it does not look up.
        asked.set_value();
        waited = release.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
        return 1.5;
    });
    std::vector<std::optional<double>> found;
    QObject::connect(&finder, &FloorFinder::found, [&](std::optional<double> nats) { found.push_back(nats); });
    finder.ask(textOf(1));
    asked.get_future().wait();
    finder.ask(textOf(2));
    released.set_value();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !finder.isPending(); }, 60000));
    EXPECT_TRUE(waited) << "asking came back while the first was still at work";
    EXPECT_EQ(found.back(), 2.5);
    EXPECT_EQ(std::count(found.begin(), found.end(), std::optional(1.5)), 0) << "nobody asks for it any more";
}

TEST(FloorFinder, KeepsAnswersAndSaysWhereThereIsNone) {
    int asked = 0;
    FloorFinder finder(nullptr, [&](const RunSpec& spec, const Cancelled&) -> std::optional<double> {
        ++asked;
        if (spec.data_seed == 2) throw std::runtime_error("unreadable");
        return 1.5;
    });
    std::optional<double> found;
    QObject::connect(&finder, &FloorFinder::found, [&](std::optional<double> nats) { found = nats; });
    const auto answer = [&](const std::optional<RunSpec>& spec) {
        finder.ask(spec);
        EXPECT_TRUE(QTest::qWaitFor([&] { return !finder.isPending(); }, 60000));
        return found;
    };
    EXPECT_EQ(answer(textOf(1)), 1.5);
    EXPECT_EQ(answer(textOf(2)), std::nullopt);
    EXPECT_EQ(answer(textOf(1)), 1.5);
    EXPECT_EQ(asked, 2);
    RunSpec file = textOf(1);
    file.data = "some.txt";
    EXPECT_EQ(answer(file), std::nullopt);
    EXPECT_EQ(answer(std::nullopt), std::nullopt);
    EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace ropelab::ui
