#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Whether two runs train the same model from the same seed, by another name: no pair turns whatever theta is, a
/// fraction rounds to as many channels, a value stands for its default. Keys of evaluation and machine tell runs apart.
bool same_model(const RunSpec& a, const RunSpec& b);

/// Runs of a sweep whose model an earlier one trains already.
struct SameModels {
    std::vector<std::size_t> runs;      // places in the list, ascending
    std::vector<std::size_t> as_first;  // what each of them repeats
    /// Sets of keys and values, as Experiment::exclusions has them, that leave out these runs and no other; without
    /// runs that are equal to an earlier one in every key.
    std::vector<std::map<std::string, std::string>> exclusions;
};
SameModels same_models(const std::vector<RunSpec>& runs);

/// One sentence on them, "2 of 6 runs train the very model of another, as \"…\" that of \"…\"; leave them out with
/// exclude fraction=0,theta=500."; "" where there are none. Of more than a handful of exclusions it counts the rest.
std::string words_of(const SameModels& same, const std::vector<RunSpec>& runs);

}  // namespace ropelab
