#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

// The sums of a tile stay in 32 or 16 registers.
constexpr std::int64_t tile_rows = register_bytes == 16 ? 4 : 6;
constexpr std::int64_t tile_groups = register_bytes == 64 ? 2 : 1;
static_assert(product_columns % (tile_groups * lane_count) == 0);
constexpr std::int64_t largest_block = 192;  // a panel of this depth fits into the L1 cache
// The order of loops with AVX2, as measured on such a processor (Zen 3): rows_at_once rows are multiplied by
// most_panels panels. Both fit into half a megabyte of L2 cache, so that a large left factor is not read again for each
// panel.
constexpr bool has_avx2_order = register_bytes == 32;
constexpr std::int64_t most_panels = has_avx2_order ? 12 : 1;
constexpr std::int64_t rows_at_once = has_avx2_order ? 96 : product_rows;
static_assert(product_rows % rows_at_once == 0);
// Intel's library (MKL 2024) sums in these blocks on processors with AVX2.
std::int64_t block_depth(std::int64_t depth) {
    return depth > largest_block && depth < 2 * largest_block ? (depth + 1) / 2 : largest_block;
}

// `panel`: depth × product_columns, zeros in columns beyond `count`.
void pack(const Product& product, std::int64_t column, std::int64_t count, std::int64_t first, std::int64_t depth,
          float* panel) {
    const float* from = product.right.numbers + first * product.right.row_stride + column * product.right.column_stride;
    if (product.right.column_stride == 1) {
        for (std::int64_t k = 0; k < depth; ++k, from += product.right.row_stride, panel += product_columns) {
            for (std::int64_t c = 0; c < product_columns; c += lane_count) {
                const std::int64_t some = std::clamp<std::int64_t>(count - c, 0, lane_count);
                store(panel + c, some > 0 ? load_lanes(from + c, some) : Floats());
            }
        }
        return;
    }
    // A line of the cache of each column at a time, in squares.
    constexpr std::int64_t side = 16;
    constexpr std::int64_t square = 4;
    const std::int64_t row_stride = product.right.row_stride;
    const std::int64_t column_stride = product.right.column_stride;
    for (std::int64_t k = 0; k < depth; k += side) {
        const std::int64_t end = std::min(depth, k + side);
        for (std::int64_t c = 0; c < product_columns; c += square) {
            const float* own = from + c * column_stride;
            float* to = panel + c;
            std::int64_t at = k;
            for (; row_stride == 1 && c + square <= count && at + square <= end; at += square)
                transpose_4(own + at, column_stride, to + at * product_columns, product_columns);
            for (; at < end; ++at) {
                for (std::int64_t i = 0; i < square; ++i)
                    to[at * product_columns + i] = c + i < count ? own[at * row_stride + i * column_stride] : 0.0F;
            }
        }
    }
}

// Rows whose terms or beginnings are far apart are in other lines of the cache each, and often in the same sets. Rows
// as they are, or tiles of tile_rows rows, each depth × tile_rows; rows after the last tile stay where they are.
void pack_left(const Factor& left, std::int64_t rows, std::int64_t depth, float* to) {
    if (left.column_stride == 1) {
        for (std::int64_t row = 0; row < rows; ++row, to += depth)
            for_lanes(depth, [&](std::int64_t k, std::int64_t some) ROPELAB_LAMBDA {
                store_lanes(to + k, load_lanes(left.numbers + row * left.row_stride + k, some), some);
            });
        return;
    }
    const std::int64_t tiled = rows / tile_rows * tile_rows;
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* from = left.numbers + k * left.column_stride;
        for (std::int64_t row = 0; row < tiled; row += tile_rows)
            std::memcpy(to + row * depth + k * tile_rows, from + row, tile_rows * sizeof(float));
    }
}

template <std::int64_t rows, std::int64_t groups>
ROPELAB_INLINE void multiply_columns(const Factor& left, const float* panel, float* out, std::int64_t out_stride,
                                     std::int64_t columns, std::int64_t depth, bool adds) {
    Floats sums[rows][groups];
    for (std::int64_t k = 0; k < depth; ++k) {
        Floats row[groups];
        for (std::int64_t g = 0; g < groups; ++g) row[g] = load(panel + k * product_columns + g * lane_count);
        for (std::int64_t r = 0; r < rows; ++r) {
            const Floats factor = left.numbers[r * left.row_stride + k * left.column_stride];
            for (std::int64_t g = 0; g < groups; ++g) sums[r][g] += factor * row[g];
        }
    }
    if (has_avx2_order && columns >= groups * lane_count) {  // the sums need not leave their registers
        for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t g = 0; g < groups; ++g) {
                float* to = out + r * out_stride + g * lane_count;
                store(to, adds ? load(to) + sums[r][g] : sums[r][g]);
            }
        }
        return;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t g = 0; g < groups; ++g) {
            const std::int64_t count = std::min(lane_count, columns - g * lane_count);
            if (count <= 0) break;
            float* to = out + r * out_stride + g * lane_count;
            store_lanes(to, adds ? load_lanes(to, count) + sums[r][g] : sums[r][g], count);
        }
    }
}

template <std::int64_t rows>
ROPELAB_INLINE void multiply_tile(const Factor& left, const float* panel, float* out, std::int64_t out_stride,
                                  std::int64_t columns, std::int64_t depth, bool adds) {
    constexpr std::int64_t width = tile_groups * lane_count;
    for (std::int64_t column = 0; column < columns; column += width) {
        if (tile_groups > 1 && columns - column <= lane_count) {
            multiply_columns<rows, 1>(left, panel + column, out + column, out_stride, columns - column, depth, adds);
        } else {
            multiply_columns<rows, tile_groups>(left, panel + column, out + column, out_stride, columns - column, depth,
                                                adds);
        }
    }
}

}  // namespace

void multiply(const Product& product, std::int64_t first, std::int64_t last) {
    const std::int64_t chunks = product.row_chunks();
    const std::int64_t block = block_depth(product.depth);
    constexpr std::int64_t panel_numbers = largest_block * product_columns;
    alignas(64) float panels[most_panels * panel_numbers];
    alignas(64) float packed[has_avx2_order ? rows_at_once * largest_block : 1];
    while (first < last) {
        const std::int64_t begin_column = first / chunks * product_columns;
        const std::int64_t begin_row = first % chunks * product_rows;
        // With all their rows, or some rows of one panel.
        const std::int64_t whole = begin_row > 0 ? 0 : std::min(most_panels, (last - first) / chunks);
        const std::int64_t end = whole > 0 ? first + whole * chunks : std::min(last, (first / chunks + 1) * chunks);
        const std::int64_t end_row =
            whole > 0 ? product.rows : std::min(product.rows, begin_row + (end - first) * product_rows);
        const std::int64_t end_column =
            std::min(product.columns, begin_column + std::max<std::int64_t>(1, whole) * product_columns);
        for (std::int64_t k = 0; k < product.depth; k += block) {
            const std::int64_t depth = std::min(block, product.depth - k);
            float* panel = panels;
            for (std::int64_t column = begin_column; column < end_column; column += product_columns) {
                pack(product, column, std::min(product_columns, end_column - column), k, depth, panel);
                panel += panel_numbers;
            }
            for (std::int64_t chunk = begin_row; chunk < end_row; chunk += rows_at_once) {
                const std::int64_t end_chunk = std::min(end_row, chunk + rows_at_once);
                const Factor left{
                    product.left.numbers + chunk * product.left.row_stride + k * product.left.column_stride,
                    product.left.row_stride, product.left.column_stride};
                const bool packs_tiles = has_avx2_order && left.row_stride == 1 && left.column_stride > 1;
                const bool packs_rows =
                    has_avx2_order && left.column_stride == 1 && left.row_stride > depth && whole >= 4;
                if (packs_tiles || packs_rows) pack_left(left, end_chunk - chunk, depth, packed);
                panel = panels;
                for (std::int64_t column = begin_column; column < end_column; column += product_columns) {
                    const std::int64_t count = std::min(product_columns, end_column - column);
                    for (std::int64_t row = chunk; row < end_chunk;) {
                        float* out = product.out + row * product.columns + column;
                        const auto several = [&]<std::int64_t rows>(
                                                 std::integral_constant<std::int64_t, rows>) ROPELAB_LAMBDA {
                            if (end_chunk - row < rows) return false;
                            const std::int64_t at = row - chunk;
                            const Factor tile =
                                packs_rows ? Factor{packed + at * depth, depth, 1}
                                : packs_tiles && rows == tile_rows
                                    ? Factor{packed + at * depth, 1, tile_rows}
                                    : Factor{left.numbers + at * left.row_stride, left.row_stride, left.column_stride};
                            multiply_tile<rows>(tile, panel, out, product.columns, count, depth, k > 0);
                            row += rows;
                            return true;
                        };
                        using std::integral_constant;
                        several(integral_constant<std::int64_t, tile_rows>{}) ||
                            several(integral_constant<std::int64_t, 4>{}) ||
                            several(integral_constant<std::int64_t, 2>{}) ||
                            several(integral_constant<std::int64_t, 1>{});
                    }
                    panel += panel_numbers;
                }
            }
        }
        first = end;
    }
}

}  // namespace ropelab::kernels
