#include "ui/common/latest_job.h"

#include <gtest/gtest.h>

#include <QTest>
#include <QThread>

namespace ropelab::ui {
namespace {

TEST(LatestJob, DeliversInTheThreadThatStartedIt) {
    LatestJob job;
    QThread* worker = nullptr;
    QThread* receiver = nullptr;
    job.start([&](const Cancelled&) {
        worker = QThread::currentThread();
        return [&] { receiver = QThread::currentThread(); };
    });
    EXPECT_TRUE(job.isRunning());
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job.isRunning(); }));
    EXPECT_EQ(receiver, QThread::currentThread());
    EXPECT_NE(worker, receiver);
}

TEST(LatestJob, NextJobCancelsThePreviousOne) {
    LatestJob job;
    std::atomic<bool> runs = false;
    std::atomic<bool> wasCancelled = false;
    std::vector<int> delivered;
    job.start([&](const Cancelled& cancelled) {
        runs = true;
        while (!cancelled()) QThread::usleep(100);
        wasCancelled = true;
        return [&] { delivered.push_back(1); };
    });
    ASSERT_TRUE(QTest::qWaitFor([&] { return runs.load(); }));
    job.start([&](const Cancelled&) { return [&] { delivered.push_back(2); }; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return !job.isRunning(); }));
    QTest::qWait(10);
    EXPECT_TRUE(wasCancelled);
    EXPECT_EQ(delivered, std::vector<int>{2});
}

TEST(LatestJob, DestructorCancelsTheJob) {
    bool delivered = false;
    std::atomic<bool> runs = false;
    std::atomic<bool> ended = false;
    {
        LatestJob job;
        job.start([&](const Cancelled& cancelled) {
            runs = true;
            while (!cancelled()) QThread::usleep(100);
            ended = true;
            return [&] { delivered = true; };
        });
        ASSERT_TRUE(QTest::qWaitFor([&] { return runs.load(); }));
    }
    QTest::qWait(5);
    EXPECT_TRUE(ended);
    EXPECT_FALSE(delivered);
}

}  // namespace
}  // namespace ropelab::ui
