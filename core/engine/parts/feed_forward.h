#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "core/engine/operations/dropout.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/operations/stage_observer.h"
#include "core/engine/parts/experts.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Formula 48, in the type of x. x: (runs, n, rows), in gated networks the gate first → (runs, n, hidden width). A
/// run's numbers do not depend on the other runs.
torch::Tensor activated(FeedForward kind, const torch::Tensor& x);

/// Feed-forward network or mixture of experts: (runs, n, C) → (runs, n, C). Without the seeds of a training step in
/// `dropout`, experts are routed as in evaluation. Layers with experts add what they did to `record`.
torch::Tensor feed_forward(const RunSpec& spec, const Parameters& weights, const torch::Tensor& x, std::int64_t layer,
                           Precision precision, const Dropout& dropout, ExpertRecord* record,
                           const StageMarks& stages = {});

}  // namespace ropelab
