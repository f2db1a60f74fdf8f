#pragma once

#include <torch/torch.h>

namespace ropelab {

/// DeviceFault if the CUDA device failed, BadInput if its memory is exhausted, else std::runtime_error; one sentence.
[[noreturn]] void throw_clearly(const c10::Error& error);

bool is_out_of_device_memory(const c10::Error& error);
/// On the CUDA device or the machine.
bool is_out_of_memory(const c10::Error& error);

/// Result of `work`; LibTorch's errors pass throw_clearly.
template <typename Work>
auto with_clear_errors(Work work) {
    try {
        return work();
    } catch (const c10::Error& error) {
        throw_clearly(error);
    }
}

}  // namespace ropelab
