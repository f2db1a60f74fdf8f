#pragma once

#include "core/cuda/device.cuh"

// Causal attention in tiles by tensor cores: what its kernels share. A warp has sixteen rows on the left of its
// products; the block holds 64 rows of the other side in shared memory. Scores are never in the device's memory.
//
// In every group of sixteen of those 64 rows, row 4·t + 2·i + e lies at place 8·i + 2·t + e. So the numbers that thread
// t of four holds in a row of a product's two tiles of eight columns are those of four neighbouring rows: a group that
// one random number serves, and what the next product wants on its left.

namespace ropelab::cuda {

constexpr int warp_rows = 16;
constexpr int tile_rows = 64;
constexpr int tile_sixteens = tile_rows / 16;
constexpr int attention_warps = tile_rows / warp_rows;
constexpr int attention_threads = attention_warps * warp_size;

/// The number of this thread's warp; taken from one lane, so that the compiler sees that it is the same in all.
__device__ __forceinline__ int warp_number() {
    return static_cast<int>(__shfl_sync(all_lanes, threadIdx.x / warp_size, 0));
}

/// N words of two bfloat16 each, the lower half first, which are read and written at once.
template <int N>
struct alignas(4 * N) Words {
    std::uint32_t w[N];
};
template <int N>
__device__ __forceinline__ Words<N> load_words(const Bfloat16* from) {
#ifdef __CUDA_ARCH__
    return *reinterpret_cast<const Words<N>*>(from);
#else
    Words<N> result;
    std::memcpy(&result, from, sizeof result);
    return result;
#endif
}
template <int N>
__device__ __forceinline__ void store_words(Bfloat16* to, const Words<N>& words) {
#ifdef __CUDA_ARCH__
    *reinterpret_cast<Words<N>*>(to) = words;
#else
    std::memcpy(to, &words, sizeof words);
#endif
}
__device__ __forceinline__ std::uint32_t rounded_pair(float low, float high) {
#ifdef __CUDA_ARCH__
    std::uint32_t result;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
    return result;
#else
    return to_bfloat16(low).bits | static_cast<std::uint32_t>(to_bfloat16(high).bits) << 16;
#endif
}
__device__ __forceinline__ float low_of(std::uint32_t pair) {
    return to_float(Bfloat16{static_cast<std::uint16_t>(pair & 0xFFFFU)});
}
__device__ __forceinline__ float high_of(std::uint32_t pair) {
    return to_float(Bfloat16{static_cast<std::uint16_t>(pair >> 16)});
}

/// sums += left · right: (16, 16) · (16, 8), of a whole warp. With g = lane / 4, t = lane % 4 a lane holds of the left
/// rows g and g + 8, columns 2t, 2t + 1 (words 0 and 1) and eight further (2 and 3); of the right rows 2t, 2t + 1 and
/// eight further of column g; of the sums columns 2t, 2t + 1 of row g, then of row g + 8.
__device__ __forceinline__ void multiply_tile(float (&sums)[4], const std::uint32_t (&left)[4], std::uint32_t right0,
                                              std::uint32_t right1) {
#ifdef __CUDACC__
#ifdef __CUDA_ARCH__
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
#endif
#else
    emulated::multiply_tile(sums, left, right0, right1);
#endif
}

/// Four matrices of (8, 8) from shared memory; lane 8·m + r says where row r of matrix m begins. A lane gets columns
/// 2t, 2t + 1 of row g of each, or, `turned`, rows 2t, 2t + 1 of column g.
template <bool turned>
__device__ __forceinline__ Words<4> load_matrices(const Bfloat16* row) {
    Words<4> result{};
#ifdef __CUDACC__
#ifdef __CUDA_ARCH__
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    if (turned) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(result.w[0]), "=r"(result.w[1]), "=r"(result.w[2]), "=r"(result.w[3])
                     : "r"(at)
                     : "memory");
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(result.w[0]), "=r"(result.w[1]), "=r"(result.w[2]), "=r"(result.w[3])
                     : "r"(at)
                     : "memory");
    }
#endif
#else
    emulated::load_matrices(row, turned, result.w);
#endif
    return result;
}

/// 64 rows of D channels. Eight more apart, so that eight neighbouring rows lie in different banks.
template <int D>
struct alignas(16) Tile {
    Bfloat16 rows[tile_rows][D + 8];

    /// Rows `first` … of the head at `head`, which lie `stride` numbers apart; 0 from row `end` on. The whole block
    /// calls it.
    __device__ __forceinline__ void load(const Bfloat16* head, std::int64_t stride, int first, int end) {
        constexpr int pieces = D / 8;
#pragma unroll
        for (int i = threadIdx.x; i < tile_rows * pieces; i += attention_threads) {
            const int row = i / pieces;
            const int channel = i % pieces * 8;
            Words<4> eight{};
            if (first + row < end) eight = load_words<4>(head + (first + row) * stride + channel);
            const int place = (row & ~15) | (row >> 1 & 1) << 3 | (row >> 2 & 3) << 1 | (row & 1);
            store_words(&rows[place][channel], eight);
        }
    }

    /// sums += left · rowsᵀ over the channels, for the sixteen rows from 16·sixteen on, in two tiles of eight columns.
    __device__ __forceinline__ void multiply_along(float (&sums)[2][4], const std::uint32_t (&left)[D / 16][4],
                                                   int sixteen) const {
        const int lane = threadIdx.x % warp_size;
        const int row = 16 * sixteen + lane / 16 * 8 + lane % 8;
#pragma unroll
        for (int step = 0; step < D / 16; ++step) {
            const Words<4> right = load_matrices<false>(&rows[row][16 * step + lane / 8 % 2 * 8]);
            multiply_tile(sums[0], left[step], right.w[0], right.w[1]);
            multiply_tile(sums[1], left[step], right.w[2], right.w[3]);
        }
    }

    /// sums += left · rows over those sixteen rows; left's columns stand for them in the order in which they lie.
    __device__ __forceinline__ void multiply_across(float (&sums)[D / 8][4], const std::uint32_t (&left)[4],
                                                    int sixteen) const {
        const int lane = threadIdx.x % warp_size;
        const int row = 16 * sixteen + lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
        for (int step = 0; step < D / 16; ++step) {
            const Words<4> right = load_matrices<true>(&rows[row][16 * step + lane / 16 * 8]);
            multiply_tile(sums[2 * step], left, right.w[0], right.w[1]);
            multiply_tile(sums[2 * step + 1], left, right.w[2], right.w[3]);
        }
    }
};

/// The left side of products: of sixteen rows from `first` on, 0 from row `end` on.
template <int D>
__device__ __forceinline__ void load_left(const Bfloat16* head, std::int64_t stride, int first, int end,
                                          std::uint32_t (&left)[D / 16][4]) {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = first + lane / 4 + i % 2 * 8;
#pragma unroll
        for (int step = 0; step < D / 16; ++step) {
            const int channel = 16 * step + lane % 4 * 2 + i / 2 * 8;
            left[step][i] = row < end ? load_words<1>(head + row * stride + channel).w[0] : 0;
        }
    }
}

/// Rounds two tiles of eight columns for the left side of the next product.
__device__ __forceinline__ void round_left(const float (&sums)[2][4], std::uint32_t (&left)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) left[i] = rounded_pair(sums[i / 2][i % 2 * 2], sums[i / 2][i % 2 * 2 + 1]);
}

/// Writes `factor` · sums as sixteen rows from `first` on; factor(0) is for row g, factor(1) for row g + 8.
template <int D, typename Factor>
__device__ __forceinline__ void store_rows(const float (&sums)[D / 8][4], Factor factor, Bfloat16* head,
                                           std::int64_t stride, int first, int end) {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = first + lane / 4 + half * 8;
        if (row >= end) continue;
        const float by = factor(half);
#pragma unroll
        for (int i = 0; i < D / 8; ++i) {
            const std::uint32_t pair = rounded_pair(by * sums[i][2 * half], by * sums[i][2 * half + 1]);
            store_words(head + row * stride + 8 * i + lane % 4 * 2, Words<1>{{pair}});
        }
    }
}

/// The sum of four threads that hold a row together.
__device__ __forceinline__ float sum_of_four(float value) {
    value += __shfl_xor_sync(all_lanes, value, 1);
    return value + __shfl_xor_sync(all_lanes, value, 2);
}

/// Where one head of one window of one run lies; blockIdx.x says which.
struct HeadPlace {
    std::int64_t run;
    std::int64_t window;  // of the run
    std::int64_t head;
    std::int64_t row;  // the window's first, of all runs

    __device__ __forceinline__ HeadPlace(const CausalAttention& args, std::int64_t heads)
        : run(blockIdx.x / static_cast<unsigned>(args.batch * heads)),
          window(blockIdx.x / static_cast<unsigned>(heads) % static_cast<unsigned>(args.batch)),
          head(blockIdx.x % static_cast<unsigned>(heads)),
          row((run * args.batch + window) * args.time) {}
};

/// Whether a score's share is dropped: what a lane of the forward pass's warp for sixteen queries drew against a tile
/// of keys, in one word. Bit 8·s + 4·h + e is for query g + 8·h and key 16·s + 4·t + e, and set where the share stays.
__device__ __forceinline__ std::int64_t drawn_word(const CausalAttention& args, std::int64_t head_of_all, int sixteen,
                                                   int key_tile) {
    const int lane = threadIdx.x % warp_size;
    return ((head_of_all * causal_sixteens(args.time) + sixteen) * causal_tiles(args.time) + key_tile) * warp_size +
           lane;
}

inline bool serves(const CausalAttention& args) {
    return suits_causal_attention(args.head_dim, args.time) && args.heads % args.key_value_heads == 0;
}
/// A column of blocks a head, a block for each 64 of its rows.
inline dim3 attention_grid(const CausalAttention& args, std::int64_t heads) {
    return dim3(static_cast<unsigned>(args.runs * args.batch * heads), blocks_for(args.time, tile_rows));
}
/// f(D) for the head dimension; an error where there is no kernel for it.
template <typename F>
int for_head_dim(std::int64_t head_dim, F f) {
    if (head_dim == 32) return f(std::integral_constant<int, 32>());
    if (head_dim == 64) return f(std::integral_constant<int, 64>());
    return cudaErrorInvalidValue;
}

}  // namespace ropelab::cuda
