#pragma once

#include "core/kernels/lanes.h"

namespace ropelab::kernels {

// For small matrices in a cache: a library function would spend most of its time on copying them.

/// The numbers of columns and rows of a product must be multiples of these.
constexpr std::int64_t column_step = 32;
constexpr std::int64_t row_step = 4;
constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t step) {
    return (count + step - 1) / step * step;
}

/// The element in row r and column k is numbers[r·row_stride + k·depth_stride].
struct LeftFactor {
    const float* numbers;
    std::int64_t row_stride;
    std::int64_t depth_stride;
};
/// Contiguous rows of `width` numbers; with `panel`, of column_step numbers, where each panel of this many numbers has
/// the next columns. Rows whose distance is a power of two would be in the same lines of a cache.
struct RowsOf {
    const float* numbers;
    std::int64_t width;
    std::int64_t panel = column_step;
};

template <bool added>
ROPELAB_INLINE void multiply_tile(const LeftFactor& a, const RowsOf& b, float* out, std::int64_t out_width,
                                  std::int64_t depth) {
    // The number of sums is chosen so that they stay in 32 or 16 registers.
    constexpr std::int64_t groups = register_bytes == 64 ? 2 : 1;
    for (std::int64_t column = 0; column < column_step; column += groups * lane_count) {
        Floats sums[row_step][groups];
        const float* from = b.numbers + column;
        if constexpr (added) {
            for (std::int64_t r = 0; r < row_step; ++r)
                for (std::int64_t g = 0; g < groups; ++g)
                    sums[r][g] = load(out + r * out_width + column + g * lane_count);
        }
        for (std::int64_t k = 0; k < depth; ++k, from += b.width) {
            Floats row[groups];
            for (std::int64_t g = 0; g < groups; ++g) row[g] = load(from + g * lane_count);
            for (std::int64_t r = 0; r < row_step; ++r) {
                const Floats factor = a.numbers[r * a.row_stride + k * a.depth_stride];
                for (std::int64_t g = 0; g < groups; ++g) sums[r][g] += factor * row[g];
            }
        }
        for (std::int64_t r = 0; r < row_step; ++r)
            for (std::int64_t g = 0; g < groups; ++g) store(out + r * out_width + column + g * lane_count, sums[r][g]);
    }
}

struct Range {
    std::int64_t begin;
    std::int64_t end;
};
/// out[r, c] (+)= Σ_k a[r, k]·b[k, c]. Rows must be a multiple of row_step, columns of column_step. `depths(row)` are
/// the k of the rows from `row` to row + row_step − 1: terms that are 0 may be left out.
template <bool added, typename Depths>
ROPELAB_INLINE void multiply(const LeftFactor& a, const RowsOf& b, float* out, std::int64_t out_width,
                             std::int64_t rows, std::int64_t columns, Depths depths) {
    for (std::int64_t column = 0; column < columns; column += column_step) {
        const float* panel = b.numbers + column / column_step * b.panel;
        for (std::int64_t row = 0; row < rows; row += row_step) {
            const Range depth = depths(row);
            multiply_tile<added>(
                {a.numbers + row * a.row_stride + depth.begin * a.depth_stride, a.row_stride, a.depth_stride},
                {panel + depth.begin * b.width, b.width}, out + row * out_width + column, out_width,
                depth.end - depth.begin);
        }
    }
}

}  // namespace ropelab::kernels
