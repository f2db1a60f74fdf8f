#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "core/spec/event.h"

namespace ropelab::ui {

/// A run resumes from its checkpoint at `iteration`: everything measured after that step is discarded.
struct DiscardAfter {
    RunId run = 0;
    std::int64_t iteration = 0;
};

/// From the training thread to the GUI thread.
using Delivery = std::variant<Event, DiscardAfter>;

/// Thread-safe queue of messages from the training thread to the GUI thread.
///
///   training thread:  push push push ──────────── push ──────
///                       │ hint (once)               │ hint
///   GUI thread:         └─ 33 ms ─ drain: all three └─ 33 ms ─ drain
///
/// The training thread never waits for more than a swap of two vectors, and it calls `hint` at most once between two
/// calls of drain().
class EventQueue {
 public:
    /// The training thread calls `hint` when a message enters an empty queue; it must not block, but may post an event.
    explicit EventQueue(std::function<void()> hint) : m_hint(std::move(hint)) {}

    /// Called on the training thread.
    void push(Delivery delivery) {
        bool first = false;
        {
            const std::lock_guard lock(m_mutex);
            first = m_items.empty();
            m_items.push_back(std::move(delivery));
        }
        if (first) m_hint();
    }

    /// Messages since the last call, oldest first.
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
