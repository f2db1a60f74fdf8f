#pragma once

#include <torch/torch.h>

namespace ropelab {

/// Throws what one of LibTorch's errors means, as one sentence without the trace of calls that it carries: DeviceFault
/// where the CUDA device failed, BadInput where its memory is used up, else std::runtime_error.
[[noreturn]] void throw_clearly(const c10::Error& error);

/// Whether memory is used up, of the CUDA device or of the machine.
bool is_out_of_device_memory(const c10::Error& error);
bool is_out_of_memory(const c10::Error& error);

/// What `work` returns; its errors as throw_clearly has them.
template <typename Work>
auto with_clear_errors(Work work) {
    try {
        return work();
    } catch (const c10::Error& error) {
        throw_clearly(error);
    }
}

}  // namespace ropelab
