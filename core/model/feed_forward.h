#pragma once

#include <torch/torch.h>

#include <cstdint>

#include "core/model/dropout.h"
#include "core/model/experts.h"
#include "core/model/parameters.h"
#include "core/model/stage_observer.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Returns the hidden rows of a feed-forward network after its activation (formula 48), in the type of x. x:
/// (runs, n, rows), in gated networks the gate first → (runs, n, hidden width). A run's numbers do not depend on the
/// other runs.
torch::Tensor activated(FeedForward kind, const torch::Tensor& x);

/// Returns the output of a layer's feed-forward network or mixture of experts. x: (runs, n, C) → (runs, n, C).
/// `dropout` is that of a training step; without its seeds, experts are routed as in evaluation. If `record` is given,
/// layers with experts add what they did. `stages` reports the stages of the layer.
torch::Tensor feed_forward(const RunSpec& spec, const Parameters& weights, const torch::Tensor& x, std::int64_t layer,
                           Precision precision, const Dropout& dropout, ExpertRecord* record,
                           const StageMarks& stages = {});

}  // namespace ropelab
