#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/experiment/cohort_trainer.h"

namespace ropelab {

/// A sweep's cohorts in the order in which they train. The runner takes them from the front; any thread may change
/// those that still wait. Also how far the sweep is, judged by operation counts: cohorts may differ in size.
class CohortQueue {
 public:
    /// Puts the runs that a sweep starts with, grouped into cohorts, before what was appended meanwhile.
    void begin(std::vector<TrainedRun> runs);
    /// Behind all that wait. False, and nothing is queued, once the queue has ended.
    bool append(std::vector<TrainedRun> runs);
    /// Takes the first cohort out. nullopt where none waits; the queue has then ended.
    std::optional<std::vector<TrainedRun>> next();
    /// Cuts the cohort that next() gave last: `present` goes on, and the other parts wait in front, in this order; only
    /// cohorts that were moved to the front since stay before them.
    void cut(const std::vector<TrainedRun>& present, std::vector<std::vector<TrainedRun>> parts);
    /// From now on nothing can be appended.
    void end();

    std::vector<WaitingCohort> waiting() const;
    /// Puts a cohort at `place` among those that wait (past the last: behind it). False where it does not wait any
    /// more.
    bool move(std::int64_t cohort, std::size_t place);
    /// False where it does not wait any more.
    bool remove(std::int64_t cohort);
    /// Runs of all cohorts, those of removed ones left out.
    std::size_t runs() const;

    /// Makes a Progress of the present cohort alone (`done`, `seconds` without pauses) one of the whole sweep.
    void fill(event::Progress& progress);

 private:
    struct Entry {
        std::int64_t id = 0;
        std::vector<TrainedRun> runs;
        double work = 0;     // operations
        bool moved = false;  // since next()
    };
    std::vector<Entry> grouped(std::vector<TrainedRun> runs);

    mutable std::mutex mutex_;
    std::deque<Entry> waiting_;
    std::int64_t last_id_ = 0;
    bool ended_ = false;
    std::size_t runs_ = 0;
    int begun_ = 0;
    double work_before_ = 0;  // of cohorts that are over
    double present_work_ = 0;
    double seconds_before_ = 0;
    double present_seconds_ = 0;
};

}  // namespace ropelab
