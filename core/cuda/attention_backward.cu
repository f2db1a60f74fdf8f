#include "core/cuda/attention.cuh"

// Shares are calculated again from the logarithms of their sums, once for the queries and once for the keys and values,
// so that no two blocks add to one number.

namespace ropelab::cuda {

namespace {

// A head of queries: what its gradients are made of.
struct QueryHead {
    const Bfloat16* query;
    const Bfloat16* of_mixed;
    std::int64_t stride;        // of the queries
    std::int64_t mixed_stride;  // of of_mixed
    const float* log_sums;
    const float* along;
    std::int64_t of_all;  // its number among all heads

    __device__ __forceinline__ QueryHead(const CausalAttentionBackward& args, const HeadPlace& at, std::int64_t head,
                                         int head_dim)
        : query(args.forward.qkv + at.row * (args.forward.heads + 2 * args.forward.key_value_heads) * head_dim +
                head * head_dim),
          of_mixed(args.of_mixed + (at.row * args.forward.heads + head) * head_dim),
          stride((args.forward.heads + 2 * args.forward.key_value_heads) * head_dim),
          mixed_stride(args.forward.heads * head_dim),
          of_all((at.run * args.forward.batch + at.window) * args.forward.heads + head) {
        log_sums = args.forward.log_sums + of_all * args.forward.time;
        along = args.along + of_all * args.forward.time;
    }
};

// A block has 64 queries of one head and goes over their keys. It also leaves Σ of_mixed · mixed of each query, which
// is Σ share · its gradient.
template <int D>
__global__ void __launch_bounds__(attention_threads) causal_queries_kernel(CausalAttentionBackward args, float kept) {
    __shared__ Tile<D> keys;
    __shared__ Tile<D> values;
    const CausalAttention& forward = args.forward;
    const int lane = threadIdx.x % warp_size;
    const int warp = warp_number();
    const int time = static_cast<int>(forward.time);
    const int query_tile = static_cast<int>(gridDim.y - 1 - blockIdx.y);
    const int first = query_tile * tile_rows + warp * warp_rows;
    const HeadPlace at(forward, forward.heads);
    const QueryHead head(args, at, at.head, D);
    const int from =
        static_cast<int>(at.head) / (static_cast<int>(forward.heads) / static_cast<int>(forward.key_value_heads));
    const Bfloat16* key = forward.qkv + at.row * head.stride + (forward.heads + from) * D;
    const Bfloat16* value = key + forward.key_value_heads * D;
    const float to_base_two = forward.scale * log2_e;

    std::uint32_t query[D / 16][4];
    std::uint32_t of_mixed[D / 16][4];
    load_left<D>(head.query, head.stride, first, time, query);
    load_left<D>(head.of_mixed, head.mixed_stride, first, time, of_mixed);
    float along[2] = {};
    {
        std::uint32_t mixed[D / 16][4];
        load_left<D>(forward.mixed + (at.row * forward.heads + at.head) * D, head.mixed_stride, first, time, mixed);
#pragma unroll
        for (int step = 0; step < D / 16; ++step) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                along[i % 2] = fmaf(low_of(of_mixed[step][i]), low_of(mixed[step][i]), along[i % 2]);
                along[i % 2] = fmaf(high_of(of_mixed[step][i]), high_of(mixed[step][i]), along[i % 2]);
            }
        }
    }
    float log_sum_of_row[2] = {};
    for (int half = 0; half < 2; ++half) {
        along[half] = sum_of_four(along[half]);
        const int row = first + lane / 4 + 8 * half;
        if (row >= time) continue;
        log_sum_of_row[half] = head.log_sums[row];
        if (lane % 4 == 0) args.along[head.of_all * time + row] = along[half];
    }

    float of_query[D / 8][4] = {};
    for (int tile = 0; tile <= query_tile; ++tile) {
        __syncthreads();
        keys.load(key, head.stride, tile * tile_rows, time);
        values.load(value, head.stride, tile * tile_rows, time);
        std::uint32_t stays = ~0U;
        if (forward.drawn && first < time) {
            stays = forward.drawn[drawn_word(forward, head.of_all, first / warp_rows, tile)];
        }
        __syncthreads();
        const bool diagonal = tile == query_tile;
        const int seen = diagonal ? warp + 1 : tile_sixteens;
#pragma unroll
        for (int s = 0; s < tile_sixteens; ++s) {
            if (s >= seen) continue;
            float share[2][4] = {};
            float of_share[2][4] = {};
            keys.multiply_along(share, query, s);
            values.multiply_along(of_share, of_mixed, s);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const int half = i % 4 / 2;
                const int e = i / 4 * 2 + i % 2;
                float& p = share[i / 4][i % 4];
                p = power_of_two(fmaf(p, to_base_two, -log_sum_of_row[half]));
                if (diagonal && s == warp && lane % 4 * 4 + e > lane / 4 + 8 * half) p = 0;
                const bool stay = (stays >> (8 * s + 4 * half + e) & 1U) != 0;
                p *= (stay ? kept * of_share[i / 4][i % 4] : 0.0F) - along[half];
            }
            std::uint32_t left[4];
            round_left(share, left);
            keys.multiply_across(of_query, left, s);
        }
    }
    store_rows<D>(
        of_query, [&](int) { return forward.scale; }, args.of_qkv + at.row * head.stride + at.head * D, head.stride,
        first, time);
}

// A block has 64 keys and values of one head and goes over the queries that see them, of each head that it serves.
template <int D>
__global__ void __launch_bounds__(attention_threads, 3) causal_keys_kernel(CausalAttentionBackward args, float kept) {
    __shared__ Tile<D> queries;
    __shared__ Tile<D> of_mixed;
    const CausalAttention& forward = args.forward;
    const int lane = threadIdx.x % warp_size;
    const int warp = warp_number();
    const int time = static_cast<int>(forward.time);
    const int key_tile = static_cast<int>(blockIdx.y);  // the first has most queries
    const int first = key_tile * tile_rows + warp * warp_rows;
    const HeadPlace at(forward, forward.key_value_heads);
    const int group = static_cast<int>(forward.heads) / static_cast<int>(forward.key_value_heads);
    const std::int64_t stride = (forward.heads + 2 * forward.key_value_heads) * D;
    const std::int64_t key = at.row * stride + (forward.heads + at.head) * D;
    const std::int64_t value = key + forward.key_value_heads * D;
    const float to_base_two = forward.scale * log2_e;

    std::uint32_t keys[D / 16][4];
    std::uint32_t values[D / 16][4];
    load_left<D>(forward.qkv + key, stride, first, time, keys);
    load_left<D>(forward.qkv + value, stride, first, time, values);
    float of_key[D / 8][4] = {};
    float of_value[D / 8][4] = {};
    const int tiles = static_cast<int>(gridDim.y);
    for (int member = 0; member < group; ++member) {
        const QueryHead head(args, at, at.head * group + member, D);
        for (int tile = key_tile; tile < tiles; ++tile) {
            __syncthreads();
            queries.load(head.query, head.stride, tile * tile_rows, time);
            of_mixed.load(head.of_mixed, head.mixed_stride, tile * tile_rows, time);
            __syncthreads();
            const bool diagonal = tile == key_tile;
#pragma unroll
            for (int s = 0; s < tile_sixteens; ++s) {
                const int sixteen = tile * tile_sixteens + s;
                if ((diagonal && s < warp) || sixteen * 16 >= time) continue;
                std::uint32_t stays = ~0U;
                if (forward.drawn) stays = forward.drawn[drawn_word(forward, head.of_all, sixteen, key_tile)];
                // Of this lane's four neighbouring queries; past the last they have no gradient.
                const int query = 16 * sixteen + lane % 4 * 4;
                Vector<float, 4> log_sums{};
                Vector<float, 4> along{};
                if (query < time) {
                    log_sums = load<4>(head.log_sums + query);
                    along = load<4>(head.along + query);
                }
                float share[2][4] = {};
                float of_share[2][4] = {};
                queries.multiply_along(share, keys, s);
                of_mixed.multiply_along(of_share, values, s);
                float dropped[2][4];
#pragma unroll
                for (int i = 0; i < 8; ++i) {
                    const int half = i % 4 / 2;
                    const int e = i / 4 * 2 + i % 2;
                    float& p = share[i / 4][i % 4];
                    p = power_of_two(fmaf(p, to_base_two, -log_sums.v[e]));
                    const int its_query = lane % 4 * 4 + e;
                    const int its_key = lane / 4 + 8 * half;
                    if (diagonal && s == warp && its_key > its_query) p = 0;
                    bool stay = true;
                    if (forward.drawn) {
                        // The word of the lane that drew for this query and key.
                        const std::uint32_t word = __shfl_sync(all_lanes, stays, its_query % 8 * 4 + its_key / 4);
                        stay = (word >> (8 * warp + its_query / 8 * 4 + its_key % 4) & 1U) != 0;
                    }
                    dropped[i / 4][i % 4] = stay ? p : 0.0F;
                    p *= (stay ? kept * of_share[i / 4][i % 4] : 0.0F) - along.v[e];
                }
                std::uint32_t left[4];
                round_left(dropped, left);
                of_mixed.multiply_across(of_value, left, s);
                round_left(share, left);
                queries.multiply_across(of_key, left, s);
            }
        }
    }
    store_rows<D>(
        of_key, [&](int) { return forward.scale; }, args.of_qkv + key, stride, first, time);
    store_rows<D>(
        of_value, [&](int) { return kept; }, args.of_qkv + value, stride, first, time);
}

}  // namespace

int causal_attention_backward(const CausalAttentionBackward& args, Stream stream) {
    const CausalAttention& forward = args.forward;
    if (!serves(forward)) return cudaErrorInvalidValue;
    const float kept = forward.drawn ? dropout_rate(forward.dropout.rate).kept : 1.0F;
    return for_head_dim(forward.head_dim, [&](auto d) {
        // The second reads what the first leaves along the queries.
        const int error = launch(&causal_queries_kernel<d>, attention_grid(forward, forward.heads), attention_threads,
                                 stream, args, kept);
        if (error) return error;
        return launch(&causal_keys_kernel<d>, attention_grid(forward, forward.key_value_heads), attention_threads,
                      stream, args, kept);
    });
}

}  // namespace ropelab::cuda
