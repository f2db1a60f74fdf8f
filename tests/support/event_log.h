#pragma once

#include <mutex>
#include <vector>

#include "core/spec/event.h"

namespace ropelab {

/// Keeps what a Runner publishes; safe to read while it does.
class EventLog {
 public:
    void operator()(const Event& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }

    template <typename T>
    std::vector<T> of() const {
        const std::lock_guard lock(mutex_);
        std::vector<T> result;
        for (const Event& event : events_) {
            if (const auto* wanted = std::get_if<T>(&event)) result.push_back(*wanted);
        }
        return result;
    }

    std::vector<Event> all() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }

 private:
    mutable std::mutex mutex_;
    std::vector<Event> events_;
};

}  // namespace ropelab
