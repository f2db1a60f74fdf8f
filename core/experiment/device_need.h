#pragma once

#include <cstddef>
#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// What a cohort's training takes of a CUDA device's memory, in bytes, as core/model/fused_device.h and
/// core/train/cuda_trainer.h work: counted tensor by tensor, no allowance for what the allocator cuts off.
struct DeviceNeed {
    double weights = 0;     // weights, gradients and both moments in float32, the copy in bfloat16
    double text = 0;        // both splits, the windows of a step and of an evaluation
    double kept = 0;        // what a step's forward pass leaves for its backward pass
    double working = 0;     // what a step takes besides at its highest
    double evaluation = 0;  // its graph keeps it for itself; the last, shorter piece and a sample come on top
    double libraries = 0;   // workspaces of cuBLAS
    double total() const { return weights + text + kept + working + evaluation + libraries; }
};
/// Of `runs` of this shape, on texts of `symbols` together. Precision `auto` is bfloat16.
DeviceNeed device_need(const RunSpec& spec, std::int64_t runs, std::int64_t vocabulary, std::int64_t symbols);

/// Symbols of the run's text where its name tells, else Tiny Shakespeare's.
std::int64_t likely_symbols(const RunSpec& spec);

/// Bytes that `runs` of this shape take at most: resident, the engine included; with device=cuda the device's.
double likely_bytes(const RunSpec& spec, std::int64_t runs);

/// How many of `runs` fit together into nine tenths of `free_bytes`. Throws BadInput where one alone does not fit by
/// what must be there at once.
std::size_t runs_that_fit(const RunSpec& spec, std::size_t runs, std::int64_t vocabulary, std::int64_t symbols,
                          std::int64_t free_bytes);

}  // namespace ropelab
