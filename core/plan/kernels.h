#pragma once

#include <string>
#include <vector>

#include "core/plan/model_plan.h"
#include "core/spec/run_spec.h"

namespace ropelab {

// What the fused kernels of the CPU (core/kernels) compute. These functions are the only statement about it: the engine
// chooses its implementation by them, and the forecasts of time and memory and the benchmarks ask them too.

/// Returns whether the scores of a layer are products of queries and keys, rotated or not, and at most ALiBi's bias.
/// LibTorch's operations compute others.
bool has_only_products(const LayerPlan& layer);
/// Returns whether the attention kernel computes the attention of a layer.
bool attention_kernel_supports(const LayerPlan& layer);
/// Returns whether the decoder of single tokens (core/model/token_decoder.h) computes a layer.
bool token_kernels_support(const LayerPlan& layer);

/// Returns whether has_only_products holds for all layers of a run.
bool has_only_products(const RunSpec& spec);
/// Returns whether the decoder of single tokens computes the model of a run.
bool token_kernels_support(const RunSpec& spec);
/// Returns whether a training step of the run computes attention by one operation, the kernel or LibTorch's own one,
/// and not by several.
bool attends_fused(const RunSpec& spec);
/// Returns the parts of a training step that LibTorch's operations compute instead of the fused kernels, such as
/// "attention" and "optimizer"; empty if the fused kernels compute all of them. With `operations=eager` the only part
/// is "all". Matrix products, which LibTorch always computes, are not among them.
std::vector<std::string> unfused_parts(const RunSpec& spec);

}  // namespace ropelab
