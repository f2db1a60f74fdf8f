#include "ui/window/frame/stall_meter.h"

#include <gtest/gtest.h>

#include <QEventLoop>
#include <QTimer>
#include <chrono>
#include <thread>

namespace ropelab::ui {
namespace {

TEST(StallMeter, MeasuresAHandlerThatBlocksTheEventLoop) {
    StallMeter meter;
    meter.restart();
    QEventLoop loop;
    QTimer::singleShot(20, &loop, [] { std::this_thread::sleep_for(std::chrono::milliseconds(120)); });
    QTimer::singleShot(250, &loop, &QEventLoop::quit);
    loop.exec();
    EXPECT_GE(meter.longest(), 100) << "measured while the loop runs, not only at its end";
    meter.stop();
    const double longest = meter.longest();
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * static_cast<int>(longest)));
    meter.stop();
    EXPECT_EQ(meter.longest(), longest) << "a stopped meter does not change";
    meter.restart();
    EXPECT_EQ(meter.longest(), 0);
}

TEST(StallMeter, WorkIsCpuTimeWithoutWaiting) {
    StallMeter meter;
    meter.restart();
    const auto until = std::clock() + CLOCKS_PER_SEC / 20;
    while (std::clock() < until) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    meter.stop();
    EXPECT_GT(meter.longestWork(), 0);
    EXPECT_GE(meter.longest() + 4, meter.longestWork());
}

}  // namespace
}  // namespace ropelab::ui
