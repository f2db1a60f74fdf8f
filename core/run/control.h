#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/spec/error.h"
#include "core/spec/event.h"
#include "core/spec/probe.h"

namespace ropelab {

struct ProbeJob {
    RunId run = 0;
    ProbeRequest request;
    std::promise<ProbeResult> answer;
};

/// Thread-safe.
class Control {
 public:
    void stop() {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        changed_.notify_all();
    }
    void pause(bool paused) {
        const std::lock_guard lock(mutex_);
        paused_ = paused;
        was_paused_ = was_paused_ || paused;
        changed_.notify_all();
    }
    void stop_run(RunId id) {
        const std::lock_guard lock(mutex_);
        stopping_runs_.insert(id);
    }
    void pick(RunId id) { picked_ = id; }
    /// The future throws BadInput if the run is not being trained.
    std::future<ProbeResult> probe(RunId id, ProbeRequest request) {
        std::future<ProbeResult> result;
        {
            const std::lock_guard lock(mutex_);
            ProbeJob& job = probes_.emplace_back(ProbeJob{id, std::move(request), {}});
            result = job.answer.get_future();
            changed_.notify_all();
            if (!probes_ended_) return result;
        }
        end_probes();
        return result;
    }

    bool stopping() const { return stopping_; }
    bool paused() const { return paused_; }
    bool was_paused() const { return was_paused_; }
    bool stopping_run(RunId id) const {
        const std::lock_guard lock(mutex_);
        return stopping_runs_.contains(id);
    }
    /// 0 if none was picked.
    RunId picked() const { return picked_; }
    /// Returns early when the sweep is stopped or a probe is requested.
    void wait_while_paused() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !paused_ || stopping_ || !probes_.empty(); });
    }
    std::vector<ProbeJob> next_probes() {
        const std::lock_guard lock(mutex_);
        return std::exchange(probes_, {});
    }
    /// Pending and future requests get BadInput, because training has ended.
    void end_probes() {
        std::vector<ProbeJob> left;
        {
            const std::lock_guard lock(mutex_);
            probes_ended_ = true;
            left = std::exchange(probes_, {});
        }
        for (ProbeJob& job : left) {
            job.answer.set_exception(std::make_exception_ptr(
                BadInput("Run " + std::to_string(job.run) + " is not being trained; probe its checkpoint instead.")));
        }
    }

    void mark_ended(RunId id) {
        const std::lock_guard lock(mutex_);
        ended_.insert(id);
    }
    bool ended(RunId id) const {
        const std::lock_guard lock(mutex_);
        return ended_.contains(id);
    }

 private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Changed with the mutex, where a thread may wait for the change.
    std::atomic<bool> stopping_ = false;
    std::atomic<bool> paused_ = false;
    std::atomic<bool> was_paused_ = false;
    std::atomic<RunId> picked_ = 0;
    std::set<RunId> stopping_runs_;
    std::set<RunId> ended_;
    std::vector<ProbeJob> probes_;
    bool probes_ended_ = false;
};

}  // namespace ropelab
