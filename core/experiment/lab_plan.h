#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"
#include "core/store/lab_file.h"
#include "core/store/lab_recorder.h"

namespace ropelab {

/// Enters an experiment and its runs, under their run_names, into a lab, in one transaction. Returns the plan that
/// trains them; connect it to a recorder.
Plan plan_new_runs(LabFile& lab, const Experiment& experiment);
/// The same with the chosen of its runs alone, by their places in `experiment.expand()`; their names tell them from all
/// runs of the experiment.
Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::vector<std::size_t>& chosen);

/// A new lab with what `fill` enters, there as a whole or not at all: a program that is killed meanwhile leaves no lab
/// with a part of its runs. Throws BadInput as LabFile::create does, and what `fill` throws.
std::unique_ptr<LabFile> create_filled_lab(const std::filesystem::path& path,
                                           const std::function<void(LabFile&)>& fill);

/// The plan that goes on with the given runs of a lab from their checkpoints, under the conditions of their first
/// start. Runs of a sheet that trains one by one are alone, behind the others and seed by seed. Throws BadInput for a
/// run that is finished or not there.
Plan plan_continued_runs(const LabFile& lab, const std::vector<RunId>& runs);

/// The runs of a lab that are neither finished nor failed.
std::vector<RunId> unfinished_runs(const LabFile& lab);

/// Makes a plan write what concerns its lab: vocabularies, cut-backs (through a connection of its own, on the runner's
/// thread), and everything recorded before a checkpoint. `recorder` must outlive the runner.
void connect(Plan& plan, const std::filesystem::path& lab, LabRecorder& recorder);

}  // namespace ropelab
