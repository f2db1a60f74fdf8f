#include "core/run/cohort_queue.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/experiment/experiment.h"
#include "core/forecast/estimate.h"
#include "core/forecast/likely_data.h"

namespace ropelab {

namespace {

// Indices of runs of equal shape that start from the same step under the same conditions. Runs that must train alone
// form their own cohorts. Cohorts are ordered by their first runs.
std::vector<std::vector<std::size_t>> cohorts_of(const std::vector<TrainedRun>& runs) {
    std::vector<RunSpec> specs;
    specs.reserve(runs.size());
    for (const TrainedRun& run : runs) specs.push_back(run.plan.spec);
    std::vector<std::vector<std::size_t>> cohorts;
    for (const auto& group : group_into_cohorts(specs)) {
        std::vector<std::vector<std::size_t>> parts;
        for (std::size_t index : group) {
            auto match = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
                const TrainedRun& first = runs[part.front()];
                return !first.plan.alone && !runs[index].plan.alone && first.starts_like(runs[index]) &&
                       first.plan.stopping == runs[index].plan.stopping;
            });
            if (match == parts.end()) match = parts.insert(parts.end(), std::vector<std::size_t>{});
            match->push_back(index);
        }
        cohorts.insert(cohorts.end(), parts.begin(), parts.end());
    }
    std::stable_sort(cohorts.begin(), cohorts.end(),
                     [](const auto& a, const auto& b) { return a.front() < b.front(); });
    return cohorts;
}

// Expected seconds from step `iteration` on, without the start of the engine.
double work_from(std::int64_t iteration, const std::vector<TrainedRun>& runs) {
    const TrainedRun& run = runs.front();
    const auto model = machine_time_model();
    const RunSpec& spec = run.plan.spec;
    const CohortWork work =
        cohort_work(spec, std::ssize(runs), iteration, static_cast<double>(likely_validation_tokens(spec)), false);
    return std::max(1e-6, model->seconds(model->key_of(spec), work));
}

double work_of(const std::vector<TrainedRun>& runs) {
    return work_from(runs.front().iteration(), runs);
}

}  // namespace

std::vector<CohortQueue::Entry> CohortQueue::grouped(std::vector<TrainedRun> runs) {
    std::vector<Entry> entries;
    for (const auto& members : cohorts_of(runs)) {
        Entry& entry = entries.emplace_back();
        entry.id = ++last_id_;
        for (std::size_t index : members) entry.runs.push_back(std::move(runs[index]));
        entry.work = work_of(entry.runs);
        entry.earlier_work = work_from(0, entry.runs) - entry.work;
        earlier_work_ += entry.earlier_work;
        runs_ += entry.runs.size();
    }
    return entries;
}

void CohortQueue::begin(std::vector<TrainedRun> runs) {
    const std::lock_guard lock(mutex_);
    auto entries = grouped(std::move(runs));
    waiting_.insert(waiting_.begin(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
}

bool CohortQueue::append(std::vector<TrainedRun> runs) {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    changed_ = true;
    auto entries = grouped(std::move(runs));
    waiting_.insert(waiting_.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
    return true;
}

std::optional<std::vector<TrainedRun>> CohortQueue::next() {
    const std::lock_guard lock(mutex_);
    work_before_ += present_work_;
    seconds_before_ += present_seconds_;
    present_work_ = 0;
    present_seconds_ = 0;
    ended_ = ended_ || waiting_.empty();
    if (ended_) return std::nullopt;
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    for (Entry& other : waiting_) other.moved = false;
    present_work_ = entry.work;
    ++begun_;
    return std::move(entry.runs);
}

void CohortQueue::cut(const std::vector<TrainedRun>& present, std::vector<std::vector<TrainedRun>> parts) {
    const std::lock_guard lock(mutex_);
    present_work_ = work_of(present);
    std::vector<Entry> entries;
    for (std::vector<TrainedRun>& part : parts) {
        const double work = work_of(part);
        const double earlier = work_from(0, part) - work;
        entries.push_back({++last_id_, std::move(part), work, earlier, false});
    }
    const auto place = std::find_if(waiting_.begin(), waiting_.end(), [](const Entry& entry) { return !entry.moved; });
    waiting_.insert(place, std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
}

void CohortQueue::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
}

std::vector<WaitingCohort> CohortQueue::waiting() const {
    const std::lock_guard lock(mutex_);
    std::vector<WaitingCohort> result;
    for (const Entry& entry : waiting_) {
        WaitingCohort& cohort = result.emplace_back();
        cohort.id = entry.id;
        for (const TrainedRun& run : entry.runs) cohort.runs.push_back(run.plan.id);
    }
    return result;
}

bool CohortQueue::move(std::int64_t cohort, std::size_t place) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Entry& e) { return e.id == cohort; });
    if (found == waiting_.end()) return false;
    Entry entry = std::move(*found);
    entry.moved = true;
    waiting_.erase(found);
    const auto target = static_cast<std::ptrdiff_t>(std::min(place, waiting_.size()));
    waiting_.insert(waiting_.begin() + target, std::move(entry));
    return true;
}

bool CohortQueue::remove(std::int64_t cohort) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Entry& e) { return e.id == cohort; });
    if (found == waiting_.end()) return false;
    changed_ = true;
    runs_ -= found->runs.size();
    earlier_work_ -= found->earlier_work;
    waiting_.erase(found);
    return true;
}

double CohortQueue::expected_seconds() const {
    const std::lock_guard lock(mutex_);
    double seconds = 0;
    for (const Entry& entry : waiting_) seconds += entry.work;
    return seconds;
}

bool CohortQueue::is_as_begun() const {
    const std::lock_guard lock(mutex_);
    return !changed_;
}

std::size_t CohortQueue::runs() const {
    const std::lock_guard lock(mutex_);
    return runs_;
}

void CohortQueue::fill(event::Progress& progress) {
    const std::lock_guard lock(mutex_);
    present_seconds_ = progress.seconds;
    double total = work_before_ + present_work_;
    for (const Entry& entry : waiting_) total += entry.work;
    const double work = work_before_ + progress.done * present_work_;
    progress.done = (earlier_work_ + work) / (earlier_work_ + total);
    progress.cohort = begun_;
    progress.cohorts = begun_ + static_cast<int>(waiting_.size());
    progress.seconds = seconds_before_ + present_seconds_;
    // The time before the first step also contains the start of the engine: `work` is 0 until then.
    remaining_.add(progress.seconds, work);
    const auto left = remaining_.left(total);
    progress.seconds_left = left ? left->likely : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ropelab
