#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "core/run/runner.h"

namespace ropelab::ui {

/// A lock for the engine, which one thread can use at a time. Training has priority: it asks other work (such as the
/// analysis of a checkpoint) to end, and waits for it. All functions can be called from any thread.
///
///   other work: ┌ hold() ─── isWanted() is true, work ends ─┐
///   training:        forTraining()() waits ─────────────────┴─ uses the engine; hold() returns false until released()
class EngineLock {
 public:
    explicit EngineLock(Runner::EngineSource source) : m_source(std::move(source)) {}

    /// The returned source asks other work to end and waits for it.
    Runner::EngineSource forTraining() const {
        return [this]() -> Engine& {
            m_training = true;
            const std::lock_guard lock(m_mutex);
            return m_source();
        };
    }
    /// Call after training has ended.
    void released() { m_training = false; }

    /// Training wants the engine, so that other work must end.
    bool isWanted() const { return m_training; }
    /// Returns false, without calling `work`, if training uses the engine.
    bool hold(const std::function<void(Engine&)>& work) {
        const std::lock_guard lock(m_mutex);
        if (m_training) return false;
        work(m_source());
        return true;
    }

 private:
    Runner::EngineSource m_source;
    mutable std::mutex m_mutex;
    mutable std::atomic<bool> m_training = false;
};

}  // namespace ropelab::ui
