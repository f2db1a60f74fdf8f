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

/// Enters an experiment and its runs, under their run_names, into a lab, in one transaction, with what theories predict
/// of them (enter_predictions). Returns the plan that trains them; connect it to a recorder.
Plan plan_new_runs(LabFile& lab, const Experiment& experiment);
/// The same with the chosen of its runs alone, by their places in `experiment.expand()`; their names tell them from all
/// runs of the experiment.
Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::vector<std::size_t>& chosen);
/// The same of all runs with what `fix` fixes of the experiment, by its number, in place of these predictions.
Plan plan_new_runs(LabFile& lab, const Experiment& experiment, const std::function<void(std::int64_t)>& fix);

/// A new lab with what `fill` enters, there as a whole or not at all: a program that is killed meanwhile leaves no lab
/// with a part of its runs. Throws BadInput as LabFile::create does, and what `fill` throws.
std::unique_ptr<LabFile> create_filled_lab(const std::filesystem::path& path,
                                           const std::function<void(LabFile&)>& fill);

/// The plan that goes on with the given runs of a lab from their checkpoints, under the conditions of their first
/// start. Runs of a sheet that trains one by one are alone, behind the others and seed by seed. Throws BadInput for a
/// run that is finished or not there.
Plan plan_continued_runs(const LabFile& lab, const std::vector<RunId>& runs);

/// The runs of a lab that are to be trained: neither finished, nor ended by a loss that was no finite number, nor held
/// by another program (LabFile::held_runs).
std::vector<RunId> unfinished_runs(const LabFile& lab);

/// Opens the texts of a plan's runs, in its data_dir, and holds each run to its own: runs that have not begun begin
/// with these. Throws BadInput where a text is another than a run began with, and as open_corpus does. Reads them in
/// full.
void settle_texts(LabFile& lab, const Plan& plan);

/// Claims a plan's runs for this program and makes the plan write what concerns its lab: texts, vocabularies, cut-backs
/// (through a connection of its own, on the runner's thread), and everything recorded before a checkpoint. `recorder`
/// must outlive the runner. Throws BadInput where another program trains one of the runs.
void connect(Plan& plan, const std::filesystem::path& lab, LabRecorder& recorder);

}  // namespace ropelab
