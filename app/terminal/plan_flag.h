#pragma once

#include <string>

#include "core/experiment/experiment.h"

namespace ropelab::terminal {

/// What `sweep --plan` prints: the runs as a table of what differs, how they group into cohorts, and what each cohort
/// takes. `measure`: from a few steps of each cohort here, in place of the estimate. Nothing is written and no run is
/// trained. Throws BadInput where the experiment does not hold together, std::runtime_error where a measurement was
/// interrupted.
void print_plan(const Experiment& experiment, bool measure, const std::string& data_dir, bool as_json);

}  // namespace ropelab::terminal
