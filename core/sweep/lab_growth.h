#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/store/lab_file.h"
#include "core/sweep/lab_plan.h"

namespace ropelab {

struct AddedRun {
    RunSpec spec;
    /// Equals this run up to `iteration`, which continues from a copy of its checkpoint; nullopt: from the beginning.
    std::optional<RunId> continues = std::nullopt;
    std::int64_t iteration = 0;
};

/// Two runs are the same if all their settings are equal, whether they were set or are the defaults.
struct Growth {
    std::vector<AddedRun> added;  // in the order of Experiment::expand
    std::size_t present = 0;      // number of runs of the experiment that the lab already has
};

/// nullopt if there is none.
std::optional<Experiment> newest_experiment(const LabFile& lab);
bool stores_experiment(const LabFile& lab, const Experiment& experiment);

/// "" if both are equal up to the last iteration of `shorter`, else the reason, as a clause.
std::string why_not_continued(const RunSpec& shorter, const RunSpec& longer);

/// A run that only has more iterations than one of the lab continues from a copy of its checkpoint, unless `anew`.
/// Throws BadInput as why_not_continued says, and for a reproduction sheet.
Growth growth_of(const LabFile& lab, const Experiment& experiment, bool anew);

/// With checkpoints for runs that continue shorter ones, which stay as they are. Results that showed the latest
/// experiment show all experiments from then on. Remembers `data_dir` unless empty. Throws BadInput, changing nothing,
/// if data cannot be read or has changed. `more` gets the added runs.
void grow_lab(LabFile& lab, const Experiment& experiment, const Growth& growth, const std::filesystem::path& data_dir,
              const StoreMore& more = {});

/// Searched first for data sets. Does nothing for an empty path.
void remember_data_dir(LabFile& lab, std::int64_t experiment, const std::filesystem::path& data_dir);
/// From the newest experiment; an empty path if there is none.
std::filesystem::path remembered_data_dir(const LabFile& lab);

}  // namespace ropelab
