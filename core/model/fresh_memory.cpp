#include "core/model/fresh_memory.h"

#include <algorithm>

namespace ropelab {

namespace {

MemoryMargins* margins_here = nullptr;

constexpr std::int64_t margin_bytes = 512;  // a multiple of the alignment that kernels require
constexpr std::uint8_t untouched = 0xA5;

}  // namespace

MemoryMargins::MemoryMargins() {
    margins_here = this;
}

MemoryMargins::~MemoryMargins() {
    margins_here = nullptr;
}

bool MemoryMargins::intact() const {
    return std::all_of(margins_.begin(), margins_.end(),
                       [](const torch::Tensor& margin) { return margin.eq(untouched).all().item<bool>(); });
}

torch::Tensor fresh_memory(at::IntArrayRef sizes, const torch::TensorOptions& options) {
    if (!margins_here) return torch::empty(sizes, options);
    const auto bytes = static_cast<std::int64_t>(options.dtype().itemsize()) * c10::multiply_integers(sizes);
    const torch::Tensor whole =
        torch::full({bytes + 2 * margin_bytes}, untouched, options.dtype(torch::kUInt8).requires_grad(false));
    margins_here->margins_.push_back(whole.narrow(0, 0, margin_bytes));
    margins_here->margins_.push_back(whole.narrow(0, margin_bytes + bytes, margin_bytes));
    return whole.narrow(0, margin_bytes, bytes).view(options.dtype().toScalarType()).view(sizes);
}

}  // namespace ropelab
