#pragma once

#include <mutex>
#include <vector>

#include "core/contract/event.h"

namespace ropelab {

/// Stores the events that a Runner publishes. All functions may be called from several threads.
class EventLog {
 public:
    /// Stores an event.
    void operator()(const Event& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }

    /// Returns all events of type T, in the order of publication.
    template <typename T>
    std::vector<T> of() const {
        const std::lock_guard lock(mutex_);
        std::vector<T> result;
        for (const Event& event : events_) {
            if (const auto* wanted = std::get_if<T>(&event)) result.push_back(*wanted);
        }
        return result;
    }

    /// Returns all events, in the order of publication.
    std::vector<Event> all() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }

 private:
    mutable std::mutex mutex_;
    std::vector<Event> events_;
};

}  // namespace ropelab
