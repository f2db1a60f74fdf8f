#pragma once

#include <cstdint>
#include <string>

#include "core/experiment/experiment.h"

namespace ropelab::terminal {

/// What `sweep --slurm` takes besides the experiment.
struct SlurmFlags {
    std::string folder;  // "" where nothing is to be written
    std::int64_t at_once = 8;
};

/// Writes the experiment as a job array of this very program, after its data was looked at, and tells what it asks the
/// cluster for. Throws BadInput.
void write_slurm(const Experiment& experiment, const SlurmFlags& flags, const std::string& data_dir, bool as_json);

}  // namespace ropelab::terminal
