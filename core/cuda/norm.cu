#include "core/cuda/device.cuh"
#include "core/cuda/sum_parts.cuh"

namespace ropelab::cuda {

namespace {

// The part of a row that one lane of a warp processes; each warp processes one row. With K > 0 the row stays in
// registers, with K groups of four numbers per lane, and its length must be a multiple of four. With K = 0 the groups
// are loaded again for each pass, and the row can have any length. All loads into registers come before the first
// store, so that they are in flight together.
template <int K>
struct Row {
    static constexpr bool whole = K > 0;
    static constexpr int slots = K > 0 ? K : 1;  // number of groups in registers
    Groups groups;
    int lane;

    __device__ __forceinline__ Row(std::int64_t row, std::int64_t columns)
        : groups(row, columns, columns), lane(threadIdx.x % warp_size) {}

    /// Calls f(k, group, column of the group's first number) for each group of this lane, where k < slots is the index
    /// of its registers.
    template <typename F>
    __device__ __forceinline__ void each(F f) const {
        if constexpr (whole) {
#pragma unroll
            for (int k = 0; k < K; ++k) {
                const std::int64_t group = groups.first + k * warp_size + lane;
                if (group < groups.last) f(k, group, groups.column(group));
            }
        } else {
            for (std::int64_t group = groups.first + lane; group < groups.last; group += warp_size) {
                f(0, group, groups.column(group));
            }
        }
    }
};

struct Forward {
    ResidualNorm args;
    DropoutArguments dropout;
};

template <typename T, int K>
__global__ void __launch_bounds__(block_size) norm_forward_kernel(Forward f) {
    constexpr bool whole = Row<K>::whole;
    const ResidualNorm& args = f.args;
    const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    const std::int64_t run = blockIdx.y;
    if (number >= args.rows) return;  // exits for all threads of the warp
    const std::int64_t n = args.columns;
    const std::int64_t at = (run * args.rows + number) * n;
    const float* x = args.x + at;
    const T* branch = args.branch ? static_cast<const T*>(args.branch) + at : nullptr;
    float* sum = args.sum + at;
    const Dropper dropper = f.dropout.for_run(run);
    const Row<K> row(number, n);

    float value[Row<K>::slots][4];
    float added[Row<K>::slots][4];
    const auto load_both = [&](int k, std::int64_t, std::int64_t c) {
        load_four<whole>(x, c, n, 0.0F, value[k]);
        if (branch) load_four<whole>(branch, c, n, 0.0F, added[k]);
    };
    float total = 0;
    const auto add = [&](int k, std::int64_t group, std::int64_t c) {
        if (branch) {
            dropper.multiply(static_cast<std::uint64_t>(group), added[k]);
            for (int i = 0; i < 4; ++i) value[k][i] += added[k][i];
            store_four<whole>(sum, c, n, value[k]);
        }
        for (int i = 0; i < 4; ++i) total += value[k][i];
    };
    row.each([&](int k, std::int64_t group, std::int64_t c) {
        load_both(k, group, c);
        if (!whole) add(k, group, c);
    });
    if (whole) row.each(add);
    const auto reload = [&](int k, std::int64_t c) {
        if (!whole) load_four<whole>(branch ? sum : x, c, n, 0.0F, value[k]);
    };

    const float mean = args.centred ? warp_sum(total) / static_cast<float>(n) : 0.0F;
    float squares = 0;
    row.each([&](int k, std::int64_t, std::int64_t c) {
        reload(k, c);
        for (int i = 0; i < 4; ++i) {
            const float deviation = value[k][i] - mean;
            if (whole || (c + i >= 0 && c + i < n)) squares += deviation * deviation;
        }
    });
    const float inverse =
        inverse_deviation(warp_sum(squares), static_cast<float>(n), args.centred ? norm_epsilon : rms_epsilon);
    if (row.lane == 0) {
        args.mean[run * args.rows + number] = mean;
        args.inverse[run * args.rows + number] = inverse;
    }
    const float* weight = args.weight + run * args.stride;
    const float* bias = args.bias ? args.bias + run * args.stride : nullptr;
    T* normed = static_cast<T*>(args.normed) + at;
    row.each([&](int k, std::int64_t, std::int64_t c) {
        reload(k, c);
        float w[4];
        float b[4] = {};
        load_four<whole>(weight, c, n, 0.0F, w);
        if (bias) load_four<whole>(bias, c, n, 0.0F, b);
        float result[4];
        for (int i = 0; i < 4; ++i) result[i] = normal(value[k][i], mean, inverse) * w[i] + b[i];
        store_four<whole>(normed, c, n, result);
    });
}

struct Backward {
    ResidualNormBackward args;
    DropoutArguments dropout;
};

// Computes the gradients of one row. Calls accumulate(k, normalized numbers, their gradients), from which the caller
// computes the gradients of weight and bias.
template <typename T, int K, typename Accumulate>
__device__ __forceinline__ void backward_row(const Backward& f, const Dropper& dropper, std::int64_t run,
                                             std::int64_t number, Accumulate accumulate) {
    constexpr bool whole = Row<K>::whole;
    const ResidualNormBackward& args = f.args;
    const std::int64_t n = args.columns;
    const std::int64_t at = (run * args.rows + number) * n;
    const float* weight = args.weight + run * args.stride;
    const float mean = args.mean[run * args.rows + number];
    const float inverse = args.inverse[run * args.rows + number];
    const Row<K> row(number, n);

    float x[Row<K>::slots][4];         // normalized numbers
    float weighted[Row<K>::slots][4];  // grad_normalized · weight
    float result[Row<K>::slots][4];    // starts with the gradient from the residual path
    const auto load_all = [&](int k, std::int64_t c, float(&gradient)[4]) {
        float w[4];
        load_four<whole>(args.sum + at, c, n, mean, x[k]);
        load_four<whole>(static_cast<const T*>(args.grad_normalized) + at, c, n, 0.0F, gradient);
        load_four<whole>(weight, c, n, 0.0F, w);
        for (int i = 0; i < 4; ++i) {
            x[k][i] = normal(x[k][i], mean, inverse);
            weighted[k][i] = gradient[i] * w[i];
            result[k][i] = 0;
        }
        if (args.grad_sum) load_four<whole>(args.grad_sum + at, c, n, 0.0F, result[k]);
    };
    float along = 0;
    float total = 0;
    row.each([&](int k, std::int64_t, std::int64_t c) {
        float gradient[4];
        load_all(k, c, gradient);
        accumulate(k, x[k], gradient);
        for (int i = 0; i < 4; ++i) {
            along += weighted[k][i] * x[k][i];
            total += weighted[k][i];
        }
    });
    along = warp_sum(along) / static_cast<float>(n);
    total = args.centred ? warp_sum(total) / static_cast<float>(n) : 0.0F;
    row.each([&](int k, std::int64_t group, std::int64_t c) {
        float gradient[4];
        if (!whole) load_all(k, c, gradient);
        for (int i = 0; i < 4; ++i) result[k][i] += norm_gradient(weighted[k][i], x[k][i], inverse, along, total);
        store_four<whole>(args.grad_x + at, c, n, result[k]);
        if (args.grad_branch) {
            dropper.multiply(static_cast<std::uint64_t>(group), result[k]);
            store_four<whole>(static_cast<T*>(args.grad_branch) + at, c, n, result[k]);
        }
    });
}

// Each thread block processes one part of the rows. The sums for weight and bias of its warps are added in order.
template <typename T, int K>
__global__ void __launch_bounds__(block_size) norm_backward_kernel(Backward f) {
    constexpr int max_columns = K * 4 * warp_size;
    __shared__ float sums[block_warps][max_columns];
    const ResidualNormBackward& args = f.args;
    const int warp = threadIdx.x / warp_size;
    const int lane = threadIdx.x % warp_size;
    const std::int64_t run = blockIdx.y;
    const std::int64_t parts = gridDim.x;
    const std::int64_t first = blockIdx.x * norm_part_rows;
    const std::int64_t last = first + norm_part_rows < args.rows ? first + norm_part_rows : args.rows;
    const Dropper dropper = f.dropout.for_run(run);

    float grad_weight[K][4] = {};
    float grad_bias[K][4] = {};
    for (std::int64_t row = first + warp; row < last; row += block_warps) {
        backward_row<T, K>(f, dropper, run, row, [&](int k, const float(&x)[4], const float(&gradient)[4]) {
            for (int i = 0; i < 4; ++i) {
                grad_weight[k][i] += gradient[i] * x[i];
                grad_bias[k][i] += gradient[i];
            }
        });
    }
    const auto write = [&](const float(&values)[K][4], std::int64_t which) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < K; ++k) {
            for (int i = 0; i < 4; ++i) sums[warp][(k * warp_size + lane) * 4 + i] = values[k][i];
        }
        __syncthreads();
        float* part = args.workspace + ((which * args.runs + run) * parts + blockIdx.x) * args.columns;
        for (int c = threadIdx.x; c < args.columns; c += block_size) {
            float total = 0;
            for (int w = 0; w < block_warps; ++w) total += sums[w][c];
            part[c] = total;
        }
    };
    write(grad_weight, 0);
    if (args.grad_bias) write(grad_bias, 1);
}

// For rows of any length: this kernel processes the rows; norm_backward_columns_kernel then processes the columns of
// each part.
template <typename T>
__global__ void __launch_bounds__(block_size) norm_backward_rows_kernel(Backward f) {
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * block_warps + threadIdx.x / warp_size;
    if (row >= f.args.rows) return;  // exits for all threads of the warp
    backward_row<T, 0>(f, f.dropout.for_run(blockIdx.y), blockIdx.y, row,
                       [](int, const float(&)[4], const float(&)[4]) {});
}

template <typename T>
__global__ void __launch_bounds__(block_size) norm_backward_columns_kernel(ResidualNormBackward args) {
    const std::int64_t c = static_cast<std::int64_t>(blockIdx.y) * block_size + threadIdx.x;
    if (c >= args.columns) return;
    const std::int64_t run = blockIdx.z;
    const std::int64_t parts = gridDim.x;
    const std::int64_t first = blockIdx.x * norm_part_rows;
    const std::int64_t last = first + norm_part_rows < args.rows ? first + norm_part_rows : args.rows;
    float grad_weight = 0;
    float grad_bias = 0;
    for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t at = run * args.rows + row;
        const float gradient = to_float(static_cast<const T*>(args.grad_normalized)[at * args.columns + c]);
        grad_weight += gradient * normal(args.sum[at * args.columns + c], args.mean[at], args.inverse[at]);
        grad_bias += gradient;
    }
    args.workspace[(run * parts + blockIdx.x) * args.columns + c] = grad_weight;
    if (args.grad_bias) args.workspace[((args.runs + run) * parts + blockIdx.x) * args.columns + c] = grad_bias;
}

template <typename T, int K>
int forward(const ResidualNorm& args, Stream stream) {
    return launch(&norm_forward_kernel<T, K>,
                  dim3(blocks_for(args.rows, block_warps), static_cast<unsigned>(args.runs)), block_size, stream,
                  Forward{args, DropoutArguments(args.dropout)});
}

template <typename T, int K>
int backward(const ResidualNormBackward& args, Stream stream) {
    const Backward f{args, DropoutArguments(args.dropout)};
    const auto parts = static_cast<unsigned>(norm_parts(args.rows));
    const auto runs = static_cast<unsigned>(args.runs);
    if constexpr (K > 0) {
        return launch(&norm_backward_kernel<T, K>, dim3(parts, runs), block_size, stream, f);
    } else {
        const int error = launch(&norm_backward_rows_kernel<T>, dim3(blocks_for(args.rows, block_warps), runs),
                                 block_size, stream, f);
        if (error) return error;
        return launch(&norm_backward_columns_kernel<T>, dim3(parts, blocks_for(args.columns, block_size), runs),
                      block_size, stream, args);
    }
}

// Calls f(K) with the smallest number K ≤ 4 of groups per lane that covers the row, or with 0 if the row is longer or
// its length is not a multiple of four.
template <typename F>
int for_columns(std::int64_t columns, bool whole, F f) {
    constexpr std::int64_t lanes = 4 * warp_size;
    if (!whole || columns % 4 != 0 || columns > 4 * lanes) return f(std::integral_constant<int, 0>());
    if (columns <= lanes) return f(std::integral_constant<int, 1>());
    if (columns <= 2 * lanes) return f(std::integral_constant<int, 2>());
    if (columns <= 3 * lanes) return f(std::integral_constant<int, 3>());
    return f(std::integral_constant<int, 4>());
}

bool weights_fit(const float* weight, const float* bias, std::int64_t stride) {
    return fits<4>(weight) && fits<4>(bias) && stride % 4 == 0;
}

}  // namespace

int residual_norm(const ResidualNorm& args, Stream stream) {
    return for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const bool whole = weights_fit(args.weight, args.bias, args.stride) && fits<4>(args.x) && fits<4>(args.sum) &&
                           fits<4>(static_cast<const T*>(args.branch)) && fits<4>(static_cast<T*>(args.normed));
        return for_columns(args.columns, whole, [&](auto k) { return forward<T, k>(args, stream); });
    });
}

int residual_norm_backward(const ResidualNormBackward& args, Stream stream) {
    const int error = for_type(args.type, [&](auto type) {
        using T = decltype(type);
        const bool whole = weights_fit(args.weight, nullptr, args.stride) && fits<4>(args.sum) &&
                           fits<4>(args.grad_sum) && fits<4>(args.grad_x) &&
                           fits<4>(static_cast<const T*>(args.grad_normalized)) &&
                           fits<4>(static_cast<T*>(args.grad_branch));
        return for_columns(args.columns, whole, [&](auto k) { return backward<T, k>(args, stream); });
    });
    if (error) return error;
    const std::int64_t parts = norm_parts(args.rows);
    const SumParts weight{args.runs, parts, args.columns, args.workspace, args.grad_weight, args.gradient_stride};
    if (const int failed = sum_parts(weight, stream); failed || !args.grad_bias) return failed;
    SumParts bias = weight;
    bias.parts += args.runs * parts * args.columns;
    bias.out = args.grad_bias;
    return sum_parts(bias, stream);
}

}  // namespace ropelab::cuda
