#include "ui/session/sweep_session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace ropelab::ui {
namespace {

TEST(EventQueue, CallsTheHintOnceUntilDrained) {
    int hints = 0;
    EventQueue queue([&hints] { ++hints; });
    for (int i = 1; i <= 3; ++i) queue.push(DiscardAfter{i, 0});
    EXPECT_EQ(hints, 1);
    EXPECT_EQ(queue.drain().size(), 3u);
    EXPECT_TRUE(queue.drain().empty());
    queue.push(DiscardAfter{4, 0});
    EXPECT_EQ(hints, 2);
}

TEST(EventQueue, DeliversAllMessagesInOrderBetweenThreads) {
    std::atomic<bool> hinted = false;
    EventQueue queue([&hinted] { hinted = true; });
    constexpr std::int64_t count = 20000;
    std::thread producer([&queue] {
        for (std::int64_t i = 0; i < count; ++i) queue.push(Event{event::Step{1, i, 0, 0, 0}});
    });
    std::int64_t next = 0;
    while (next < count) {
        if (!hinted.exchange(false)) {
            std::this_thread::yield();
            continue;
        }
        for (const Delivery& delivery : queue.drain()) {
            ASSERT_EQ(std::get<event::Step>(std::get<Event>(delivery)).iteration, next++);
        }
    }
    producer.join();
    EXPECT_TRUE(queue.drain().empty());
}

}  // namespace
}  // namespace ropelab::ui
