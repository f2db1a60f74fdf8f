#include "ui/rotary/latest_job.h"

#include <QMetaObject>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace ropelab::ui {

struct LatestJob::Job {
    Work work;
    std::atomic<bool> cancelled = false;
};

/// What both threads touch; the mutex guards all of it.
struct LatestJob::Shared {
    std::mutex mutex;
    std::condition_variable wake;
    std::shared_ptr<Job> waiting;
    bool quits = false;
};

LatestJob::LatestJob(QObject* parent) : QObject(parent), m_shared(std::make_unique<Shared>()) {}

LatestJob::~LatestJob() {
    cancel();
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->quits = true;
    }
    m_shared->wake.notify_one();
    if (m_thread.joinable()) {
        m_thread.join();
    }
}

void LatestJob::start(Work work) {
    const bool ran = isRunning();
    if (m_current) {
        m_current->cancelled = true;
    }
    m_current = std::make_shared<Job>();
    m_current->work = std::move(work);
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->waiting = m_current;
    }
    if (m_thread.joinable()) {
        m_shared->wake.notify_one();
    } else {
        m_thread = std::thread([this] { loop(); });
    }
    if (!ran) {
        emit runningChanged(true);
    }
}

void LatestJob::cancel() {
    if (!m_current) {
        return;
    }
    m_current->cancelled = true;
    m_current.reset();
    {
        const std::lock_guard lock(m_shared->mutex);
        m_shared->waiting.reset();
    }
    emit runningChanged(false);
}

void LatestJob::loop() {
    for (;;) {
        std::shared_ptr<Job> job;
        {
            std::unique_lock lock(m_shared->mutex);
            m_shared->wake.wait(lock, [this] { return m_shared->quits || m_shared->waiting; });
            if (m_shared->quits) {
                return;
            }
            job = std::exchange(m_shared->waiting, nullptr);
        }
        auto deliver = job->work([&job] { return job->cancelled.load(std::memory_order_relaxed); });
        // A delivery to a window that is gone is dropped by Qt.
        QMetaObject::invokeMethod(
            this,
            [this, job, deliver = std::move(deliver)] {
                if (m_current != job) {
                    return;
                }
                m_current.reset();
                if (deliver) {
                    deliver();
                }
                if (!m_current) {
                    emit runningChanged(false);
                }
            },
            Qt::QueuedConnection);
    }
}

}  // namespace ropelab::ui
