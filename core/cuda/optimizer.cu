#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each thread block processes one part of a run's gradient.
template <bool whole>
__global__ void __launch_bounds__(block_size) square_sums_kernel(SquareSums args) {
    __shared__ double parts[block_warps];
    const std::int64_t run = blockIdx.y;
    const float* gradient = args.gradient + run * args.count;
    const std::int64_t first = blockIdx.x * square_part;
    const std::int64_t last = first + square_part < args.count ? first + square_part : args.count;
    double total = 0;
    for (std::int64_t c = first + 4 * threadIdx.x; c < last; c += 4 * block_size) {
        float x[4];
        load_four<whole>(gradient, c, last, 0.0F, x);
        for (float value : x) total += static_cast<double>(value) * value;
    }
    total = block_sum(total, parts);
    if (threadIdx.x == 0) args.parts[run * gridDim.x + blockIdx.x] = total;
}

// Each thread block processes one run.
__global__ void __launch_bounds__(block_size) prepare_update_kernel(PrepareUpdate args, std::int64_t part_count) {
    __shared__ double parts[block_warps];
    const std::int64_t run = blockIdx.x;
    double total = 0;
    for (std::int64_t part = threadIdx.x; part < part_count; part += block_size) {
        total += args.parts[run * part_count + part];
    }
    total = block_sum(total, parts);
    if (threadIdx.x > 0) return;
    const std::int64_t step = *args.step;
    const double norm = sqrt(total);
    args.norms[run] = static_cast<float>(norm);
    args.settings[run] =
        update_settings(args.betas, args.rates[run], norm, args.losses ? args.losses[run] : 0.0, args.clip, step);
}

// Each thread processes four numbers.
template <bool whole>
__global__ void __launch_bounds__(block_size) adamw_kernel(AdamW args, UpdateWeights weights_of_update) {
    const std::int64_t run = blockIdx.y;
    const std::int64_t c = 4 * (static_cast<std::int64_t>(blockIdx.x) * block_size + threadIdx.x);
    const UpdateSettings settings = args.settings[run];
    if (c >= args.count || settings.scale != settings.scale) return;
    const std::int64_t at = run * args.count;
    float weight[4];
    float gradient[4];
    float first[4];
    float second[4];
    load_four<whole>(args.weights + at, c, args.count, 0.0F, weight);
    load_four<whole>(args.gradient + at, c, args.count, 0.0F, gradient);
    load_four<whole>(args.first_moment + at, c, args.count, 0.0F, first);
    load_four<whole>(args.second_moment + at, c, args.count, 0.0F, second);
    for (int i = 0; i < 4; ++i) {
        const Updated updated =
            update(weight[i], gradient[i], first[i], second[i], c + i < args.decayed, settings, weights_of_update);
        weight[i] = updated.weight;
        first[i] = updated.first;
        second[i] = updated.second;
    }
    store_four<whole>(args.weights + at, c, args.count, weight);
    store_four<whole>(args.first_moment + at, c, args.count, first);
    store_four<whole>(args.second_moment + at, c, args.count, second);
    if (args.working) store_four<whole>(args.working + at, c, args.count, weight);
}

__global__ void advance_step_kernel(std::int64_t* step) {
    *step += 1;
}

}  // namespace

int square_sums(const SquareSums& args, Stream stream) {
    const bool whole = args.count % 4 == 0 && fits<4>(args.gradient);
    const auto kernel = whole ? &square_sums_kernel<true> : &square_sums_kernel<false>;
    return launch(kernel, dim3(static_cast<unsigned>(square_parts(args.count)), static_cast<unsigned>(args.runs)),
                  block_size, stream, args);
}

int prepare_update(const PrepareUpdate& args, Stream stream) {
    return launch(&prepare_update_kernel, dim3(static_cast<unsigned>(args.runs)), block_size, stream, args,
                  square_parts(args.count));
}

int adamw(const AdamW& args, Stream stream) {
    const bool whole = args.count % 4 == 0 && fits<4>(args.weights) && fits<4>(args.working) &&
                       fits<4>(args.gradient) && fits<4>(args.first_moment) && fits<4>(args.second_moment);
    const auto kernel = whole ? &adamw_kernel<true> : &adamw_kernel<false>;
    return launch(kernel, dim3(blocks_for(args.count, 4 * block_size), static_cast<unsigned>(args.runs)), block_size,
                  stream, args, update_weights(args.betas));
}

int advance_step(std::int64_t* step, Stream stream) {
    return launch(&advance_step_kernel, dim3(1), 1, stream, step);
}

const char* error_text(int error) {
    return cudaGetErrorString(static_cast<cudaError_t>(error));
}

}  // namespace ropelab::cuda
