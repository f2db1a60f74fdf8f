#pragma once

#include <cstddef>
#include <cstdint>

#include "core/settings/run_spec.h"

namespace ropelab {

/// In bytes. Counts the tensors of LibTorch's operations in core/engine, without the allocator's fragmentation
/// (tests/core/plan/device_memory_test.cpp compares it with a step).
struct DeviceNeed {
    double weights = 0;     // weights, gradients and both AdamW moments in float32
    double text = 0;        // tokens of the batches of a step and an evaluation
    double stored = 0;      // tensors that the forward pass stores for the backward pass
    double temporary = 0;   // peak of the temporary tensors of a step
    double evaluation = 0;  // peak of an evaluation, and the model of a sample
    double libraries = 0;   // workspaces of cuBLAS
    double total() const { return weights + text + stored + temporary + evaluation + libraries; }
};
/// Precision `auto` counts as bfloat16.
DeviceNeed device_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary);

/// Peak resident memory including the engine, or with device=cuda the device's memory.
double likely_bytes(const RunSpec& spec, std::int64_t runs);

/// In 90 % of `free_bytes`; at least 1. Throws BadInput if a single run exceeds `free_bytes`.
std::size_t runs_that_fit(const RunSpec& spec, std::size_t runs, std::int64_t vocabulary, std::int64_t free_bytes);

}  // namespace ropelab
