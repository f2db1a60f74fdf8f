#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/sweep/lab_plan.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// The lab does not have it yet.
struct AddedRun {
    RunSpec spec;
    /// Equals this run up to `iteration`; this one continues from a copy of its checkpoint; nullopt if it starts from
    /// the beginning.
    std::optional<RunId> continues = std::nullopt;
    std::int64_t iteration = 0;
};

/// Two runs are the same if all their settings are equal, whether they were set or are the defaults.
struct Growth {
    std::vector<AddedRun> added;  // in the order of Experiment::expand
    std::size_t present = 0;      // number of runs of the experiment that the lab already has
};

/// JSON with `continued`, a list of {"run", "from", "iteration"}.
inline constexpr const char* extension_document = "extension";

/// nullopt if there is none.
std::optional<Experiment> newest_experiment(const LabFile& lab);
/// With this description.
bool stores_experiment(const LabFile& lab, const Experiment& experiment);

/// "" if `longer` can continue from the checkpoint of `shorter`, because both are equal up to its last iteration;
/// otherwise the reason, as a clause.
std::string why_not_continued(const RunSpec& shorter, const RunSpec& longer);

/// A run that differs from a run of the lab only in having more iterations continues from a copy of its checkpoint,
/// unless `anew`. Throws BadInput if its schedule does not allow this (see why_not_continued), and if the lab holds a
/// reproduction sheet.
Growth growth_of(const LabFile& lab, const Experiment& experiment, bool anew);

/// With checkpoints for runs that continue shorter ones, which stay as they are. Results that showed the latest
/// experiment show all experiments from then on. `data_dir` is remembered unless it is empty. Throws BadInput, and
/// changes nothing, if the data of the added runs cannot be read or has changed. `more` is called before the first run
/// begins, with the added runs.
void grow_lab(LabFile& lab, const Experiment& experiment, const Growth& growth, const std::filesystem::path& data_dir,
              const StoreMore& more = {});

/// Searched first for data sets. Does nothing for an empty path.
void remember_data_dir(LabFile& lab, std::int64_t experiment, const std::filesystem::path& data_dir);
/// From the newest experiment; an empty path if there is none.
std::filesystem::path remembered_data_dir(const LabFile& lab);

}  // namespace ropelab
