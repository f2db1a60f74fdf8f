#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

__global__ void __launch_bounds__(block_size) read_symbol_kernel(ReadSymbol args) {
    const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x;
    if (c >= args.columns) return;
    const std::int64_t position = *args.position;
    const float learned = args.positions ? args.positions[position * args.columns + c] : 0.0F;
    args.x[c] = args.table[args.text[position] * args.columns + c] + learned;
}

// A warp makes one number of y, and what the norm needs of x for itself. `whole`: rows are whole groups of four.
template <typename T, bool whole>
__global__ void __launch_bounds__(block_size) vector_product_kernel(VectorProduct args) {
    const int lane = threadIdx.x % warp_size;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= args.rows) return;  // a whole warp
    const std::int64_t n = args.columns;
    // f(c, x) for each four columns of this lane, 0 past the end.
    const auto each = [&](auto f) {
        for (std::int64_t c = 4 * lane; c < n; c += 4 * warp_size) {
            float x[4];
            load_four<whole>(args.x, c, n, 0.0F, x);
            f(c, x);
        }
    };

    float mean = 0;
    float inverse = 1;
    if (args.norm_weight) {
        if (args.centred) {
            float total = 0;
            each([&](std::int64_t, const float(&x)[4]) {
                for (float value : x) total += value;
            });
            mean = warp_sum(total) / static_cast<float>(n);
        }
        float squares = 0;
        each([&](std::int64_t c, const float(&x)[4]) {
            for (int i = 0; i < 4; ++i) squares += c + i < n ? (x[i] - mean) * (x[i] - mean) : 0.0F;
        });
        inverse =
            inverse_deviation(warp_sum(squares), static_cast<float>(n), args.centred ? norm_epsilon : rms_epsilon);
    }
    const bool gated = args.activation == Activation::swiglu;
    const T* weights = static_cast<const T*>(args.matrix) + row * n;
    const T* others = weights + args.rows * n;
    float total = 0;
    float other_total = 0;
    each([&](std::int64_t c, float(&x)[4]) {
        if (args.norm_weight) {
            float w[4];
            float b[4] = {};
            load_four<whole>(args.norm_weight, c, n, 0.0F, w);
            if (args.norm_bias) load_four<whole>(args.norm_bias, c, n, 0.0F, b);
            for (int i = 0; i < 4; ++i) x[i] = normal(x[i], mean, inverse) * w[i] + b[i];
        }
        float a[4];
        load_four<whole>(weights, c, n, 0.0F, a);
        for (int i = 0; i < 4; ++i) total += a[i] * x[i];
        if (gated) {
            load_four<whole>(others, c, n, 0.0F, a);
            for (int i = 0; i < 4; ++i) other_total += a[i] * x[i];
        }
    });
    total = warp_sum(total);
    other_total = warp_sum(other_total);
    if (lane > 0) return;
    if (args.bias) total += args.bias[row];
    if (args.bias && gated) other_total += args.bias[args.rows + row];
    if (args.activation == Activation::gelu) total = gelu(total);
    if (gated) total = silu(total) * other_total;
    args.y[row] = args.adds ? args.y[row] + total : total;
}

// An RMSNorm over the channels of one head by one warp, in place; afterwards the numbers in shared memory.
__device__ __forceinline__ void take_head(const float* from, const float* weight, std::int64_t head_dim, int lane,
                                          float* to) {
    float squares = 0;
    for (std::int64_t c = lane; c < head_dim; c += warp_size) squares += from[c] * from[c];
    squares = warp_sum(squares);
    const float inverse = weight ? inverse_deviation(squares, static_cast<float>(head_dim), rms_epsilon) : 1.0F;
    for (std::int64_t c = lane; c < head_dim; c += warp_size) {
        to[c] = weight ? normal(from[c], 0.0F, inverse) * weight[c] : from[c];
    }
}

// A block a query head, a warp an entry of the cache at a time; each warp keeps its share of the softmax, of which the
// first lanes' channels are added up at the end. The newest key and value do not come from the cache: another head's
// block may be writing them.
__global__ void __launch_bounds__(block_size) attend_cached_kernel(AttendCached args, float scale) {
    constexpr int held = most_channels / warp_size;
    __shared__ float query[most_channels];
    __shared__ float key[most_channels];
    __shared__ float tops[block_warps];
    __shared__ float sums[block_warps];
    __shared__ float parts[block_warps][most_channels];
    const int lane = threadIdx.x % warp_size;
    const int warp = threadIdx.x / warp_size;
    const std::int64_t n = args.head_dim;
    const std::int64_t head = blockIdx.x;
    const std::int64_t group = args.heads / args.key_value_heads;
    const std::int64_t from = head / group;
    const float* new_value = args.qkv + (args.heads + args.key_value_heads + from) * n;
    const std::int64_t position = *args.position;
    const std::int64_t place = position % args.context;
    const std::int64_t seen = position + 1 < args.context ? position + 1 : args.context;

    if (warp == 0) take_head(args.qkv + head * n, args.query_norm, n, lane, query);
    if (warp == 1) take_head(args.qkv + (args.heads + from) * n, args.key_norm, n, lane, key);
    __syncthreads();
    const std::int64_t pairs = n / 2;
    if (args.cosine) {
        for (std::int64_t i = threadIdx.x; i < 2 * pairs; i += block_size) {
            float* numbers = i < pairs ? query : key;
            const std::int64_t pair = i < pairs ? i : i - pairs;
            const std::int64_t at = position * pairs + pair;
            const Pair turned = rotate_pair({numbers[pair], numbers[pair + pairs]}, args.cosine[at], args.sine[at], 1);
            numbers[pair] = turned.a;
            numbers[pair + pairs] = turned.b;
        }
    }
    __syncthreads();
    float* keys = args.keys + from * args.context * n;
    float* values = args.values + from * args.context * n;
    if (head % group == 0) {
        for (std::int64_t c = threadIdx.x; c < n; c += block_size) {
            keys[place * n + c] = key[c];
            values[place * n + c] = new_value[c];
        }
    }

    float top = -INFINITY;
    float sum = 0;
    float mixed[held] = {};
    for (std::int64_t entry = warp; entry < seen; entry += block_warps) {
        const bool newest = entry == place;
        const float* k = newest ? key : keys + entry * n;
        const float* v = newest ? new_value : values + entry * n;
        float score = 0;
        for (int i = 0; i < held; ++i) {
            const std::int64_t c = i * warp_size + lane;
            if (c < n) score += query[c] * k[c];
        }
        score = warp_sum(score) * scale;
        const float higher = fmaxf(top, score);
        const float before = exponential(top - higher);
        const float share = exponential(score - higher);
        top = higher;
        sum = sum * before + share;
        for (int i = 0; i < held; ++i) {
            const std::int64_t c = i * warp_size + lane;
            if (c < n) mixed[i] = mixed[i] * before + share * v[c];
        }
    }
    if (lane == 0) {
        tops[warp] = top;
        sums[warp] = sum;
    }
    for (int i = 0; i < held; ++i) parts[warp][i * warp_size + lane] = mixed[i];
    __syncthreads();
    for (int w = 0; w < block_warps; ++w) top = fmaxf(top, tops[w]);
    float total = 0;
    for (int w = 0; w < block_warps; ++w) total += sums[w] * exponential(tops[w] - top);
    for (std::int64_t c = threadIdx.x; c < n; c += block_size) {
        float value = 0;
        for (int w = 0; w < block_warps; ++w) value += parts[w][c] * exponential(tops[w] - top);
        args.mixed[head * n + c] = value / total;
    }
}

// One block. Symbols are put in order of their logits, equal ones by number; then one thread goes along.
__global__ void __launch_bounds__(block_size) sample_symbol_kernel(SampleSymbol args) {
    __shared__ double weights[most_symbols];
    __shared__ int order[most_symbols];
    const std::int64_t next = *args.position + 1;
    const auto count = static_cast<int>(args.symbols);
    for (int s = threadIdx.x; s < count; s += block_size) order[s] = s;
    __syncthreads();
    for (int s = threadIdx.x; s < count; s += block_size) {
        const float logit = args.logits[s];
        int rank = 0;
        for (int other = 0; other < count; ++other) {
            const float there = args.logits[other];
            rank += there > logit || (there == logit && other < s);
        }
        order[rank] = s;
    }
    __syncthreads();
    const float top = args.logits[order[0]];
    const bool draws = args.temperature > 0;
    for (int i = threadIdx.x; i < count; i += block_size) {
        weights[i] = draws ? exp((args.logits[order[i]] - top) / args.temperature) : 0.0;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    if (next >= args.prompt) {
        int chosen = order[0];
        if (draws) {
            const int kept = args.top_k > 0 && args.top_k < count ? static_cast<int>(args.top_k) : count;
            double total = 0;
            for (int i = 0; i < kept; ++i) total += weights[i];
            double left = uniform(args.key, static_cast<std::uint64_t>(next - args.prompt), 0) * total;
            chosen = order[kept - 1];
            for (int i = 0; i < kept; ++i) {
                left -= weights[i];
                if (left < 0) {
                    chosen = order[i];
                    break;
                }
            }
        }
        args.text[next] = chosen;
    }
    *args.position = next;
}

}  // namespace

int read_symbol(const ReadSymbol& args, Stream stream) {
    return launch(&read_symbol_kernel, dim3(blocks_for(args.columns, block_size)), block_size, stream, args);
}

int vector_product(const VectorProduct& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const bool whole = args.columns % 4 == 0 && fits<4>(static_cast<const T*>(args.matrix)) && fits<4>(args.x) &&
                           fits<4>(args.norm_weight) && fits<4>(args.norm_bias);
        const auto kernel = whole ? &vector_product_kernel<T, true> : &vector_product_kernel<T, false>;
        return launch(kernel, dim3(blocks_for(args.rows, block_warps)), block_size, stream, args);
    });
}

int attend_cached(const AttendCached& args, Stream stream) {
    if (args.head_dim > most_channels || args.head_dim % 2 != 0 || args.heads % args.key_value_heads != 0) {
        return cudaErrorInvalidValue;
    }
    const float scale = 1.0F / sqrtf(static_cast<float>(args.head_dim));
    return launch(&attend_cached_kernel, dim3(static_cast<unsigned>(args.heads)), block_size, stream, args, scale);
}

int sample_symbol(const SampleSymbol& args, Stream stream) {
    if (args.symbols > most_symbols) return cudaErrorInvalidValue;
    return launch(&sample_symbol_kernel, dim3(1), block_size, stream, args);
}

}  // namespace ropelab::cuda
