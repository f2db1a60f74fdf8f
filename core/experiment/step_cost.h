#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

// What a run's settings say about its cost before it starts: counts, no times.

/// Distinct symbols of the run's text where its name tells, else the 65 of Tiny Shakespeare (bytes: 205, enwik8's).
std::int64_t likely_vocabulary(const RunSpec& spec);

/// Symbols that an evaluation of one run reads at once: at most 8,192, in whole windows.
std::int64_t symbols_at_once(const RunSpec& spec);

/// Numbers that are trained.
std::int64_t parameter_count(const RunSpec& spec, std::int64_t vocabulary);

/// Floating-point operations of one forward pass over one symbol, a multiplication and an addition being two. Attention
/// counts what a causal mask leaves.
struct ForwardOperations {
    double linears = 0;
    double attention = 0;
    double total() const { return linears + attention; }
};
ForwardOperations forward_operations(const RunSpec& spec, std::int64_t vocabulary);

/// Of one training step of one run: forward, and twice that backward.
double training_operations(const RunSpec& spec, std::int64_t vocabulary);

/// Numbers that a training step keeps for its backward pass, for each symbol of the batch. In each layer of width C:
/// two residual sums (pythia: one), two normalised rows, q, k and v, what attention mixed, and the MLP's wide rows
/// before and after their curve; with dropout two masks, and where attention goes step by step three numbers for each
/// pair of positions and head. Then the last rows, the logits and their gradients. Where precision asks for bfloat16,
/// what products read and give counts half.
double kept_numbers(const RunSpec& spec, std::int64_t vocabulary);

/// What a cohort's training takes in bytes, resident.
struct MemoryNeed {
    double engine = 0;      // LibTorch itself, once it works
    double weights = 0;     // weights, their gradients, both moments; with bfloat16 the copy of the weights
    double step = 0;        // what a training step takes besides, at its highest
    double evaluation = 0;  // what an evaluation takes besides
    /// All of it at its highest.
    double total() const;
};
/// Of `runs` of this shape that train together on the processor. What blocks and products take besides tensors was
/// fitted to 32 measured peaks (width 64 to 384, every block, float32 and bfloat16, fused, with a trained θ and
/// operation by operation), each of which it meets within 12 %; a peak is the same each time within 1 %. Not met:
/// bfloat16 operation by operation, which takes several hundred MB more beside its tensors.
MemoryNeed memory_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary);

}  // namespace ropelab
