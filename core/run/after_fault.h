#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run/trained_run.h"

namespace ropelab {

struct AfterFault {
    bool to_cpu = false;
    std::string message;  // explanation for the user
};

/// From their last checkpoints, or from step 0 without one, under their earlier conditions except device and graphs.
/// `began`: conditions that the cohort trained with, if any. Runs of equal step and conditions form a cohort; on the
/// CPU it is split to fit into memory. Throws BadInput for an unreadable checkpoint.
std::vector<std::vector<TrainedRun>> runs_after_fault(const std::vector<TrainedRun>& cohort,
                                                      const std::optional<RunConditions>& began,
                                                      const AfterFault& resumption);

}  // namespace ropelab
