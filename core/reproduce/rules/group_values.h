#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/rules/evaluate.h"

namespace ropelab {

/// Values of a group's ended runs by seed.
struct GroupValues {
    std::map<std::int64_t, double> by_seed;
    std::set<std::int64_t> failed;      // seeds whose last run failed
    int waiting = 0;                    // number of runs that have not ended
    std::set<std::int64_t> unmeasured;  // seeds of ended runs that are not measured yet

    /// Returns the number of runs that have not ended or are not measured.
    int open() const { return waiting + static_cast<int>(unmeasured.size()); }

    /// Returns the values in the order of the seeds.
    std::vector<double> values() const {
        std::vector<double> result;
        for (const auto& [seed, value] : by_seed) result.push_back(value);
        return result;
    }
};

/// Returns the values of a measure of all runs that belong to a group. If several runs share a seed, the last one
/// counts. The value of a failed run is NaN unless it was measured.
GroupValues values_of(std::span<const SheetRun> runs, const GroupKeys& group, const std::string& measure);
/// Returns the mean of several groups seed by seed: NaN for a seed that has no finite value in one of the groups. A
/// seed counts as failed or not measured if it is in one of the groups.
GroupValues mean_by_seed(std::span<const GroupValues> groups);
/// Returns the baseline's values in the order of the group's seeds; NaN if the baseline lacks the seed.
std::vector<double> values_with_same_seeds(const GroupValues& group, const GroupValues& baseline);

}  // namespace ropelab
