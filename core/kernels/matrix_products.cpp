#include <algorithm>
#include <type_traits>

#include "core/kernels/kernels.h"
#include "core/kernels/lanes.h"

namespace ropelab::kernels {

namespace {

// The sums of a tile stay in 32 or 16 registers.
constexpr std::int64_t tile_rows = register_bytes == 64 ? 6 : 4;
constexpr std::int64_t tile_groups = register_bytes == 64 ? 2 : 1;
static_assert(product_columns % (tile_groups * lane_count) == 0);

constexpr std::int64_t largest_block = 192;  // a panel of this depth fits into the L1 cache
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
    // In squares, so that the lines of the cache that are read and written stay there.
    constexpr std::int64_t side = 16;
    for (std::int64_t k = 0; k < depth; k += side) {
        const std::int64_t end = std::min(depth, k + side);
        for (std::int64_t c = 0; c < product_columns; ++c) {
            for (std::int64_t at = k; at < end; ++at) {
                panel[at * product_columns + c] =
                    c < count ? from[at * product.right.row_stride + c * product.right.column_stride] : 0.0F;
            }
        }
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
    alignas(64) float panel[largest_block * product_columns];
    while (first < last) {
        const std::int64_t column = first / chunks * product_columns;
        const std::int64_t end = std::min(last, (first / chunks + 1) * chunks);
        const std::int64_t begin_row = first % chunks * product_rows;
        const std::int64_t end_row = std::min(product.rows, (first % chunks + end - first) * product_rows);
        const std::int64_t count = std::min(product_columns, product.columns - column);
        for (std::int64_t k = 0; k < product.depth; k += block) {
            const std::int64_t depth = std::min(block, product.depth - k);
            pack(product, column, count, k, depth, panel);
            for (std::int64_t row = begin_row; row < end_row;) {
                const Factor left{product.left.numbers + row * product.left.row_stride + k * product.left.column_stride,
                                  product.left.row_stride, product.left.column_stride};
                float* out = product.out + row * product.columns + column;
                const auto several = [&]<std::int64_t rows>(std::integral_constant<std::int64_t, rows>) ROPELAB_LAMBDA {
                    if (end_row - row < rows) return false;
                    multiply_tile<rows>(left, panel, out, product.columns, count, depth, k > 0);
                    row += rows;
                    return true;
                };
                using std::integral_constant;
                several(integral_constant<std::int64_t, tile_rows>{}) ||
                    several(integral_constant<std::int64_t, 4>{}) || several(integral_constant<std::int64_t, 2>{}) ||
                    several(integral_constant<std::int64_t, 1>{});
            }
        }
        first = end;
    }
}

}  // namespace ropelab::kernels
