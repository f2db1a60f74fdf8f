#pragma once

#include <QString>
#include <chrono>
#include <optional>

#include "core/rope/context.h"
#include "ui/inspect/engine_turn.h"

namespace ropelab::ui {

/// What came of work that had the engine for a while.
template <typename Answer>
struct Outcome {
    std::optional<Answer> answer;
    QString problem;
    bool dropped = false;  // the engine was wanted, so there is neither
};

/// Work that was not asked to end before it was through is whole, whoever wants the engine by now.
template <typename Answer, typename Work>
Outcome<Answer> withEngine(EngineTurn& turn, const Cancelled& cancelled, const Work& work) {
    Outcome<Answer> outcome;
    bool ended = false;
    const Cancelled ends = [&] { return ended = ended || cancelled() || turn.isWanted(); };
    try {
        const bool had = turn.hold([&](Engine& engine) { outcome.answer = work(engine, ends); });
        outcome.dropped = ended || !had;
    } catch (const std::exception& error) {
        outcome.dropped = ended;
        if (!ended) outcome.problem = QString::fromUtf8(error.what());
    }
    if (outcome.dropped) outcome.answer.reset();
    return outcome;
}

/// Passes the number of steps done on, not more often than a person sees.
class StepTeller {
 public:
    explicit StepTeller(std::int64_t steps) : m_steps(steps) {}

    bool isDue(std::int64_t done) {
        using namespace std::chrono_literals;
        const auto now = std::chrono::steady_clock::now();
        if (done == m_told || (m_told >= 0 && done < m_steps && now - m_when < 33ms)) return false;
        m_told = done;
        m_when = now;
        return true;
    }

 private:
    std::int64_t m_steps;
    std::int64_t m_told = -1;
    std::chrono::steady_clock::time_point m_when;
};

}  // namespace ropelab::ui
