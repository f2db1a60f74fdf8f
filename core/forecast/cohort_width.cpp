#include "core/forecast/cohort_width.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/forecast/device_need.h"
#include "core/forecast/likely_data.h"
#include "core/machine/clock.h"
#include "core/plan/step_cost.h"

namespace ropelab {

namespace {

double throughput(const StepTimes::value_type& time) {
    return static_cast<double>(time.first) / time.second;
}

std::vector<std::size_t> widths_up_to(std::size_t runs) {
    std::vector<std::size_t> widths;
    for (std::size_t width = 1; width < runs; width *= 2) widths.push_back(width);
    widths.push_back(runs);
    return widths;
}

std::string times_text(double ratio) {
    return number_text(std::round(100.0 * ratio) / 100.0);
}

// One shape under one choice of conditions, since the program started.
struct Timed {
    RunSpec shape;
    RunConditions conditions;
    bool settled_here = false;  // the conditions were chosen by this program, not stored with the runs
    StepTimes times;
};
std::mutex timed_mutex;
std::vector<Timed>& all_timed() {
    static std::vector<Timed> timed;
    return timed;
}

// nullopt: conditions chosen by this program; null if there is no entry. The caller must hold timed_mutex.
Timed* find_timed(const RunSpec& spec, const std::optional<RunConditions>& conditions) {
    for (Timed& entry : all_timed()) {
        const bool fits = conditions ? equal_conditions(*conditions, entry.conditions) : entry.settled_here;
        if (fits && same_shape(entry.shape, spec)) return &entry;
    }
    return nullptr;
}

void store_times(const RunSpec& spec, const RunConditions& conditions, bool settled_here, const StepTimes& times) {
    const std::lock_guard lock(timed_mutex);
    Timed* entry = find_timed(spec, conditions);
    if (!entry) entry = &all_timed().emplace_back(Timed{spec, conditions, false, {}});
    entry->settled_here = entry->settled_here || settled_here;
    entry->times = times;
}

CohortStart first_runs(const CohortStart& start, std::size_t count) {
    CohortStart result;
    result.runs.assign(start.runs.begin(), start.runs.begin() + static_cast<std::ptrdiff_t>(count));
    result.conditions = start.conditions;
    const auto plans = static_cast<std::ptrdiff_t>(std::min(count, start.plans.size()));
    result.plans.assign(start.plans.begin(), start.plans.begin() + plans);
    result.precision_reason = start.precision_reason;
    return result;
}

// At step 0; nullopt if cancelled.
std::optional<double> time_cohort(Engine& engine, CohortStart& start, const TokenData& data, std::size_t width,
                                  const std::function<bool()>& cancelled) {
    if (cancelled && cancelled()) return std::nullopt;
    double best = std::numeric_limits<double>::infinity();
    {
        const auto cohort = engine.create_cohort(first_runs(start, width), data);
        if (!start.conditions) start.conditions = cohort->conditions();
        const TimedSteps steps = timed_steps(start.conditions->device == "cuda");
        const auto made = Clock::now();
        // Short steps are timed more often, because other programs disturb some of them.
        const auto more = [&](std::int64_t i) { return i < 50 && seconds_since(made) < 0.05; };
        for (std::int64_t i = 0; i < steps.warm_up + steps.counted || more(i); ++i) {
            if (cancelled && cancelled()) return std::nullopt;
            const auto begin = Clock::now();
            cohort->step();
            if (i >= steps.warm_up) best = std::min(best, seconds_since(begin));
        }
    }
    return best;
}

}  // namespace

bool equal_conditions(const RunConditions& a, const RunConditions& b) {
    return a.precision == b.precision && a.device == b.device && a.threads == b.threads && a.graphs == b.graphs;
}

std::vector<std::size_t> equal_parts(std::size_t runs, std::size_t widest) {
    const std::size_t count = (runs + widest - 1) / widest;
    std::vector<std::size_t> parts(count, runs / count);
    for (std::size_t i = 0; i < runs % count; ++i) ++parts[i];
    return parts;
}

std::size_t max_width_in_memory(const RunSpec& spec) {
    const MemoryNeed alone = memory_need(spec, 1, likely_vocabulary(spec));
    const double for_runs = physical_memory() / 2.0 - alone.engine;
    return static_cast<std::size_t>(std::max(1.0, for_runs / (alone.total() - alone.engine)));
}

std::vector<std::vector<std::size_t>> split_by_memory(const std::vector<std::vector<std::size_t>>& cohorts,
                                                      const std::vector<RunSpec>& specs) {
    std::vector<std::vector<std::size_t>> result;
    for (const auto& cohort : cohorts) {
        const RunSpec& spec = specs[cohort.front()];
        const std::size_t widest = spec.device == Device::cuda ? cohort.size() : max_width_in_memory(spec);
        auto next = cohort.begin();
        for (const std::size_t size : equal_parts(cohort.size(), widest)) {
            const auto end = next + static_cast<std::ptrdiff_t>(size);
            result.emplace_back(next, end);
            next = end;
        }
    }
    return result;
}

std::size_t best_width(const StepTimes& times, std::size_t runs) {
    constexpr double tolerated = 0.97;
    if (times.empty()) return runs;
    double fastest = 0;
    for (const auto& time : times) fastest = std::max(fastest, throughput(time));
    std::size_t best = 1;
    for (const auto& time : times) {
        if (throughput(time) >= tolerated * fastest) best = time.first;
    }
    return best == times.rbegin()->first ? runs : std::min(best, runs);
}

TimedSteps timed_steps(bool cuda) {
    return cuda ? TimedSteps{5, 8} : TimedSteps{1, 3};
}

bool pays_to_measure(std::size_t runs, std::int64_t iterations, bool cuda) {
    if (runs < 2) return false;
    constexpr double allowed_fraction = 0.01;
    const TimedSteps steps = timed_steps(cuda);
    double steps_taken = 0;
    for (const std::size_t width : widths_up_to(runs)) {
        steps_taken += static_cast<double>(width) * static_cast<double>(steps.warm_up + steps.counted);
    }
    return steps_taken <= allowed_fraction * static_cast<double>(runs) * static_cast<double>(iterations);
}

void measure_widths(StepTimes& times, std::size_t runs, std::int64_t iterations, const TimeSteps& time_steps,
                    const std::function<double()>& seconds) {
    constexpr double allowed_fraction = 0.02;
    constexpr double long_sweep = 10;  // seconds; in shorter sweeps the choice saves no noticeable time
    double begin = seconds();
    double seconds_per_run = 0;  // duration of timing the last cohort, divided by its runs
    for (const std::size_t width : widths_up_to(runs)) {
        if (!times.empty() && std::isinf(times.rbegin()->second)) return;
        if (!times.empty() && width <= times.rbegin()->first) continue;
        if (const auto alone = times.find(1); alone != times.end()) {
            const double work = alone->second * static_cast<double>(iterations) * static_cast<double>(runs);
            if (work < long_sweep ||
                seconds() - begin + seconds_per_run * static_cast<double>(width) > allowed_fraction * work)
                return;
        }
        const double before = seconds();
        try {
            const std::optional<double> taken = time_steps(width);
            if (!taken) return;
            times[width] = *taken;
        } catch (const BadInput&) {
            if (width == 1) throw;
            times[width] = std::numeric_limits<double>::infinity();
            return;
        }
        if (width == 1) {
            begin = seconds();  // the first timing also chose the precision, which training needs anyway
        } else {
            seconds_per_run = (seconds() - before) / static_cast<double>(width);
        }
    }
}

std::string width_message(StepTimes times, std::size_t chosen, std::size_t runs) {
    std::erase_if(times, [](const auto& time) { return std::isinf(time.second); });
    const auto alone = times.find(1);
    const auto found = times.find(chosen);
    if (alone == times.end() || found == times.end() || times.size() < 2) return {};
    const std::string limit = chosen == 1      ? "One run"
                              : chosen == runs ? "All " + std::to_string(runs) + " runs"
                                               : "At most " + std::to_string(chosen) + " runs";
    const auto other = chosen == 1 ? std::prev(times.end()) : alone;
    return limit + (chosen == 1 ? " trains" : " train") + " at a time, which is " +
           times_text(throughput(*found) / throughput(*other)) + " × as fast as " +
           (chosen == 1 ? std::to_string(other->first) + " together" : "sequentially") + ".";
}

CohortWidth choose_width(Engine& engine, const CohortStart& start, const TokenData& data,
                         const std::function<bool()>& cancelled) {
    const RunSpec& spec = start.runs.front();
    StepTimes times;
    CohortStart timed = first_runs(start, start.runs.size());  // at step 0, under the conditions chosen so far
    {
        const std::lock_guard lock(timed_mutex);
        if (const Timed* known = find_timed(spec, start.conditions)) {
            times = known->times;
            if (!start.conditions) timed.conditions = known->conditions;
        }
    }

    RunSpec settled = spec;
    if (timed.conditions) settled.precision = precision_of(*timed.conditions);
    const bool may_be_cuda =
        timed.conditions ? timed.conditions->device == "cuda"
                         : spec.device == Device::cuda || (spec.device == Device::automatic && !spec.theta_varies());
    const EngineInfo info = may_be_cuda ? engine.info() : EngineInfo();
    const bool cuda = may_be_cuda && info.cuda;
    CohortWidth result;
    result.runs = start.runs.size();
    if (!cuda) {
        result.runs = std::min(result.runs, max_width_in_memory(settled));
    } else if (info.cuda_memory > 0) {
        result.runs = runs_that_fit(settled, result.runs, data.vocabulary, info.cuda_memory);
    }
    if (result.runs < start.runs.size()) {
        result.message = "At most " + std::to_string(result.runs) + " of " + std::to_string(start.runs.size()) +
                         " runs fit into " + (cuda ? "the device's memory" : "half of this machine's memory") +
                         " together.";
    }

    const std::size_t runs = result.runs;
    const std::int64_t iterations = spec.iterations - start.iteration;
    const bool known_best =
        !times.empty() && (times.rbegin()->first >= runs || best_width(times, runs) < times.rbegin()->first);
    if (!known_best && pays_to_measure(runs, iterations, cuda)) {
        const auto begin = Clock::now();
        measure_widths(
            times, runs, iterations,
            [&](std::size_t width) { return time_cohort(engine, timed, data, width, cancelled); },
            [&] { return seconds_since(begin); });
        if (!times.empty()) store_times(spec, *timed.conditions, !start.conditions, times);
    }
    if (!times.empty()) {
        result.runs = best_width(times, runs);
        const std::string explanation = width_message(times, result.runs, start.runs.size());
        result.message += (result.message.empty() || explanation.empty() ? "" : " ") + explanation;
    }
    // The conditions are chosen once for all parts, because separate choices might differ.
    if (!timed.conditions && result.runs < start.runs.size()) {
        timed.conditions = engine.create_cohort(first_runs(timed, 1), data)->conditions();
    }
    result.conditions = timed.conditions;
    return result;
}

std::string width_plan(const std::vector<RunSpec>& runs) {
    const RunSpec& spec = runs.front();
    {
        const std::lock_guard lock(timed_mutex);
        if (const Timed* known = find_timed(spec, std::nullopt)) {
            return width_message(known->times, best_width(known->times, runs.size()), runs.size());
        }
    }
    if (!pays_to_measure(runs.size(), spec.iterations, spec.device == Device::cuda)) return {};
    return "A few training steps are timed first to choose how many runs train as one batch.";
}

void clear_step_times() {
    const std::lock_guard lock(timed_mutex);
    all_timed().clear();
}

}  // namespace ropelab
