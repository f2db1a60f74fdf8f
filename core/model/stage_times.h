#pragma once

#include <span>

#include "core/model/probe.h"
#include "core/spec/stage_times.h"

namespace ropelab {

/// Without gradients. Tables of positions that do not change in training are computed before. Throws BadInput if the
/// tokens do not fit the model.
StageTimes stage_times(const ProbedModel& model, const StageTimesRequest& request);

/// Of one sequence: (tokens, n), a matrix per head, (heads, n, m), or (n, m) for numbers that do not depend on the
/// tokens. Attention is computed operation by operation. Throws BadInput if the tokens do not fit the model, or if the
/// stage does not exist or has no output.
ProbeArray stage_output(const ProbedModel& model, std::span<const std::int32_t> tokens, const StagePlace& stage);

}  // namespace ropelab
