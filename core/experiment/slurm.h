#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/runner.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// The runs of one cohort of an experiment, by their places in `runs`, all that it has; cohorts count from 0, in the
/// order of group_into_cohorts. Throws BadInput for a number that no cohort has.
std::vector<std::size_t> places_of_cohort(const std::vector<RunSpec>& runs, std::int64_t cohort);

/// As plan_new_runs, with one cohort's runs alone; the lab keeps the whole experiment's description.
Plan plan_new_cohort(LabFile& lab, const Experiment& experiment, std::int64_t cohort);

/// Throws BadInput unless the lab's runs are those of this cohort.
void check_holds_cohort(const LabFile& lab, const Experiment& experiment, std::int64_t cohort);

struct SlurmOptions {
    /// Must not exist, or be empty.
    std::filesystem::path folder;
    /// ropelab-cli as the cluster's machines find it.
    std::filesystem::path program;
    /// As --data-dir; empty for none.
    std::filesystem::path data_dir;
    /// Tasks that run at a time, at most.
    std::int64_t at_once = 8;
};

/// A job array that was written, and what each of its tasks asks the cluster for.
struct SlurmArray {
    int tasks = 0;  // one a cohort
    int runs = 0;
    double estimated_seconds = 0;  // of the longest task
    std::string time;              // days-hours:minutes:seconds, with a margin
    std::int64_t megabytes = 0;    // of the machine's memory, with a margin
    std::int64_t cores = 0;
    bool gpu = false;
};

/// Writes an experiment as a Slurm job array, and runs nothing. The folder may be moved; a text that the experiment
/// names relative to the working directory is entered with its whole path.
///
///   experiment.json    the description
///   task-N.ropelab     one lab a cohort, its runs waiting; all with one and the same experiment, so that they merge
///                      into one
///   job.sbatch         the array; a task that is put back into the queue goes on from its checkpoints
///   merge.sbatch       merges the labs into merged.ropelab once all tasks have ended, however they did
///   submit.sh          hands in both; what it is given goes to sbatch, as --partition
///
/// Throws BadInput where the experiment does not hold together or the folder cannot be written.
SlurmArray write_slurm_array(const Experiment& experiment, const SlurmOptions& options);

/// A time limit as Slurm reads it, "D-HH:MM:SS", three times the estimate and five minutes to start, rounded up to five
/// minutes.
std::string slurm_time(double estimated_seconds);

/// A text as one word of a shell: 'it'\''s'.
std::string shell_quoted(const std::string& text);

}  // namespace ropelab
