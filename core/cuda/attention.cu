#include "core/cuda/attention.cuh"

namespace ropelab::cuda {

namespace {

// A block goes over the keys of 64 queries of one head, tile by tile; those with most keys begin first. What came
// before a tile counts by the largest score so far.
template <int D>
__global__ void __launch_bounds__(attention_threads, 4)
    causal_attention_kernel(CausalAttention args, DropoutArguments dropout) {
    __shared__ Tile<D> keys;
    __shared__ Tile<D> values;
    const int lane = threadIdx.x % warp_size;
    const int warp = warp_number();
    const int time = static_cast<int>(args.time);
    const int query_tile = static_cast<int>(gridDim.y - 1 - blockIdx.y);
    const int first = query_tile * tile_rows + warp * warp_rows;
    const HeadPlace at(args, args.heads);
    const std::int64_t stride = (args.heads + 2 * args.key_value_heads) * D;
    const Bfloat16* window = args.qkv + at.row * stride;
    const int from =
        static_cast<int>(at.head) / (static_cast<int>(args.heads) / static_cast<int>(args.key_value_heads));
    const Bfloat16* key = window + (args.heads + from) * D;
    const Bfloat16* value = key + args.key_value_heads * D;
    const Dropper dropper = dropout.of(at.run);
    const float to_base_two = args.scale * log2_e;
    // The first number of this lane's queries among the run's dropped ones.
    std::int64_t drawn[2];
    for (int half = 0; half < 2; ++half) {
        drawn[half] = ((at.window * args.heads + at.head) * time + first + lane / 4 + 8 * half) * time;
    }

    std::uint32_t query[D / 16][4];
    load_left<D>(window + at.head * D, stride, first, time, query);
    float mixed[D / 8][4] = {};
    float top[2] = {-INFINITY, -INFINITY};
    float sum[2] = {};
    for (int tile = 0; tile <= query_tile; ++tile) {
        __syncthreads();
        keys.load(key, stride, tile * tile_rows, time);
        values.load(value, stride, tile * tile_rows, time);
        __syncthreads();
        const bool diagonal = tile == query_tile;
        const int seen = diagonal ? warp + 1 : tile_sixteens;  // sixteens of keys

        float scores[tile_sixteens][2][4] = {};
        float higher[2] = {top[0], top[1]};
#pragma unroll
        for (int s = 0; s < tile_sixteens; ++s) {
            if (s >= seen) continue;
            keys.multiply_along(scores[s], query, s);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                float& score = scores[s][i / 4][i % 4];
                const int half = i % 4 / 2;
                const int its_key = lane % 4 * 4 + i / 4 * 2 + i % 2;
                if (diagonal && s == warp && its_key > lane / 4 + 8 * half) score = -INFINITY;
                higher[half] = fmaxf(higher[half], score);
            }
        }
        float lowered[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            higher[half] = fmaxf(higher[half], __shfl_xor_sync(all_lanes, higher[half], 1));
            higher[half] = fmaxf(higher[half], __shfl_xor_sync(all_lanes, higher[half], 2));
            const float before = power_of_two((top[half] - higher[half]) * to_base_two);
            top[half] = higher[half];
            lowered[half] = higher[half] * to_base_two;
            sum[half] *= before;
#pragma unroll
            for (int i = 0; i < D / 8; ++i) {
                mixed[i][2 * half] *= before;
                mixed[i][2 * half + 1] *= before;
            }
        }

        std::uint32_t stays = 0;
#pragma unroll
        for (int s = 0; s < tile_sixteens; ++s) {
            if (s >= seen) continue;
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const std::int64_t number = drawn[half] + tile * tile_rows + 16 * s + lane % 4 * 4;
                const FourNumbers numbers = dropper.numbers(static_cast<std::uint64_t>(number) / 4);
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    float& share = scores[s][e / 2][2 * half + e % 2];
                    share = power_of_two(fmaf(share, to_base_two, -lowered[half]));
                    sum[half] += share;
                    if (numbers.n[e] < dropper.rate.threshold) {
                        share = 0;
                    } else {
                        stays |= 1U << (8 * s + 4 * half + e);
                    }
                }
            }
            std::uint32_t left[4];
            round_left(scores[s], left);
            values.multiply_across(mixed, left, s);
        }
        if (dropper.drops && first < time) {
            args.drawn[drawn_word(args, blockIdx.x, first / warp_rows, tile)] = stays;
        }
    }

    const float kept = dropper.drops ? dropper.rate.kept : 1.0F;
    for (float& one : sum) one = sum_of_four(one);
    store_rows<D>(
        mixed, [&](int half) { return kept / sum[half]; }, args.mixed + (at.row * args.heads + at.head) * D,
        args.heads * D, first, time);
    if (lane % 4 > 0) return;
    for (int half = 0; half < 2; ++half) {
        const int row = first + lane / 4 + 8 * half;
        if (row < time) args.log_sums[blockIdx.x * args.time + row] = top[half] * to_base_two + log2f(sum[half]);
    }
}

}  // namespace

int causal_attention(const CausalAttention& args, Stream stream) {
    if (!serves(args)) return cudaErrorInvalidValue;
    return for_head_dim(args.head_dim, [&](auto d) {
        return launch(&causal_attention_kernel<d>, attention_grid(args, args.heads), attention_threads, stream, args,
                      DropoutArguments(args.dropout));
    });
}

}  // namespace ropelab::cuda
