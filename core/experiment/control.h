#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

#include "core/spec/event.h"

namespace ropelab {

/// What other threads ask of a training sweep, and what it has already ended. Thread-safe.
class Control {
 public:
    void stop();
    void pause(bool paused);
    void stop_run(RunId id);
    void pick(RunId id);

    bool stopping() const;
    bool paused() const;
    /// Whether this run was asked to stop.
    bool stopping_run(RunId id) const;
    /// The run that writes samples; 0 where nobody picked one.
    RunId picked() const;
    /// Waits while paused; stopping wakes it.
    void wait_while_paused();

    void mark_ended(RunId id);
    bool ended(RunId id) const;

 private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    bool paused_ = false;
    RunId picked_ = 0;
    std::set<RunId> stopping_runs_;
    std::set<RunId> ended_;
};

}  // namespace ropelab
