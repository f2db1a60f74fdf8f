#pragma once

#include <cstdint>

#include "core/plan/model_plan.h"
#include "core/rope/memory.h"
#include "core/settings/run_spec.h"

namespace ropelab {

// From the settings, before a run starts: numbers of parameters, operations and bytes, no times.

/// In an evaluation of one run: at most 8,192, in whole sequences (at least one).
std::int64_t tokens_at_once(const RunSpec& spec);

/// Trainable ones.
std::int64_t parameter_count(const RunSpec& spec, std::int64_t vocabulary);

/// Floating-point, per token; a multiplication and an addition are two. Only visible keys, the work on a gated
/// DeltaNet's state, and the experts of a token count.
double forward_operations(const RunSpec& spec, std::int64_t vocabulary);

/// Floating-point, of one run: a forward pass, and twice as many for the backward pass.
double training_operations(const RunSpec& spec, std::int64_t vocabulary);

/// Numbers per token for the backward pass. Per layer: two residual sums (pythia: one), two normalized rows, q, k and
/// v, the attention output, and the MLP's hidden rows before and after the activation function; with dropout also two
/// masks and, if attention is computed by separate operations, three numbers per pair of positions and head. Multi-head
/// latent attention, gates, sinks, relative positions and gated DeltaNets store more, as measured. A mixture of experts
/// has hidden rows for each expert of a token, and inputs and outputs of the experts in two orders. In addition: the
/// last rows, the logits and their gradients. With bfloat16, inputs and outputs of matrix products count half.
double stored_activations(const RunSpec& spec, std::int64_t vocabulary);

/// Resident bytes of training on the CPU.
struct MemoryNeed {
    double engine = 0;      // LibTorch itself, after its first operations
    double weights = 0;     // weights, gradients, both AdamW moments; with bfloat16 also the copy of the weights
    double step = 0;        // additional peak of a training step
    double evaluation = 0;  // additional peak of an evaluation
    double total() const;
};
/// Trained together on the CPU. The measured constants were fitted to about 90 peaks (tests/bench/memory_variants: the
/// variants of the model and the optimizer, widths 16 to 384, batches of 64 to 8,192 tokens, float32 and bfloat16,
/// operations=fused and =eager, vocabularies of 29 to 12,000). The prediction is within 12 % of each; repeated
/// measurements differ by 1 %. It is several hundred MB too low for bfloat16 with operations=eager.
MemoryNeed memory_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary);
/// For one sequence of `context` tokens, in bytes, as float32 numbers.
struct CacheBytes {
    /// Formulas 32, 44 and 46; 0 with operations=eager, which only rolling generation gives a KV cache.
    std::int64_t kv = 0;
    std::int64_t rope = 0;  // formula 31, each angle once, one table; 0 without RoPE or with rope_cache=false
    std::int64_t total() const { return kv + rope; }
};
/// A sliding window limits the stored tokens; the state of a gated DeltaNet does not depend on the context.
CacheBytes cache_bytes(const RunSpec& spec);
/// CacheBytes::kv of any model; 0 if a size is unknown.
std::int64_t kv_bytes(const ModelPlan& plan);

/// Throws BadInput for a model with gated DeltaNet layers, whose states have another form.
AttentionSizes attention_sizes(const RunSpec& spec);

/// Bytes.
double physical_memory();
/// Throws BadInput if training needs more memory than this machine has; evaluation would need less.
void refuse_large_model(const RunSpec& spec, std::int64_t vocabulary);

}  // namespace ropelab
