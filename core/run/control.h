#pragma once

#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <vector>

#include "core/spec/event.h"
#include "core/spec/probe.h"

namespace ropelab {

/// A request of another thread for measurements inside one run.
struct ProbeJob {
    RunId run = 0;
    ProbeRequest request;
    std::promise<ProbeResult> answer;
};

/// The requests of other threads to a training sweep, and the set of its ended runs. Thread-safe.
class Control {
 public:
    /// Requests the end of the sweep.
    void stop();
    /// Requests that training pauses or continues.
    void pause(bool paused);
    /// Requests the end of one run.
    void stop_run(RunId id);
    /// Selects the run that generates text samples.
    void pick(RunId id);
    /// Requests measurements inside a run. The future throws BadInput if the run is not being trained.
    std::future<ProbeResult> probe(RunId id, ProbeRequest request);

    /// Returns whether the end of the sweep was requested.
    bool stopping() const;
    /// Returns whether a pause was requested.
    bool paused() const;
    /// Returns whether a pause was requested at any time.
    bool was_paused() const;
    /// Returns whether this run was requested to stop.
    bool stopping_run(RunId id) const;
    /// Returns the run that generates text samples; 0 if none was picked.
    RunId picked() const;
    /// Blocks while paused. Returns early when the sweep is stopped or a probe is requested.
    void wait_while_paused();
    /// Returns the probe requests since the last call.
    std::vector<ProbeJob> next_probes();
    /// Rejects all pending and future probe requests with BadInput, because training has ended.
    void end_probes();

    /// Records that a run has ended.
    void mark_ended(RunId id);
    /// Returns whether a run has ended.
    bool ended(RunId id) const;

 private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    bool paused_ = false;
    bool was_paused_ = false;
    RunId picked_ = 0;
    std::set<RunId> stopping_runs_;
    std::set<RunId> ended_;
    std::vector<ProbeJob> probes_;
    bool probes_ended_ = false;
};

}  // namespace ropelab
