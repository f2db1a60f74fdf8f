#pragma once

#include <deque>
#include <functional>

#include "ui/inspect/inspect_data.h"

namespace ropelab::ui {

/// The end of a scale over all snapshots of two runs, kept: every frame of a replay asks for the same, and looking
/// through all snapshots takes as long as a picture.
class KeptScale {
 public:
    /// What `compute` gave for these two runs and choices; runs are told apart as objects, which never change.
    double of(const InspectData& data, const std::vector<std::int64_t>& choices,
              const std::function<double()>& compute) {
        for (const Kept& each : m_kept) {
            if (isOf(each.run, data.run) && isOf(each.ghost, data.ghost) && each.choices == choices) return each.value;
        }
        m_kept.push_front({data.run, data.ghost, choices, compute()});
        if (m_kept.size() > kMost) m_kept.pop_back();
        return m_kept.front().value;
    }

 private:
    // By owner: a pointer may come back for another run after this one's end.
    static bool isOf(const std::weak_ptr<const InsideRun>& kept, const std::shared_ptr<const InsideRun>& run) {
        return !kept.owner_before(run) && !run.owner_before(kept);
    }

    static constexpr std::size_t kMost = 4;  // two pictures side by side, and one before
    struct Kept {
        std::weak_ptr<const InsideRun> run;
        std::weak_ptr<const InsideRun> ghost;
        std::vector<std::int64_t> choices;
        double value = 0;
    };
    std::deque<Kept> m_kept;
};

}  // namespace ropelab::ui
