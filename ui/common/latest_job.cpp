#include "ui/common/latest_job.h"

#include <QMetaObject>
#include <QScopeGuard>
#include <atomic>
#include <exception>
#include <utility>

namespace ropelab::ui {

struct LatestJob::Job {
    Work work;
    std::atomic<bool> cancelled = false;
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
    if (m_current) m_current->cancelled = true;
    m_pool.clear();
    m_current = std::make_shared<Job>();
    m_current->work = std::move(work);
    m_pool.start([this, job = m_current] { run(job); });
    if (!ran) emit runningChanged(true);
}

void LatestJob::cancel() {
    if (!m_current) return;
    m_current->cancelled = true;
    m_current.reset();
    m_pool.clear();
    emit runningChanged(false);
}

void LatestJob::run(const std::shared_ptr<Job>& job) {
    std::function<void()> useResult;
    try {
        useResult = job->work([&job] { return job->cancelled.load(std::memory_order_relaxed); });
    } catch (...) {
        // Thrown again on the thread of this object, where the application shows it.
        useResult = [thrown = std::current_exception()] { std::rethrow_exception(thrown); };
    }
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
