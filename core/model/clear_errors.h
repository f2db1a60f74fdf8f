#pragma once

#include <torch/torch.h>

namespace ropelab {

/// Converts an error of LibTorch to an exception with one sentence, without LibTorch's stack trace: DeviceFault if the
/// CUDA device failed, BadInput if its memory is exhausted, else std::runtime_error.
[[noreturn]] void throw_clearly(const c10::Error& error);

/// Returns whether the memory of the CUDA device is exhausted.
bool is_out_of_device_memory(const c10::Error& error);
/// Returns whether the memory of the CUDA device or of the machine is exhausted.
bool is_out_of_memory(const c10::Error& error);

/// Returns the result of `work`; converts its LibTorch errors with throw_clearly.
template <typename Work>
auto with_clear_errors(Work work) {
    try {
        return work();
    } catch (const c10::Error& error) {
        throw_clearly(error);
    }
}

}  // namespace ropelab
