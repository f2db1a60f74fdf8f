#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {

std::vector<float> some_numbers(std::size_t count, std::uint32_t seed) {
    std::vector<float> values(count);
    std::uint32_t state = seed * 2654435761U + 1;
    for (float& value : values) {
        state = state * 1664525U + 1013904223U;
        value = static_cast<float>(state >> 8) * 0x1p-23F - 1.0F;
    }
    return values;
}

std::vector<Bfloat16> rounded(const std::vector<float>& values) {
    std::vector<Bfloat16> result;
    for (float value : values) result.push_back(to_bfloat16(value));
    return result;
}

std::vector<float> widened(const std::vector<Bfloat16>& values) {
    std::vector<float> result;
    for (Bfloat16 value : values) result.push_back(to_float(value));
    return result;
}

}  // namespace ropelab::cuda
