#pragma once

#include <type_traits>

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
/// Numbers rounded to bfloat16, two in the memory of one: the element in row r and columns 2k and 2k + 1 of a left
/// factor, that in rows 2k and 2k + 1 and column c of a right factor. Only with multiplies_pairs().
constexpr std::int64_t pair = 2;
#ifdef ROPELAB_MASKED_ACCESS
using HalfOrder = std::uint16_t __attribute__((vector_size(register_bytes)));
// The numbers of `low`, then those of `high`.
ROPELAB_INLINE __m512i both_rounded(const float* low, const float* high) {
    __m512i result;
    asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(result) : "v"(_mm512_loadu_ps(high)), "v"(_mm512_loadu_ps(low)));
    return result;
}
/// `count` is a multiple of 32.
ROPELAB_INLINE void pair_columns(const float* from, std::int64_t count, float* to) {
    for (std::int64_t i = 0; i < count; i += pair * lane_count)
        _mm512_storeu_si512(to + i / pair, both_rounded(from + i, from + i + lane_count));
}
/// The last of an odd number of rows is paired with zeros. `width` is a multiple of 16.
ROPELAB_INLINE void pair_rows(const float* from, std::int64_t rows, std::int64_t width, float* to) {
    constexpr float zeros[lane_count] = {};
    HalfOrder order;
    for (std::int64_t i = 0; i < pair * lane_count; ++i)
        order[i] = static_cast<std::uint16_t>(i / pair + i % pair * lane_count);
    for (std::int64_t row = 0; row < rows; row += pair, from += pair * width, to += width) {
        for (std::int64_t i = 0; i < width; i += lane_count) {
            const float* next = row + 1 < rows ? from + width + i : zeros;
            const auto halves = reinterpret_cast<HalfOrder>(both_rounded(from + i, next));
            const HalfOrder ordered = __builtin_shuffle(halves, order);
            std::memcpy(to + i, &ordered, sizeof ordered);
        }
    }
}
ROPELAB_INLINE Floats with_pairs(Floats sum, const float* factor, const Floats& row) {
    FloatRegister lanes = sum.part[0];
    asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(lanes) : "v"(row.part[0]), "m"(*factor));
    sum.part[0] = lanes;
    return sum;
}
#else
inline void pair_columns(const float*, std::int64_t, float*) {}
inline void pair_rows(const float*, std::int64_t, std::int64_t, float*) {}
inline Floats with_pairs(const Floats& sum, const float*, const Floats&) {
    return sum;
}
#endif

/// Contiguous rows of `width` numbers; with `panel`, of column_step numbers, where each panel of this many numbers has
/// the next columns. Rows whose distance is a power of two would be in the same lines of a cache.
struct RowsOf {
    const float* numbers;
    std::int64_t width;
    std::int64_t panel = column_step;
};

template <bool added, bool paired, std::int64_t rows>
ROPELAB_INLINE void multiply_tile(const LeftFactor& a, const RowsOf& b, float* out, std::int64_t out_width,
                                  std::int64_t depth) {
    // The number of sums is chosen so that they stay in 32 or 16 registers.
    constexpr std::int64_t groups = register_bytes == 64 ? 2 : 1;
    for (std::int64_t column = 0; column < column_step; column += groups * lane_count) {
        Floats sums[rows][groups];
        const float* from = b.numbers + column;
        if constexpr (added) {
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t g = 0; g < groups; ++g)
                    sums[r][g] = load(out + r * out_width + column + g * lane_count);
        }
        for (std::int64_t k = 0; k < depth; ++k, from += b.width) {
            Floats row[groups];
            for (std::int64_t g = 0; g < groups; ++g) row[g] = load(from + g * lane_count);
            for (std::int64_t r = 0; r < rows; ++r) {
                const float* factor = a.numbers + r * a.row_stride + k * a.depth_stride;
                for (std::int64_t g = 0; g < groups; ++g) {
                    if constexpr (paired) {
                        sums[r][g] = with_pairs(sums[r][g], factor, row[g]);
                    } else {
                        sums[r][g] += Floats(*factor) * row[g];
                    }
                }
            }
        }
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t g = 0; g < groups; ++g) store(out + r * out_width + column + g * lane_count, sums[r][g]);
    }
}

struct Range {
    std::int64_t begin;
    std::int64_t end;
};
/// out[r, c] (+)= Σ_k a[r, k]·b[k, c]. Rows must be a multiple of row_step, columns of column_step. `depths(row, end)`
/// are the k of the rows from `row` to end − 1, from an even one on: terms that are 0 may be left out. `paired`:
/// factors and their strides are those of pairs, sums are float32.
template <bool added, bool paired, typename Depths>
ROPELAB_INLINE void multiply(const LeftFactor& a, const RowsOf& b, float* out, std::int64_t out_width,
                             std::int64_t rows, std::int64_t columns, Depths depths) {
    for (std::int64_t column = 0; column < columns; column += column_step) {
        const float* panel = b.numbers + column / column_step * b.panel;
        const auto tile = [&]<std::int64_t count>(std::integral_constant<std::int64_t, count>,
                                                  std::int64_t row) ROPELAB_LAMBDA {
            Range depth = depths(row, row + count);
            if (paired) depth = {depth.begin / pair, (depth.end + 1) / pair};
            multiply_tile<added, paired, count>(
                {a.numbers + row * a.row_stride + depth.begin * a.depth_stride, a.row_stride, a.depth_stride},
                {panel + depth.begin * b.width, b.width}, out + row * out_width + column, out_width,
                depth.end - depth.begin);
        };
        std::int64_t row = 0;
        if constexpr (register_bytes == 32) {  // 12 sums of 16 registers hide the latency of multiply-adds, 8 do not
            constexpr std::int64_t more = 6;
            for (; rows - row > 2 * row_step || rows - row == more; row += more)
                tile(std::integral_constant<std::int64_t, more>{}, row);
        }
        for (; row < rows; row += row_step) tile(std::integral_constant<std::int64_t, row_step>{}, row);
    }
}

}  // namespace ropelab::kernels
