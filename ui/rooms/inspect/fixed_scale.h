#pragma once

#include <deque>
#include <functional>

#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

/// Caches the end of a colour or length scale over all snapshots of two runs, because every frame of a replay needs it,
/// and computing it takes as long as painting a figure.
class ScaleCache {
 public:
    /// Runs are compared by identity, because a run object never changes.
    double get(const InspectData& data, const std::vector<std::int64_t>& choices,
               const std::function<double()>& compute) {
        for (const Entry& each : m_entries) {
            if (isSame(each.run, data.run) && isSame(each.ghost, data.ghost) && each.choices == choices)
                return each.value;
        }
        m_entries.push_front({data.run, data.ghost, choices, compute()});
        if (m_entries.size() > kMaxEntries) m_entries.pop_back();
        return m_entries.front().value;
    }

 private:
    // The address of a deleted run can be reused for another one.
    static bool isSame(const std::weak_ptr<const InsideRun>& cached, const std::shared_ptr<const InsideRun>& run) {
        return !cached.owner_before(run) && !run.owner_before(cached);
    }

    static constexpr std::size_t kMaxEntries = 4;  // for two figures side by side and for previous choices
    struct Entry {
        std::weak_ptr<const InsideRun> run;
        std::weak_ptr<const InsideRun> ghost;
        std::vector<std::int64_t> choices;
        double value = 0;
    };
    std::deque<Entry> m_entries;
};

}  // namespace ropelab::ui
