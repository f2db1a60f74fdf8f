#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/sweep/search.h"
#include "core/store/lab_file.h"

namespace ropelab::ui {

struct SweepOptions {
    std::optional<Search> search = std::nullopt;  // samples ranges of settings, or stops runs at rungs
    bool extends = false;                         // only the runs that the lab lacks are added
    bool anew = false;                            // added runs with more iterations begin from the beginning
    bool operator==(const SweepOptions&) const = default;

    bool samples(std::string_view key) const { return search && search->samples_key(key); }
};

/// Reason why a sweep that extends a lab adds nothing.
inline constexpr const char* kNoRunIsMissing =
    "The lab has all runs of this sweep, so that none is added; add a value, a seed or iterations.";

/// `search`, if given, receives the search with its first rung. Throws BadInput if the search does not fit.
Experiment sampledExperiment(const Experiment& experiment, const SweepOptions& options, Search* search = nullptr);

/// `lab` may be null. A run that continues a shorter one has only the remaining iterations. Throws BadInput if there is
/// no such sweep, and if the sweep extends a lab that has all its runs.
std::vector<RunSpec> runsToTrain(const Experiment& experiment, const SweepOptions& options, const LabFile* lab);

}  // namespace ropelab::ui
