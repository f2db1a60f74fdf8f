#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/experiment/cohort_trainer.h"

namespace ropelab {

/// How runs resume after the CUDA device failed: with LibTorch's operations alone, or on the CPU.
struct AfterFault {
    bool to_cpu = false;
    std::string words;  // for the user
};

/// The runs of a cohort whose device failed, as they resume: from their last checkpoints, or from step 0 without one,
/// under the conditions that they had in all but device and kernels. `began`: what the cohort trained with; nullopt
/// where it had not begun. A cohort for each step and kind of conditions that runs resume from, none of them too wide
/// for the memory of the CPU. Throws BadInput for an unreadable checkpoint.
std::vector<std::vector<TrainedRun>> runs_after_fault(const std::vector<TrainedRun>& cohort,
                                                      const std::optional<RunConditions>& began, const AfterFault& how);

}  // namespace ropelab
