#include "ui/common/latest_job.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QScopeGuard>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace ropelab::ui {

struct LatestJob::Job {
    Work work;
    std::atomic<bool> cancelled = false;
    std::mutex posting;  // a result is not posted after `cancelled` is set
};

LatestJob::LatestJob(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
}

LatestJob::~LatestJob() {
    cancel();
    m_pool.waitForDone();
}

void LatestJob::start(Work work) {
    const bool ran = isRunning();
    drop();
    m_current = std::make_shared<Job>();
    m_current->work = std::move(work);
    m_pool.start([this, job = m_current] { run(job); });
    if (!ran) emit runningChanged(true);
}

void LatestJob::cancel() {
    if (!m_current) return;
    drop();
    emit runningChanged(false);
}

void LatestJob::wait() {
    m_pool.waitForDone();
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);
}

void LatestJob::drop() {
    if (!m_current) return;
    {
        const std::lock_guard lock(m_current->posting);
        m_current->cancelled = true;
    }
    m_current.reset();
    m_pool.clear();
    QCoreApplication::sendPostedEvents(this, QEvent::MetaCall);  // destroys a result that was posted
}

void LatestJob::run(const std::shared_ptr<Job>& job) {
    std::function<void()> useResult;
    try {
        useResult = job->work([&job] { return job->cancelled.load(std::memory_order_relaxed); });
    } catch (...) {
        // Thrown again on the thread of this object, where the application shows it.
        useResult = [thrown = std::current_exception()] { std::rethrow_exception(thrown); };
    }
    const std::lock_guard lock(job->posting);
    if (job->cancelled) return;
    // Qt drops the call if this object is gone by then.
    QMetaObject::invokeMethod(
        this, [this, job, useResult = std::move(useResult)] { finish(job, useResult); }, Qt::QueuedConnection);
}

void LatestJob::finish(const std::shared_ptr<Job>& job, const std::function<void()>& useResult) {
    if (m_current != job) return;
    m_current.reset();
    const auto end = qScopeGuard([this] {
        if (!m_current) emit runningChanged(false);  // the result may have started the next job
    });
    if (useResult) useResult();
}

}  // namespace ropelab::ui

#include "moc_latest_job.cpp"
