#include <gtest/gtest.h>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "core/spec/random_stream.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t runs = 2;
constexpr std::int64_t step = 3;
constexpr float scale = 0.35F;
constexpr std::int64_t seeds[runs] = {11, 12};

template <typename T>
void compare(std::int64_t time, double rate, Type type, double tolerance) {
    SCOPED_TRACE(testing::Message() << "time " << time << ", rate " << rate << ", bfloat16 "
                                    << (type == Type::bfloat16));
    const std::int64_t rows = 3 * time;
    const auto size = static_cast<std::size_t>(rows * time);
    std::vector<T> scores;
    std::vector<T> gradient;
    for (float value : some_numbers(runs * size, 21)) scores.push_back(from_float<T>(8 * value));
    for (float value : some_numbers(runs * size, 22)) gradient.push_back(from_float<T>(value));
    std::vector<float> shares = widened(scores);
    std::vector<float> dropped(shares.size());
    std::vector<StreamKey> run_keys;
    const bool drops = rate > 0;
    for (std::size_t run = 0; run < runs; ++run) {
        const RandomStream stream(seeds[run], "dropout:layers.0.attention");
        run_keys.push_back(stream_key(seeds[run], "dropout:layers.0.attention"));
        kernels::DropoutNumbers numbers;
        if (drops) numbers = {&stream, rate, step};
        kernels::causal_softmax(shares.data() + run * size, dropped.data() + run * size, time, scale, numbers, 0, rows);
    }
    const OnDevice<StreamKey> keys(run_keys);
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
    const DropoutNumbers dropout{drops ? keys.data() : nullptr, now.data(), rate};
    const OnDevice<T> d_scores(scores);
    const OnDevice<T> d_dropped(scores.size());
    ASSERT_EQ(
        ropelab_cuda_kernels()->causal_softmax(
            {runs, rows, time, type, scale, dropout, d_scores.data(), drops ? d_dropped.data() : nullptr}, nullptr),
        0);
    expect_near(widened(d_scores.host()), shares, tolerance);
    if (drops) expect_near(widened(d_dropped.host()), dropped, tolerance);

    // Backward from the device's shares, so that their rounding is no difference.
    const std::vector<float> kept = widened(d_scores.host());
    std::vector<float> wanted = widened(gradient);
    for (std::size_t run = 0; run < runs; ++run) {
        kernels::causal_softmax_backward(kept.data() + run * size, drops ? dropped.data() + run * size : nullptr,
                                         wanted.data() + run * size, time, scale, rate, 0, rows);
    }
    const OnDevice<T> d_gradient(gradient);
    const OnDevice<T> d_again(scores.size());
    ASSERT_EQ(ropelab_cuda_kernels()->causal_softmax_backward({runs, rows, time, type, scale, dropout, d_scores.data(),
                                                               d_gradient.data(), drops ? d_again.data() : nullptr},
                                                              nullptr),
              0);
    expect_near(widened(d_gradient.host()), wanted, tolerance);
    if (!drops) return;
    std::vector<float> again(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        again[i] = dropped[i] != 0 ? kept[i] * static_cast<float>(1.0 / (1.0 - rate)) : 0.0F;
    }
    expect_near(widened(d_again.host()), again, tolerance);
}

KERNEL_TEST(SoftmaxKernel, IsTheCpusInBothDirections) {
    SKIP_WITHOUT_DEVICE();
    for (std::int64_t time : {16, 140, 13}) {
        for (double rate : {0.0, 0.2}) {
            compare<float>(time, rate, Type::float32, 2e-6);
            compare<Bfloat16>(time, rate, Type::bfloat16, bfloat16_tolerance);
        }
    }
}

KERNEL_TEST(DropOutKernel, DropsTheStreamsNumbers) {
    SKIP_WITHOUT_DEVICE();
    for (std::size_t size : {1000U, 1003U}) {
        const auto given = some_numbers(runs * size, 5);
        std::vector<float> wanted;
        std::vector<StreamKey> run_keys;
        for (std::size_t run = 0; run < runs; ++run) {
            run_keys.push_back(stream_key(seeds[run], "dropout:embedding"));
            std::vector<float> factors(size);
            RandomStream(seeds[run], "dropout:embedding").fill_dropout(factors, 0.3, step, 0);
            for (std::size_t i = 0; i < size; ++i) wanted.push_back(given[run * size + i] * factors[i]);
        }
        const OnDevice<StreamKey> keys(run_keys);
        const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
        const OnDevice<float> values(given);
        ASSERT_EQ(ropelab_cuda_kernels()->drop_out({runs,
                                                    static_cast<std::int64_t>(size),
                                                    Type::float32,
                                                    values.data(),
                                                    values.data(),
                                                    {keys.data(), now.data(), 0.3}},
                                                   nullptr),
                  0);
        EXPECT_EQ(values.host(), wanted);
    }
}

}  // namespace
}  // namespace ropelab::cuda
