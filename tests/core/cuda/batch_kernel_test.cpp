#include <gtest/gtest.h>

#include "core/cuda/cuda_kernels.h"
#include "core/train/batches.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

KERNEL_TEST(BatchKernel, GathersTheSameSequencesAsTheCpu) {
    SKIP_WITHOUT_DEVICE();
    constexpr std::int64_t runs = 2;
    constexpr std::int64_t step = 5;
    std::vector<std::int32_t> tokens;
    for (std::int32_t i = 0; i < 3000; ++i) tokens.push_back(i * 7 % 65);
    RunSpec spec;
    spec.context = 300;  // more than the threads of a block
    spec.batch = 4;
    const OnDevice<std::int32_t> d_tokens(tokens);
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
    enum class Order { random, sequential, given };
    for (Order order : {Order::random, Order::sequential, Order::given}) {
        spec.batches = order == Order::sequential ? BatchOrder::sequential : BatchOrder::random;
        std::vector<StreamKey> run_keys;
        std::vector<std::int64_t> starts;
        for (std::int64_t seed : {100, 200}) {
            spec.seed = seed;
            run_keys.push_back(stream_key(seed, "batches"));
            // If the starts are given, they are those of a different step.
            for (std::int64_t start : batch_starts(spec, tokens.size(), order == Order::given ? 77 : step)) {
                starts.push_back(start);
            }
        }
        std::vector<std::int64_t> x;
        std::vector<std::int64_t> y;
        for (std::int64_t start : starts) {
            for (std::int64_t i = 0; i < spec.context; ++i) {
                x.push_back(tokens[static_cast<std::size_t>(start + i)]);
                y.push_back(tokens[static_cast<std::size_t>(start + i + 1)]);
            }
        }
        const OnDevice<StreamKey> keys(run_keys);
        const OnDevice<std::int64_t> d_starts(starts);
        const OnDevice<std::int64_t> d_x(x.size());
        const OnDevice<std::int64_t> d_y(y.size());
        ASSERT_EQ(ropelab_cuda_kernels()->gather_batch({.runs = runs,
                                                        .batch = spec.batch,
                                                        .context = spec.context,
                                                        .tokens = d_tokens.data(),
                                                        .token_count = static_cast<std::int64_t>(tokens.size()),
                                                        .starts = order == Order::given ? d_starts.data() : nullptr,
                                                        .sequential = order == Order::sequential,
                                                        .keys = keys.data(),
                                                        .step = now.data(),
                                                        .x = d_x.data(),
                                                        .y = d_y.data()},
                                                       nullptr),
                  0);
        EXPECT_EQ(d_x.host(), x);
        EXPECT_EQ(d_y.host(), y);
    }
}

}  // namespace
}  // namespace ropelab::cuda
