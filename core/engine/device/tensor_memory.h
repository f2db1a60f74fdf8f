#pragma once

#include <torch/torch.h>

// Large blocks are reused: each step allocates the same sizes, and the system would unmap and clear them each time.

namespace ropelab {

/// Call this before the first tensor is created.
void keep_tensor_memory();

/// Call this between phases with different sizes, such as steps and evaluations; otherwise their blocks add up.
void release_tensor_memory();

/// (numbers), on the CPU. Generation reads all weights once per token, and the addresses of small pages would not fit
/// the processor's TLB.
torch::Tensor empty_in_large_pages(std::int64_t numbers, torch::ScalarType type = torch::kFloat32);

}  // namespace ropelab
