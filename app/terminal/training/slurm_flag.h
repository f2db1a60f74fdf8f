#pragma once

#include <cstdint>
#include <string>

#include "core/experiment/experiment.h"

namespace ropelab::terminal {

/// The flags of `sweep --slurm`.
struct SlurmFlags {
    std::string folder;        // the folder that is written; "" without --slurm
    std::int64_t at_once = 8;  // maximum number of tasks that run in parallel
};

/// Writes the experiment as a Slurm job array that runs this program, and prints the resources that each task requests.
/// Throws BadInput if the data is missing or unsuitable, or if the folder is not empty.
void write_slurm(const Experiment& experiment, const SlurmFlags& flags, const std::string& data_dir, bool as_json);

}  // namespace ropelab::terminal
