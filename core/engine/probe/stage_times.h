#pragma once

#include <span>

#include "core/engine/probe/probe.h"
#include "core/spec/stage_times.h"

namespace ropelab {

/// Without gradients. Tables of constant positions are computed before. Throws BadInput if the tokens do not fit.
StageTimes stage_times(const ProbedModel& model, const StageTimesRequest& request);

/// Output for one sequence: (tokens, n), a matrix per head, (heads, n, m), or (n, m) for numbers that do not depend on
/// the tokens. Throws BadInput if the tokens do not fit, or if the stage does not exist or has no output.
ProbeArray stage_output(const ProbedModel& model, std::span<const std::int32_t> tokens, const StagePlace& stage);

}  // namespace ropelab
