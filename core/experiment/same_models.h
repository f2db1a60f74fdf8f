#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Returns whether two runs train the same model from the same seed although their settings may differ: for example
/// with two thetas but no rotated pair, or with fractions that round to the same number of channels. Runs with
/// different settings of evaluation or machine are different.
bool same_model(const RunSpec& a, const RunSpec& b);

/// The runs of a sweep that train the same model as an earlier run (repeats).
struct SameModels {
    std::vector<std::size_t> runs;      // indices of the repeats, ascending
    std::vector<std::size_t> as_first;  // index of the first run with that model, per repeat
    /// Exclusions (see Experiment::exclusions) that remove the repeats and no other run. Repeats that equal an earlier
    /// run in every setting have none.
    std::vector<std::map<std::string, std::string>> exclusions;
};
/// Finds the repeats among the runs of a sweep.
SameModels same_models(const std::vector<RunSpec>& runs);

/// Returns one sentence about the repeats: how many there are, an example, and the exclusions that remove them (at most
/// five, and the number of others); "" if there are none.
std::string words_of(const SameModels& same, const std::vector<RunSpec>& runs);

}  // namespace ropelab
