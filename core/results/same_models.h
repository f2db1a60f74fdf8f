#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/settings/keys.h"
#include "core/settings/run_spec.h"

namespace ropelab {

/// Equal for runs that train the same model from the same seed, although settings may differ: for example with two
/// thetas but no rotated pair, or with fractions that round to the same number of channels, or with different settings
/// of evaluation. Runs with different settings of the machine are different.
using ModelTraits = std::tuple<std::vector<Value>, std::vector<double>, std::vector<bool>>;
ModelTraits model_traits(const RunSpec& run);
bool same_model(const RunSpec& a, const RunSpec& b);

/// Repeats: runs that train the same model as an earlier run of the sweep.
struct SameModels {
    std::vector<std::size_t> runs;      // indices of the repeats, ascending
    std::vector<std::size_t> as_first;  // index of the first run with that model, per repeat
    /// Remove the repeats and no other run. Repeats with equal settings have none.
    std::vector<std::map<std::string, std::string>> exclusions;
};
SameModels same_models(const std::vector<RunSpec>& runs);

/// How many repeats there are, an example, and the exclusions that remove them (at most five); "" if there are none.
std::string words_of(const SameModels& same, const std::vector<RunSpec>& runs);

}  // namespace ropelab
