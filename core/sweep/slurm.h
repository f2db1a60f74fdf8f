#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "core/sweep/lab_plan.h"

namespace ropelab {

/// The cohorts of group_into_cohorts, or parts of them of about equal size with at most `runs_per_task` runs each; 0:
/// whole cohorts. Runs are trained with the same results in either.
std::vector<std::vector<std::size_t>> tasks_of(const std::vector<RunSpec>& runs, std::int64_t runs_per_task);

// Below, a cohort is an element of tasks_of(), counted from 0.

/// In `runs`, all runs of an experiment. BadInput if there is no such cohort.
std::vector<std::size_t> indices_of_cohort(const std::vector<RunSpec>& runs, std::int64_t cohort,
                                           std::int64_t runs_per_task = 0);

/// Like plan_new_runs, with the runs of one cohort only. The lab has the description of the whole experiment.
Plan plan_new_cohort(LabFile& lab, const Experiment& experiment, std::int64_t cohort, std::int64_t runs_per_task = 0,
                     const StoreMore& more = {});

void check_contains_cohort(const LabFile& lab, const Experiment& experiment, std::int64_t cohort,
                           std::int64_t runs_per_task = 0);

/// For Plan::settle_precision in all tasks of a job array: the first task that measures the precision writes it to
/// `file`, and the others use it. A file of another experiment, and a file that cannot be written, have no effect.
SettlePrecision settle_precision_in_file(const std::filesystem::path& file, const Experiment& experiment);
inline constexpr const char* precision_file = "precision.json";

struct SlurmOptions {
    std::filesystem::path folder;
    std::filesystem::path program;
    /// --data-dir; empty for none.
    std::filesystem::path data_dir;
    std::int64_t at_once = 8;
    std::int64_t runs_per_task = 0;  // as in tasks_of()
};

/// The most tasks that a job array may have where MaxArraySize of Slurm's configuration has its default value.
inline constexpr int most_slurm_tasks = 1001;

struct SlurmArray {
    int tasks = 0;
    int runs = 0;
    double estimated_seconds = 0;  // estimated duration of the longest task
    std::string time;              // time limit as days-hours:minutes:seconds, with a margin
    std::int64_t megabytes = 0;    // host memory, with a margin
    std::int64_t cores = 0;
    bool gpu = false;
};

/// Writes an experiment as a Slurm job array without submitting it. The folder can be moved afterwards; relative paths
/// of data files are stored as absolute paths.
///
///   experiment.json    the description of the experiment
///   precision.json     written by the first task: the precision of all runs with precision=auto
///   task-N.ropelab     one lab per task, with waiting runs; all contain the same experiment, so that they can be
///                      merged
///   job.sbatch         the job array; a requeued task resumes from its checkpoints
///   merge.sbatch       merges the labs into merged.ropelab after all tasks have ended, failed ones included
///   submit.sh          submits both; its arguments, such as --partition, are passed to sbatch
///
/// Throws BadInput if the experiment is invalid or the folder cannot be written.
SlurmArray write_slurm_array(const Experiment& experiment, const SlurmOptions& options);

/// "D-HH:MM:SS": three times the estimate plus five minutes, rounded up to a multiple of five minutes.
std::string slurm_time(double estimated_seconds);

/// One word for a POSIX shell: 'it'\''s'.
std::string shell_quoted(const std::string& text);

}  // namespace ropelab
