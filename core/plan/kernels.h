#pragma once

#include <string>
#include <vector>

#include "core/plan/model_plan.h"
#include "core/settings/run_spec.h"

namespace ropelab {

// The only statements on which layers the fast ways of computing support: the fused CPU kernels (core/kernels),
// LibTorch's attention on devices, and CUDA graphs. The engine chooses its implementation by them, and the forecasts of
// time and memory and the benchmarks ask them too.

/// Products of queries and keys, rotated or not, and at most ALiBi's bias.
bool has_only_products(const LayerPlan& layer);
/// The same of one part, without sinks: what the kernels of single tokens and of devices compute.
bool has_plain_attention(const LayerPlan& layer);
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
bool token_kernels_support(const ModelPlan& plan);
/// Dropout in training needs the matrix of scores.
bool flash_attention_supports(const RunSpec& spec, bool trains);
/// With LibTorch's operations on a device, a layer computes attention by separate operations on the matrix of scores
/// (core/engine/attention/reference.h). Otherwise LibTorch's attention stores none, also with a mask for ALiBi or a
/// sliding window.
bool stores_scores(const RunSpec& spec, bool trains);
/// Whole training steps can stay on a device (core/engine/train/device_trainer.h).
bool step_stays_on_device(const RunSpec& spec);
/// Such a step can be captured. With micro-batches a graph would store the operations of each, which are large enough
/// to hide the cost of starting them.
bool graph_supports_step(const RunSpec& spec);
/// True wherever steps can be captured.
bool graph_supports_token(const ModelPlan& plan);
/// The kernel or LibTorch's own operation, not several operations.
bool attends_fused(const RunSpec& spec);
/// Computed by LibTorch's operations, such as "attention" and "optimizer"; with `operations=eager` only "all". Matrix
/// products, which LibTorch always computes, are not among them. The kernel of attention is the CPU's; `on_device`
/// judges attention by LibTorch's own operation.
std::vector<std::string> unfused_parts(const RunSpec& spec, bool on_device = false);

}  // namespace ropelab
