#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "core/engine/operations/dropout.h"
#include "core/engine/operations/parameters.h"
#include "core/engine/operations/stage_observer.h"
#include "core/engine/parts/routing.h"
#include "core/spec/run_spec.h"

namespace ropelab {

struct ExpertLayer {
    std::int64_t layer = 0;
    torch::Tensor balance;         // (runs) float32, with a gradient: load-balancing loss (formula 50)
    std::vector<Routing> routing;  // one per run
};

/// One element per layer with experts.
struct ExpertRecord {
    std::vector<ExpertLayer> layers;
};

/// Formulas 49 to 51. x: (runs, n, C) → (runs, n, C). With the seeds of a training step, `dropout` gives the seeds and
/// the step of the router's random numbers; without seeds there is neither noise nor a random second expert nor a
/// capacity, so that a token's output does not depend on other tokens.
torch::Tensor mixed_experts(const RunSpec& spec, const Parameters& weights, const torch::Tensor& x, std::int64_t layer,
                            Precision precision, const Dropout& dropout, ExpertRecord* record,
                            const StageMarks& stages = {});

}  // namespace ropelab
