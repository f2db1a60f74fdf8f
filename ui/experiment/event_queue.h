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
    explicit EventQueue(std::function<void()> hint) : m_hint(std::move(hint)) {}

    void push(Delivery delivery) {
        bool first = false;
        {
            const std::lock_guard lock(m_mutex);
            first = m_items.empty();
            m_items.push_back(std::move(delivery));
        }
        if (first) m_hint();
    }

    /// Everything since the last drain, in order.
    std::vector<Delivery> drain() {
        std::vector<Delivery> result;
        const std::lock_guard lock(m_mutex);
        result.swap(m_items);
        return result;
    }

 private:
    std::function<void()> m_hint;
    std::mutex m_mutex;
    std::vector<Delivery> m_items;
};

}  // namespace ropelab::ui
