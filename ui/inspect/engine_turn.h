#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

#include "core/experiment/runner.h"

namespace ropelab::ui {

/// The engine is one thread's at a time: training goes first, and what looks into a checkpoint takes its turn when
/// nothing trains. Any thread.
///
///   looking:   ┌ hold ──────── asked to end ─┐
///   training:        source() ──── waits ────┴── has the engine; hold() is refused until released()
class EngineTurn {
 public:
    explicit EngineTurn(Runner::EngineSource source) : m_source(std::move(source)) {}

    /// What a Runner takes for its engine: asks whoever looks to end, and waits for it.
    Runner::EngineSource forTraining() const {
        return [this]() -> Engine& {
            m_training = true;
            const std::lock_guard lock(m_mutex);
            return m_source();
        };
    }
    /// Nothing trains any more.
    void released() { m_training = false; }

    /// Whether who looks should end.
    bool isWanted() const { return m_training; }
    /// Calls `work` with the engine; false where training has it.
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
