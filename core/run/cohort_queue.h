#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/forecast/remaining_time.h"
#include "core/run/trained_run.h"

namespace ropelab {

/// In training order. The runner takes cohorts from the front; any thread may reorder or remove waiting ones. Progress
/// of the sweep follows from expected times (estimate.h).
class CohortQueue {
 public:
    /// Before runs that were appended in the meantime.
    void begin(std::vector<TrainedRun> runs);
    /// Returns false, and queues nothing, if the queue has ended.
    bool append(std::vector<TrainedRun> runs);
    /// If no cohort waits, ends the queue and returns nullopt.
    std::optional<std::vector<TrainedRun>> next();
    /// The cohort that next() returned last: `present` trains now, and `parts` wait at the front, in this order.
    /// Cohorts that move() put at the front since then stay before them.
    void cut(const std::vector<TrainedRun>& present, std::vector<std::vector<TrainedRun>> parts);
    /// append() returns false from now on.
    void end();

    /// The first one trains first.
    std::vector<WaitingCohort> waiting() const;
    /// `place` is clamped to the end. Returns false if the cohort no longer waits.
    bool move(std::int64_t cohort, std::size_t place);
    /// Returns false if the cohort no longer waits.
    bool remove(std::int64_t cohort);
    double expected_seconds() const;
    /// No runs were appended or removed since begin().
    bool is_as_begun() const;
    /// Begun or waiting; removed ones do not count.
    std::size_t runs() const;

    /// `progress` of the present cohort (`done`, and `seconds` without pauses) becomes that of the whole sweep.
    void fill(event::Progress& progress);

 private:
    struct Entry {
        std::int64_t id = 0;
        std::vector<TrainedRun> runs;
        double work = 0;          // expected seconds
        double earlier_work = 0;  // those of the steps before the one from which it resumes
        bool moved = false;       // moved by move() since the last next()
    };
    std::vector<Entry> grouped(std::vector<TrainedRun> runs);

    mutable std::mutex mutex_;
    std::deque<Entry> waiting_;
    std::int64_t last_id_ = 0;
    bool ended_ = false;
    std::size_t runs_ = 0;
    bool changed_ = false;     // runs were appended or removed
    double earlier_work_ = 0;  // of all runs that were not removed
    int begun_ = 0;

    double work_before_ = 0;  // expected seconds of cohorts that have ended
    double present_work_ = 0;
    double seconds_before_ = 0;
    double present_seconds_ = 0;
    RemainingTime remaining_;
};

}  // namespace ropelab
