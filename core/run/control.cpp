#include "core/run/control.h"

#include <exception>
#include <string>
#include <utility>

#include "core/spec/error.h"

namespace ropelab {

void Control::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

void Control::pause(bool paused) {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    was_paused_ = was_paused_ || paused;
    changed_.notify_all();
}

bool Control::was_paused() const {
    const std::lock_guard lock(mutex_);
    return was_paused_;
}

void Control::stop_run(RunId id) {
    const std::lock_guard lock(mutex_);
    stopping_runs_.insert(id);
}

void Control::pick(RunId id) {
    const std::lock_guard lock(mutex_);
    picked_ = id;
}

std::future<ProbeResult> Control::probe(RunId id, ProbeRequest request) {
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

std::vector<ProbeJob> Control::next_probes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(probes_, {});
}

void Control::end_probes() {
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

bool Control::stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

bool Control::paused() const {
    const std::lock_guard lock(mutex_);
    return paused_;
}

bool Control::stopping_run(RunId id) const {
    const std::lock_guard lock(mutex_);
    return stopping_runs_.contains(id);
}

RunId Control::picked() const {
    const std::lock_guard lock(mutex_);
    return picked_;
}

void Control::wait_while_paused() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !paused_ || stopping_ || !probes_.empty(); });
}

void Control::mark_ended(RunId id) {
    const std::lock_guard lock(mutex_);
    ended_.insert(id);
}

bool Control::ended(RunId id) const {
    const std::lock_guard lock(mutex_);
    return ended_.contains(id);
}

}  // namespace ropelab
