#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "core/spec/event.h"

namespace ropelab::ui {

/// A run goes on from its checkpoint: what was measured after `iteration` is void.
struct CutBack {
    RunId run = 0;
    std::int64_t iteration = 0;
};

/// What the training thread hands to the window's thread.
using Delivery = std::variant<Event, CutBack>;

/// Where the training thread and the window's thread meet.
///
///   training thread:  push push push ──────────── push ──────
///                       │ hint (once)               │ hint
///   window's thread:    └─ 33 ms ─ drain: all three └─ 33 ms ─ drain
///
/// The producer never waits for more than a swap of two vectors, and it asks for attention once until the next drain.
class EventQueue {
 public:
    /// `hint` is called on the producer's thread when the queue stops being empty; it must only post something.
    explicit EventQueue(std::function<void()> hint) : hint_(std::move(hint)) {}

    void push(Delivery delivery) {
        bool first = false;
        {
            const std::lock_guard lock(mutex_);
            first = items_.empty();
            items_.push_back(std::move(delivery));
        }
        if (first) hint_();
    }

    /// Everything since the last drain, in order.
    std::vector<Delivery> drain() {
        std::vector<Delivery> result;
        const std::lock_guard lock(mutex_);
        result.swap(items_);
        return result;
    }

 private:
    std::function<void()> hint_;
    std::mutex mutex_;
    std::vector<Delivery> items_;
};

}  // namespace ropelab::ui
