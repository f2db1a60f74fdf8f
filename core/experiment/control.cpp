#include "core/experiment/control.h"

namespace ropelab {

void Control::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
}

void Control::pause(bool paused) {
    const std::lock_guard lock(mutex_);
    paused_ = paused;
    changed_.notify_all();
}

void Control::stop_run(RunId id) {
    const std::lock_guard lock(mutex_);
    stopping_runs_.insert(id);
}

void Control::pick(RunId id) {
    const std::lock_guard lock(mutex_);
    picked_ = id;
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
    changed_.wait(lock, [&] { return !paused_ || stopping_; });
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
