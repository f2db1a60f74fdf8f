#pragma once

#include <QObject>
#include <QThreadPool>
#include <functional>
#include <memory>

#include "core/rope/context.h"

namespace ropelab::ui {

/// Runs the latest of a series of jobs on a background thread: starting one cancels the one before, whose result is
/// dropped. The destructor cancels the job and waits for its end.
///
///   window's thread:    start(A) ──────── start(B) ──────────────────────── result of B
///   background thread:           A ─ cancelled ╳      B ──────────── done ──╯
class LatestJob : public QObject {
    Q_OBJECT

 public:
    /// Calls `cancelled` often and returns early if it is true; the returned function runs on the window's thread.
    using Work = std::function<std::function<void()>(const Cancelled& cancelled)>;

    explicit LatestJob(QObject* parent = nullptr);
    ~LatestJob() override;

    void start(Work work);
    /// The result of the cancelled job is destroyed: before the return, or on the job's thread.
    void cancel();
    /// Blocks until the job, or a cancelled one, has ended; the result has been used then.
    void wait();
    bool isRunning() const { return m_current != nullptr; }

 signals:
    void runningChanged(bool running);

 private:
    struct Job;
    void drop();
    void run(const std::shared_ptr<Job>& job);
    void finish(const std::shared_ptr<Job>& job, const std::function<void()>& useResult);

    std::shared_ptr<Job> m_current;  // used on the window's thread only
    QThreadPool m_pool;              // of one thread, so that jobs run one after another
};

}  // namespace ropelab::ui
