#include "ui/common/latest_job.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QTest>
#include <QThread>
#include <stdexcept>

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

// In the window, the application catches it and shows its sentence.
TEST(LatestJob, EndsWithTheExceptionOfItsWork) {
    LatestJob job;
    int changes = 0;
    QObject::connect(&job, &LatestJob::runningChanged, [&] { ++changes; });
    job.start([](const Cancelled&) -> std::function<void()> { throw std::runtime_error("out of memory"); });
    EXPECT_TRUE(job.isRunning());
    const auto deliver = [&] {
        while (job.isRunning()) {
            QThread::msleep(1);
            QCoreApplication::sendPostedEvents(&job);
        }
    };
    EXPECT_THROW(deliver(), std::runtime_error);
    EXPECT_FALSE(job.isRunning());
    EXPECT_EQ(changes, 2) << "started and ended";
}

TEST(LatestJob, ResultIsUsedOrDestroyedWithoutTheEventLoop) {
    LatestJob job;
    std::weak_ptr<int> held;
    std::atomic<bool> isMade = false;
    int used = 0;
    const auto work = [&](const Cancelled&) {
        const auto made = std::make_shared<int>();
        held = made;
        isMade = true;
        return [made, &used] { ++used; };
    };
    job.start(work);
    job.wait();
    EXPECT_EQ(used, 1);
    for (const int milliseconds : {0, 20}) {  // the result is cancelled before and after it is posted
        isMade = false;
        job.start(work);
        while (!isMade) QThread::yieldCurrentThread();
        QThread::msleep(static_cast<unsigned long>(milliseconds));
        job.cancel();
        job.wait();
        EXPECT_TRUE(held.expired());
    }
    QCoreApplication::sendPostedEvents(&job);
    EXPECT_EQ(used, 1);
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
