#pragma once

#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <vector>

#include "core/spec/event.h"
#include "core/spec/probe.h"

namespace ropelab {

/// A look into one run that another thread waits for.
struct AskedProbe {
    RunId run = 0;
    ProbeRequest request;
    std::promise<ProbeResult> answer;
};

/// What other threads ask of a training sweep, and what it has already ended. Thread-safe.
class Control {
 public:
    void stop();
    void pause(bool paused);
    void stop_run(RunId id);
    void pick(RunId id);
    std::future<ProbeResult> probe(RunId id, ProbeRequest request);

    bool stopping() const;
    bool paused() const;
    /// Whether this run was asked to stop.
    bool stopping_run(RunId id) const;
    /// The run that writes samples; 0 where nobody picked one.
    RunId picked() const;
    /// Waits while paused; stopping and asked probes wake it.
    void wait_while_paused();
    /// The probes asked since the last call.
    std::vector<AskedProbe> take_probes();
    /// Refuses those that wait and all that come: nothing is trained any more.
    void end_probes();

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
    std::vector<AskedProbe> probes_;
    bool probes_ended_ = false;
};

}  // namespace ropelab
