#include "core/cuda/generation.cuh"

// Many symbols in one launch: the blocks stay and wait for each other where one reads what others wrote.
//
// What a symbol takes: its products read every weight once, and 10.6 million in bfloat16, 21 MB, stay in an L2 cache of
// 50 MB, which gives 4 to 5 TB/s: 4 to 6 µs. The rest is waiting. A layer has five waits (three where attention and MLP
// stand side by side), and a symbol one more: 31 with six layers. Each takes 0.6 to 1 µs over 132 blocks, an atomic
// addition and a look at it, both in the L2 cache; after it a vector comes from there in 0.3 µs, while the weights are
// on their way already. With drawing, 2 µs, that makes 30 to 45 µs a symbol (calculated, not measured). Hence: norms
// are calculated by every block for itself, attention's parts are joined by the product that reads them, every block
// draws the symbol for itself, and products add to the residual stream.

namespace ropelab::cuda {

namespace {

static_assert(sizeof(WriteText) <= 4096, "a kernel's parameters");

// The products that a symbol goes through; a layer has the first four, in another order where two stand side by side.
enum class Place { qkv, output, up, down, head };

// A symbol's product number `step`: four a layer, then the head.
__device__ __forceinline__ Place place_of(const WriteText& args, int step) {
    if (step == 4 * static_cast<int>(args.layers)) return Place::head;
    const int in_layer = step % 4;
    const bool early_up = args.beside && (in_layer == 1 || in_layer == 2);
    return static_cast<Place>(early_up ? 3 - in_layer : in_layer);
}

__device__ __forceinline__ VectorProduct product_of(const WriteText& args, Place place, const TextLayer& layer) {
    VectorProduct one{};
    one.type = args.type;
    one.centred = args.centred;
    one.columns = args.width;
    one.rows = args.width;
    one.activation = Activation::none;
    one.x = args.x;
    one.y = args.x;
    switch (place) {
        case Place::qkv:
            one.rows = (args.heads + 2 * args.key_value_heads) * args.attended.head_dim;
            one.matrix = layer.qkv;
            one.bias = layer.qkv_bias;
            one.norm_weight = layer.attention_norm;
            one.norm_bias = layer.attention_norm_bias;
            one.y = args.qkv;
            break;
        case Place::output:
            one.columns = args.heads * args.attended.head_dim;
            one.matrix = layer.output;
            one.bias = layer.output_bias;
            one.adds = true;
            one.x = nullptr;
            break;
        case Place::up:
            one.rows = args.hidden;
            one.matrix = layer.up;
            one.bias = layer.up_bias;
            one.norm_weight = layer.mlp_norm;
            one.norm_bias = layer.mlp_norm_bias;
            one.activation = args.activation;
            one.y = args.raised;
            break;
        case Place::down:
            one.columns = args.hidden;
            one.matrix = layer.down;
            one.bias = layer.down_bias;
            one.adds = true;
            one.x = args.raised;
            break;
        case Place::head:
            one.rows = args.sample.symbols;
            one.matrix = args.head;
            one.bias = args.head_bias;
            one.norm_weight = args.final_norm;
            one.norm_bias = args.final_norm_bias;
            one.y = const_cast<float*>(args.sample.logits);
            break;
    }
    return one;
}

// Every block goes the same way. Rows are dealt to warps across blocks, so that few rows still keep all blocks busy. In
// a loop rather than product by product: the code for one fits a multiprocessor's cache for instructions.
template <typename T, bool whole>
__global__ void __launch_bounds__(text_threads, 1) write_text_kernel(const __grid_constant__ WriteText args) {
    unsigned char* memory = dynamic_memory();
    const int block = static_cast<int>(blockIdx.x);
    const int blocks = static_cast<int>(gridDim.x);
    const int warp = static_cast<int>(threadIdx.x) / warp_size * blocks + block;
    const int layers = static_cast<int>(args.layers);

    std::int32_t symbol = args.sample.text[args.first];
    for (std::int64_t position = args.first; position < args.first + args.count; ++position) {
        const std::int64_t next = position + 1;
        const bool draws = next >= args.sample.prompt;
        const Standing at(position, args.attended.context);
        const SymbolVector embedded = {args.table + symbol * args.width,
                                       args.positions ? args.positions + position * args.width : nullptr};
        bool in_x = false;  // the stream; before the first layer adds to it, it is the symbol's
        for (int step = 0; step < 4 * layers + draws; ++step) {
            const Place place = place_of(args, step);
            const TextLayer& layer = args.layer[place == Place::head ? 0 : step / 4];
            const VectorProduct product = product_of(args, place, layer);
            const auto fill = [&](float* x, int n) {
                if (!product.x) {
                    calculate_vector(JoinedVector(args.attended, at.seen), x, n);
                } else if (in_x || place == Place::down) {
                    copy_vector<whole>(product.x, x, n);
                } else {
                    calculate_vector(embedded, x, n);
                    if (block == 0) calculate_vector(embedded, args.x, n);
                }
            };
            multiply<T, whole>(product, fill, reinterpret_cast<float*>(memory), warp, blocks * text_warps);
            in_x = in_x || place == Place::output;

            // Side by side attention and MLP read and write the stream at the same places.
            if (args.beside && (place == Place::qkv || place == Place::output)) continue;
            wait_for_grid(args.arrived);
            if (place != (args.beside ? Place::up : Place::qkv)) continue;
            const AttendCached attention = {args.heads,     args.key_value_heads, args.qkv,     layer.query_norm,
                                            layer.key_norm, layer.cosine,         layer.sine,   nullptr,
                                            layer.keys,     layer.values,         args.attended};
            const JoinedVector joined(args.attended, at.seen);
            const int shares = static_cast<int>(args.heads) * joined.parts;
            for (int share = block; share < shares; share += blocks) {
                attend_part(attention, share / joined.parts, share % joined.parts, at,
                            *reinterpret_cast<AttendMemory*>(memory));
                __syncthreads();
            }
            wait_for_grid(args.arrived);
        }

        if (!draws) {
            symbol = args.sample.text[next];
            continue;
        }
        symbol = draw_symbol(args.sample, static_cast<std::uint64_t>(next - args.sample.prompt),
                             *reinterpret_cast<DrawMemory*>(memory));
        if (block == 0 && threadIdx.x == 0) {
            args.sample.text[next] = symbol;
            // Number and symbol arrive together, so that nothing waits for the bus.
            *const_cast<volatile std::uint64_t*>(args.ring + next % ring_places) =
                (static_cast<std::uint64_t>(next) << 32) + static_cast<std::uint32_t>(symbol);
        }
    }
}

template <typename T>
bool is_whole(const WriteText& args) {
    const std::int64_t width = args.width;
    bool whole = rows_are_whole<T>(args.head, width) && fits<4>(args.x) && fits<4>(args.raised) &&
                 fits<4>(args.final_norm) && fits<4>(args.final_norm_bias);
    for (std::int64_t index = 0; index < args.layers; ++index) {
        const TextLayer& layer = args.layer[index];
        whole = whole && rows_are_whole<T>(layer.qkv, width) && rows_are_whole<T>(layer.up, width) &&
                rows_are_whole<T>(layer.output, args.heads * args.attended.head_dim) &&
                rows_are_whole<T>(layer.down, args.hidden) && fits<4>(layer.attention_norm) &&
                fits<4>(layer.attention_norm_bias) && fits<4>(layer.mlp_norm) && fits<4>(layer.mlp_norm_bias);
    }
    return whole;
}

// f(kernel) for the one that the weights ask for.
template <typename F>
int with_kernel(const WriteText& args, F f) {
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        return f(is_whole<T>(args) ? &write_text_kernel<T, true> : &write_text_kernel<T, false>);
    });
}

std::int64_t larger(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
}

std::size_t shared_bytes(const WriteText& args) {
    const std::int64_t floats =
        larger(product_floats(args.width, true), larger(args.hidden, args.heads * args.attended.head_dim));
    constexpr std::size_t other = sizeof(AttendMemory) > sizeof(DrawMemory) ? sizeof(AttendMemory) : sizeof(DrawMemory);
    const std::size_t bytes = static_cast<std::size_t>(floats) * sizeof(float);
    return bytes > other ? bytes : other;
}

}  // namespace

std::int64_t text_blocks(const WriteText& args) {
    if (args.layers > most_layers || args.sample.symbols > most_symbols || args.attended.head_dim > most_channels ||
        shared_bytes(args) > most_shared_bytes) {
        return 0;
    }
    int device = 0;
    int together = 0;
    int processors = 0;
    int resident = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
        with_kernel(args, [&](auto kernel) {
            return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, text_threads, shared_bytes(args));
        }) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // who goes on otherwise does not meet the error again
        return 0;
    }
    if (!together || resident == 0) return 0;
    // Four rows a block of the product that has most, and a part of the attention.
    const std::int64_t qkv_rows = (args.heads + 2 * args.key_value_heads) * args.attended.head_dim;
    const std::int64_t useful = larger(larger(qkv_rows, args.hidden) / 4, args.heads * args.attended.parts);
    return useful < processors ? useful : processors;
}

int write_text(const WriteText& args, std::int64_t blocks, Stream stream) {
    if (blocks <= 0 || args.count <= 0 || args.count > ring_places) return cudaErrorInvalidValue;
    return with_kernel(args, [&](auto kernel) {
        const int error =
            launch_sharing(kernel, static_cast<unsigned>(blocks), text_threads, shared_bytes(args), true, stream, args);
        // Who goes on otherwise does not meet the error again.
        if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
        return error;
    });
}

int make_ring(TextRing& ring) {
    constexpr std::size_t bytes = ring_places * sizeof(std::uint64_t);
    void* host = nullptr;
    void* device = nullptr;
    cudaError_t error = cudaHostAlloc(&host, bytes, cudaHostAllocMapped);
    if (error == cudaSuccess) {
        error = cudaHostGetDevicePointer(&device, host, 0);
        if (error != cudaSuccess) static_cast<void>(cudaFreeHost(host));
    }
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());  // as in text_blocks
        return error;
    }
    ring = {static_cast<std::uint64_t*>(host), static_cast<std::uint64_t*>(device)};
    for (std::int64_t i = 0; i < ring_places; ++i) ring.host[i] = 0;
    return cudaSuccess;
}

int free_ring(const TextRing& ring) {
    return cudaFreeHost(ring.host);
}

int is_done(Stream stream, bool& done) {
    const cudaError_t error = cudaStreamQuery(stream);
    done = error != cudaErrorNotReady;
    return done ? error : cudaSuccess;
}

}  // namespace ropelab::cuda
