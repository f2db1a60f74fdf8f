#pragma once

#include <string>
#include <vector>

#include "core/plan/model_plan.h"
#include "core/spec/run_spec.h"

namespace ropelab {

// The only statements on which layers the fast ways of computing support: the fused CPU kernels (core/kernels),
// LibTorch's attention on devices, and CUDA graphs. The engine chooses its implementation by them, and the forecasts of
// time and memory and the benchmarks ask them too.

/// Products of queries and keys, rotated or not, and at most ALiBi's bias. LibTorch's operations compute other scores.
bool has_only_products(const LayerPlan& layer);
bool attention_kernel_supports(const LayerPlan& layer);
/// The decoder of single tokens is core/engine/model/token_decoder.h.
bool token_kernels_support(const LayerPlan& layer);
/// LibTorch's attention on a device, which stores no scores. It has no dropout that depends on each run's seed alone.
bool flash_attention_supports(const LayerPlan& layer);
/// A CUDA graph can contain no triangular systems, as of a whole sequence of a gated DeltaNet, and no experts, whose
/// numbers of tokens the host needs.
bool graph_supports_step(const LayerPlan& layer);
bool graph_supports_token(const LayerPlan& layer);

bool has_only_products(const RunSpec& spec);
bool token_kernels_support(const RunSpec& spec);
bool flash_attention_supports(const RunSpec& spec);
/// Whole training steps can stay on a device and be captured (core/engine/train/device_trainer.h).
bool graph_supports_step(const RunSpec& spec);
bool graph_supports_token(const RunSpec& spec);
/// The kernel or LibTorch's own operation, not several operations.
bool attends_fused(const RunSpec& spec);
/// Computed by LibTorch's operations, such as "attention" and "optimizer"; with `operations=eager` only "all". Matrix
/// products, which LibTorch always computes, are not among them.
std::vector<std::string> unfused_parts(const RunSpec& spec);

}  // namespace ropelab
