#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "core/store/lab_recorder.h"

namespace ropelab {

/// Such as predictions or a sheet. `experiment` is its number in the lab, `runs` are all runs of its expansion.
using StoreMore = std::function<void(LabFile& lab, std::int64_t experiment, const std::vector<RunSpec>& runs)>;

/// In one transaction, with `more`. If the lab has runs of equal shape with precision=auto, the experiment trains in
/// the precision of the latest of them. Attach the plan to a recorder with connect().
Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const StoreMore& more = {});
/// Only indices `chosen` of `experiment.expand()`. Names distinguish them from all runs of the experiment.
Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::vector<std::size_t>& chosen,
                   const StoreMore& more = {});

/// Field in the documents of an experiment (LabFile::documents). Where it is true, each run of the experiment trains as
/// a cohort of its own, because the experiment compares training times.
inline constexpr const char* sequential_field = "one_by_one";

/// Atomic: if the program is killed in the meantime, no incomplete lab remains there. A link stays a link: the file
/// that it names is created. Throws BadInput like LabFile::create, and whatever `fill` throws.
std::unique_ptr<LabFile> create_filled_lab(const std::filesystem::path& given,
                                           const std::function<void(LabFile&)>& fill);

/// Order of runs of one seed where times are compared: a fixed permutation of the settings that differs from seed to
/// seed, so that a drift of the machine's speed does not align with a setting. It depends on the seed and the run's
/// number in the lab only, so that resumed runs keep their order.
std::uint64_t timing_order(std::int64_t seed, RunId run);

/// From checkpoints, under the conditions of the first start. Runs of an experiment that trains sequentially
/// (sequential_field) are cohorts of their own; they come last, ordered by seed, and within a seed by timing_order.
/// Throws BadInput for a run that is finished or does not exist, and for a checkpoint of another run.
Plan plan_continued_runs(const LabFile& lab, const std::vector<RunId>& runs);

/// Not finished, stopped by successive halving, diverged, or trained by another program (LabFile::claimed_runs).
std::vector<RunId> unfinished_runs(const LabFile& lab);

/// Stores size and checksum with runs that have not begun. BadInput as open_corpus, and if data has changed.
void settle_data(LabFile& lab, const Plan& plan);

/// Claims the runs and sets callbacks: the lab stores data checksums and vocabularies, deletes measurements after a
/// checkpoint from which a run resumes, and has everything on disk before a checkpoint is written. The lab also stores
/// the precision that an experiment settles; a function that the plan already has for this (settle_precision_in_file)
/// is asked first. The callbacks run on the runner's thread with a connection of their own. `recorder` must outlive the
/// runner. Throws BadInput if another program trains one of the runs.
void connect(Plan& plan, const std::filesystem::path& lab, LabRecorder& recorder);

}  // namespace ropelab
