#include "core/cuda/device.cuh"

namespace ropelab::cuda {

namespace {

// Each thread block copies one sequence.
__global__ void __launch_bounds__(block_size) gather_batch_kernel(GatherBatch args) {
    const std::int64_t sequence = blockIdx.x;
    const std::int64_t run = blockIdx.y;
    const std::int64_t at = run * args.batch + sequence;
    std::int64_t start;
    if (args.starts) {
        start = args.starts[at];
    } else if (args.sequential) {
        start = sequential_start(args.token_count, args.context, args.batch, *args.step, sequence);
    } else {
        start = random_start(args.keys[run], args.token_count, args.context, *args.step, sequence);
    }
    for (std::int64_t i = threadIdx.x; i < args.context; i += block_size) {
        args.x[at * args.context + i] = args.tokens[start + i];
        args.y[at * args.context + i] = args.tokens[start + i + 1];
    }
}

}  // namespace

int gather_batch(const GatherBatch& args, Stream stream) {
    return launch(&gather_batch_kernel, dim3(static_cast<unsigned>(args.batch), static_cast<unsigned>(args.runs)),
                  block_size, stream, args);
}

}  // namespace ropelab::cuda
