#include <cstring>

#include "tests/core/cuda/emulated/cuda_runtime.h"

namespace emulated {

namespace {

constexpr unsigned lanes = 32;

// Number `half` (0 or 1) of a word of two bfloat16.
float number_of(std::uint64_t word, unsigned half) {
    const auto bits = static_cast<std::uint32_t>(word >> (16 * half) & 0xFFFFU) << 16;
    float result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
}

}  // namespace

void multiply_tile(float (&sums)[4], const std::uint32_t (&left)[4], std::uint32_t right0, std::uint32_t right1) {
    std::uint64_t upper[lanes];  // columns 0 … 7 of the left side
    std::uint64_t lower[lanes];  // columns 8 … 15
    std::uint64_t right[lanes];
    const auto both = [](std::uint32_t a, std::uint32_t b) { return static_cast<std::uint64_t>(b) << 32 | a; };
    exchange(both(left[0], left[1]), upper);
    exchange(both(left[2], left[3]), lower);
    exchange(both(right0, right1), right);
    const unsigned lane = threadIdx.x % lanes;
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = lane / 4 + 8 * (i / 2);
        const unsigned column = lane % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 16; ++k) {
            // By a pointer: g++ 12 with -fsanitize=shift gets a shifted choice between two arrays wrong.
            const std::uint64_t* columns = k < 8 ? upper : lower;
            const std::uint64_t of_left = columns[row % 8 * 4 + k % 8 / 2] >> (32 * (row / 8));
            const std::uint64_t of_right = right[column * 4 + k % 8 / 2] >> (32 * (k / 8));
            sums[i] += number_of(of_left, k % 2) * number_of(of_right, k % 2);
        }
    }
}

void load_matrices(const void* row, bool turned, std::uint32_t (&words)[4]) {
    std::uint64_t rows[lanes];
    exchange(reinterpret_cast<std::uint64_t>(row), rows);
    const unsigned lane = threadIdx.x % lanes;
    for (unsigned matrix = 0; matrix < 4; ++matrix) {
        std::uint16_t pair[2];
        for (unsigned half = 0; half < 2; ++half) {
            const unsigned its_row = turned ? lane % 4 * 2 + half : lane / 4;
            const unsigned its_column = turned ? lane / 4 : lane % 4 * 2 + half;
            std::memcpy(&pair[half], reinterpret_cast<const char*>(rows[8 * matrix + its_row]) + 2 * its_column, 2);
        }
        words[matrix] = pair[0] | static_cast<std::uint32_t>(pair[1]) << 16;
    }
}

}  // namespace emulated
