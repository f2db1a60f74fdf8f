#pragma once

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"
#include "core/kernels/kernels.h"

// at::parallel_for is a template: without OpenMP it compiles, but silently uses one thread.
#ifndef INTRA_OP_PARALLEL
#error "Files that call at::parallel_for must be compiled with OpenMP, as LibTorch is."
#endif

namespace ropelab {

/// Float32 or bfloat16 on the CPU, without eager operations. False in tests that compute on the CPU as on a device.
inline bool has_own_passes(const torch::Tensor& tensor) {
    return tensor.is_cpu() && tensor.scalar_type() != torch::kFloat64 && !is_eager() &&
           !is_accelerated(tensor.device());
}

/// f(run, first, last) for parts of 0 … count − 1 of every run, in parallel.
template <typename F>
void for_each_run(std::int64_t runs, std::int64_t count, std::int64_t grain, F f) {
    at::parallel_for(0, runs * count, grain, [&](std::int64_t begin, std::int64_t end) {
        while (begin < end) {
            const std::int64_t run = begin / count;
            const std::int64_t last = std::min(end, (run + 1) * count);
            f(run, begin - run * count, last - run * count);
            begin = last;
        }
    });
}

/// This many rows are worth a thread.
inline std::int64_t row_grain(std::int64_t columns) {
    return std::max<std::int64_t>(1, 8192 / columns);
}

/// As float or kernels::Bfloat16; null for an undefined tensor.
template <typename T>
T* numbers(const torch::Tensor& tensor) {
    if (!tensor.defined()) return nullptr;
    if constexpr (std::is_same_v<T, float>) {
        return tensor.data_ptr<float>();
    } else {
        return reinterpret_cast<T*>(tensor.data_ptr<at::BFloat16>());
    }
}
/// Null for an undefined tensor.
template <typename T = float>
T* row(const torch::Tensor& tensor, std::int64_t run) {
    return tensor.defined() ? numbers<T>(tensor) + run * tensor.stride(0) : nullptr;
}

/// f receives a value of the type: float or kernels::Bfloat16.
template <typename F>
void with_type(torch::ScalarType type, F f) {
    if (type == torch::kBFloat16) {
        f(kernels::Bfloat16{});
    } else {
        f(float{});
    }
}

}  // namespace ropelab
