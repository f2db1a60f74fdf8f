#include "core/stats/results_clocks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/spec/training_clock.h"

namespace ropelab {

namespace {

// Returns the session of each run's clock by its seed.
std::map<std::int64_t, std::string> sessions_of(const ResultGroup& group) {
    std::map<std::int64_t, std::string> result;
    for (std::size_t i = 0; i < group.seeds.size(); ++i)
        result[group.seeds[i]] = training_clock(group.clocks[i])->session;
    return result;
}

using Clocks = std::set<std::pair<std::string, std::int64_t>>;

// Adds the clocks of a group's runs. Returns false if a run has none, a place that is not random, or a clock of another
// run.
bool add_own_clocks(const ResultGroup& group, Clocks& clocks) {
    return std::all_of(group.clocks.begin(), group.clocks.end(), [&](const std::string& text) {
        const auto clock = training_clock(text);
        return clock && clock->random_order && clocks.emplace(clock->session, clock->cohort).second;
    });
}

}  // namespace

bool is_training_time(std::size_t measure) {
    const std::string_view name = measures()[measure].name;
    return name == "seconds" || name == "tokens_per_second";
}

bool has_own_clocks(const ResultGroup& group) {
    Clocks clocks;
    return add_own_clocks(group, clocks) && !clocks.empty();
}

bool is_testable(const ResultGroup& a, const ResultGroup& b, std::size_t measure) {
    if (!is_training_time(measure)) return true;
    Clocks clocks;
    if (!add_own_clocks(a, clocks) || !add_own_clocks(b, clocks)) return false;
    const auto ours = sessions_of(a), theirs = sessions_of(b);
    std::set<std::string> our_sessions, their_sessions;
    for (const auto& [seed, session] : ours) {
        our_sessions.insert(session);
        if (theirs.contains(seed) && theirs.at(seed) != session) return false;
    }
    for (const auto& [seed, session] : theirs) their_sessions.insert(session);
    return our_sessions == their_sessions;
}

Description describe_measure(const ResultGroup& group, std::size_t measure) {
    const std::vector<double> values = group.values(measure);
    if (!is_training_time(measure) || has_own_clocks(group)) return describe(values);
    // Labs of older versions store no clocks, but only runs of one cohort have exactly equal times.
    std::map<std::pair<std::string, double>, std::vector<double>> by_clock;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        by_clock[{group.clocks[i], group.clocks[i].empty() ? values[i] : 0}].push_back(values[i]);
    }
    std::vector<double> means;
    for (const auto& [clock, list] : by_clock) means.push_back(describe(list).mean);
    const double mean = describe(means).mean;
    return describe({&mean, 1});
}

}  // namespace ropelab
