#pragma once

#include <QObject>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "core/rope/context.h"

namespace ropelab::ui {

/// Runs the latest of a series of jobs beside the window's thread: starting one cancels the one before, whose result is
/// dropped. The destructor cancels and joins.
///
///   window:  start(A) ──────── start(B) ──────────────────────── deliver B
///   beside:          A ─ cancelled ╳      B ──────────── done ──╯
class LatestJob : public QObject {
    Q_OBJECT

 public:
    /// Asks `cancelled` now and then; returns what the window's thread shall do with the result.
    using Work = std::function<std::function<void()>(const Cancelled& cancelled)>;

    explicit LatestJob(QObject* parent = nullptr);
    ~LatestJob() override;

    void start(Work work);
    void cancel();
    bool isRunning() const { return m_current != nullptr; }

 signals:
    void runningChanged(bool running);

 private:
    struct Job;
    void loop();

    std::shared_ptr<Job> m_current;  // of the window's thread
    struct Shared;
    std::unique_ptr<Shared> m_shared;
    std::thread m_thread;
};

}  // namespace ropelab::ui
