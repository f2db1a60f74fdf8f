#pragma once

#include "core/cuda/vector_product.cuh"

// One symbol's way through a model, in parts that blocks share in: as kernels of their own (generation.cu), and one
// after another in a kernel that writes many symbols (text_writer.cu). A sum's order depends on the shape alone, never
// on the grid, and products are added by fmaf, so that both write the same text.

namespace ropelab::cuda {

constexpr int text_threads = 512;
constexpr int text_warps = text_threads / warp_size;

/// Where a symbol stands, its entry in the cache of the newest `context` symbols, and how many entries it sees: those
/// from 0 on.
struct Standing {
    std::int64_t position;
    int entry;
    int seen;

    __device__ __forceinline__ Standing(std::int64_t at, std::int64_t context)
        : position(at),
          entry(static_cast<int>(static_cast<unsigned>(at) % static_cast<unsigned>(context))),
          seen(static_cast<int>(at + 1 < context ? at + 1 : context)) {}
};

/// A symbol's numbers, from its row in a table and that of its position.
struct SymbolVector {
    const float* table_row;
    const float* position_row;  // or null
    __device__ __forceinline__ float operator()(int c) const {
        return table_row[c] + (position_row ? position_row[c] : 0.0F);
    }
};

struct AttendMemory {
    float query[most_channels];
    float key[most_channels];
    float scores[warp_size];
    float mixed[text_warps][most_channels];
};

/// One head of qkv for one warp, in `to`: an RMSNorm over its channels where there is a weight, then turned where there
/// are a cosine and a sine (of this position).
__device__ __forceinline__ void take_head(const float* from, const float* weight, const float* cosine,
                                          const float* sine, int n, float* to) {
    const int lane = threadIdx.x % warp_size;
    float squares = 0;
    for (int c = lane; weight && c < n; c += warp_size) squares = fmaf(from[c], from[c], squares);
    const float inverse = weight ? inverse_deviation(warp_sum(squares), static_cast<float>(n), rms_epsilon) : 1.0F;
    const auto number = [&](int c) { return weight ? normal(from[c], 0.0F, inverse) * weight[c] : from[c]; };
    if (!cosine) {
        for (int c = lane; c < n; c += warp_size) to[c] = number(c);
        return;
    }
    const int pairs = n / 2;
#pragma unroll 1
    for (int i = lane; i < pairs; i += warp_size) {
        const Pair turned = rotate_pair({number(i), number(i + pairs)}, cosine[i], sine[i], 1);
        to[i] = turned.a;
        to[i + pairs] = turned.b;
    }
}

/// Part `part` of query head `head` for one block of text_threads, which has at least one entry that is seen. Entries
/// come 32 at a time, two a warp; what came before counts by its largest score. The newest key and value do not come
/// from the cache: another head's block may be writing them.
__device__ __forceinline__ void attend_part(const AttendCached& args, int head, int part, const Standing& at,
                                            AttendMemory& memory) {
    constexpr int held = most_channels / warp_size;
    constexpr int each = warp_size / text_warps;
    const int lane = threadIdx.x % warp_size;
    const int warp = threadIdx.x / warp_size;
    const int n = static_cast<int>(args.attended.head_dim);
    const int heads = static_cast<int>(args.heads);
    const int key_value_heads = static_cast<int>(args.key_value_heads);
    const int group = heads / key_value_heads;
    const int from = head / group;
    const int entries = static_cast<int>(args.attended.entries);
    const int begin = part * entries;
    const int end = begin + entries < at.seen ? begin + entries : at.seen;
    const bool has_newest = begin <= at.entry && at.entry < end;
    const float scale = 1.0F / sqrtf(static_cast<float>(n));
    float* keys = args.keys + from * args.attended.context * n;
    float* values = args.values + from * args.attended.context * n;
    const float* new_value = args.qkv + (heads + key_value_heads + from) * n;

    float k[each][held];
    float v[each][held];
    // Past the end a 0, which no share counts.
    const auto fetch = [&](int chunk) {
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int entry = chunk + warp * each + j;
            const int channels = entry < end && entry != at.entry ? n - lane : 0;
            const float* key = keys + entry * n + lane;
            const float* value = values + entry * n + lane;
#pragma unroll
            for (int i = 0; i < held; ++i) {
                k[j][i] = i * warp_size < channels ? key[i * warp_size] : 0.0F;
                v[j][i] = i * warp_size < channels ? value[i * warp_size] : 0.0F;
            }
        }
    };
    fetch(begin);
    if (warp < 2) {
        const std::int64_t turn = at.position * (n / 2);
        const float* cosine = args.cosine ? args.cosine + turn : nullptr;
        if (warp == 0) take_head(args.qkv + head * n, args.query_norm, cosine, args.sine + turn, n, memory.query);
        if (warp == 1 && has_newest) {
            take_head(args.qkv + (heads + from) * n, args.key_norm, cosine, args.sine + turn, n, memory.key);
        }
    }
    __syncthreads();
    if (has_newest && head % group == 0) {
        for (int c = threadIdx.x; c < n; c += text_threads) {
            keys[at.entry * n + c] = memory.key[c];
            values[at.entry * n + c] = new_value[c];
        }
    }

    float top = -INFINITY;
    float sum = 0;
    float mixed[held] = {};
#pragma unroll 1
    for (int chunk = begin; chunk < end; chunk += warp_size) {
        if (chunk > begin) fetch(chunk);
        const int here = end - chunk < warp_size ? end - chunk : warp_size;
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const bool newest = chunk + warp * each + j == at.entry && has_newest;
            float score = 0;
#pragma unroll
            for (int i = 0; i < held; ++i) {
                const int c = i * warp_size + lane;
                if (c >= n) continue;
                if (newest) {
                    k[j][i] = memory.key[c];
                    v[j][i] = new_value[c];
                }
                score = fmaf(memory.query[c], k[j][i], score);
            }
            score = warp_sum(score) * scale;
            if (lane == 0) memory.scores[warp * each + j] = score;
        }
        __syncthreads();
        const float score = lane < here ? memory.scores[lane] : -INFINITY;
        const float higher = fmaxf(top, warp_largest(score));
        const float before = exponential(top - higher);
        top = higher;
        sum = fmaf(sum, before, warp_sum(exponential(score - top)));
#pragma unroll
        for (int i = 0; i < held; ++i) mixed[i] *= before;
#pragma unroll
        for (int j = 0; j < each; ++j) {
            const int entry = warp * each + j;
            if (entry >= here) continue;
            const float share = exponential(memory.scores[entry] - top);
#pragma unroll
            for (int i = 0; i < held; ++i) mixed[i] = fmaf(share, v[j][i], mixed[i]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < held; ++i) memory.mixed[warp][i * warp_size + lane] = mixed[i];
    __syncthreads();
    float* result = args.attended.numbers + (head * args.attended.parts + part) * (n + 2);
    for (int c = threadIdx.x; c < n; c += text_threads) {
        float total = 0;
#pragma unroll
        for (int w = 0; w < text_warps; ++w) total += memory.mixed[w][c];
        result[c] = total;
    }
    if (threadIdx.x == 0) {
        result[n] = top;
        result[n + 1] = sum;
    }
}

struct DrawMemory {
    double weights[most_symbols];
    float logits[most_symbols];
    int order[most_symbols];
    int chosen;
};

/// The symbol that one block draws, as number `index` of the stream; every thread gets it. Symbols are put in order of
/// their logits, equal ones by number; then one thread goes along.
__device__ __forceinline__ int draw_symbol(const SampleSymbol& args, std::uint64_t index, DrawMemory& memory) {
    const int count = static_cast<int>(args.symbols);
    const int threads = static_cast<int>(blockDim.x);
    for (int s = threadIdx.x; s < count; s += threads) memory.logits[s] = args.logits[s];
    for (int s = threadIdx.x; s < count; s += threads) memory.order[s] = s;  // numbers that are none have no rank
    __syncthreads();
    for (int s = threadIdx.x; s < count; s += threads) {
        const float logit = memory.logits[s];
        int rank = 0;
        for (int other = 0; other < count; ++other) {
            const float there = memory.logits[other];
            rank += there > logit || (there == logit && other < s);
        }
        memory.order[rank] = s;
    }
    __syncthreads();
    const float top = memory.logits[memory.order[0]];
    const bool draws = args.temperature > 0;
#pragma unroll 1
    for (int i = threadIdx.x; draws && i < count; i += threads) {
        memory.weights[i] = exp((memory.logits[memory.order[i]] - top) / args.temperature);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int chosen = memory.order[0];
        if (draws) {
            const int kept = args.top_k > 0 && args.top_k < count ? static_cast<int>(args.top_k) : count;
            double total = 0;
            for (int i = 0; i < kept; ++i) total += memory.weights[i];
            double left = uniform(args.key, index, 0) * total;
            chosen = memory.order[kept - 1];
            for (int i = 0; i < kept; ++i) {
                left -= memory.weights[i];
                if (left < 0) {
                    chosen = memory.order[i];
                    break;
                }
            }
        }
        memory.chosen = chosen;
    }
    __syncthreads();
    return memory.chosen;
}

}  // namespace ropelab::cuda
