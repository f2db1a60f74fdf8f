#pragma once

#include <torch/torch.h>

#include "core/plan/layout.h"
#include "core/spec/probe.h"

namespace ropelab {

/// By layer, as ProbeResult defines them (formula 56).
struct StepNorms {
    ProbeArray gradient_norm;
    ProbeArray update_ratio;
    ProbeArray accumulated_update;
};

/// Flat rows, (total) float32: gradient before clipping, weights before and after the step, and initial ones.
StepNorms step_norms(const Layout& layout, std::int64_t layers, const torch::Tensor& gradient,
                     const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& initial);

}  // namespace ropelab
