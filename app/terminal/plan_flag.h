#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace ropelab::terminal {

/// Prints the output of `sweep --plan`: a table of the runs with the settings that differ, their cohorts, and the time
/// and memory of each cohort. If `measure` is true, a few steps of each cohort are timed on this machine; otherwise
/// time and memory are estimated. Writes no file and trains no run. Throws BadInput if the experiment is invalid and
/// std::runtime_error if a measurement is interrupted.
void print_plan(const Experiment& experiment, bool measure, const std::string& data_dir, bool as_json);

}  // namespace ropelab::terminal
