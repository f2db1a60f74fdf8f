#include <gtest/gtest.h>

#include <cmath>

#include "core/cuda/cuda_kernels.h"
#include "core/spec/random_stream.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t runs = 2;
constexpr std::int64_t step = 3;
constexpr float scale = 0.35F;
constexpr std::int64_t seeds[runs] = {11, 12};

// Attention weights before and after dropout, computed in double precision. Row r belongs to the query at position r
// mod time.
struct AttentionWeights {
    std::vector<float> undropped;
    std::vector<float> dropped;
};
AttentionWeights attention_weights(const std::vector<float>& scores, const std::vector<float>& factors,
                                   std::size_t time) {
    AttentionWeights result{std::vector<float>(scores.size()), std::vector<float>(scores.size())};
    for (std::size_t begin = 0; begin < scores.size(); begin += time) {
        const std::size_t seen = begin + begin / time % time + 1;
        double total = 0;
        for (std::size_t i = begin; i < seen; ++i) total += std::exp(double{scale} * scores[i]);
        for (std::size_t i = begin; i < seen; ++i) {
            result.undropped[i] = static_cast<float>(std::exp(double{scale} * scores[i]) / total);
            result.dropped[i] = result.undropped[i] * factors[i];
        }
    }
    return result;
}
std::vector<float> gradient_of_scores(const std::vector<float>& weights, const std::vector<float>& factors,
                                      const std::vector<float>& grad_dropped, std::size_t time) {
    std::vector<float> result(weights.size());
    for (std::size_t begin = 0; begin < weights.size(); begin += time) {
        double along = 0;
        for (std::size_t i = begin; i < begin + time; ++i) along += double{weights[i]} * factors[i] * grad_dropped[i];
        for (std::size_t i = begin; i < begin + time; ++i) {
            result[i] = static_cast<float>(scale * weights[i] * (double{factors[i]} * grad_dropped[i] - along));
        }
    }
    return result;
}

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
    std::vector<StreamKey> run_keys;
    std::vector<float> factors(scores.size(), 1.0F);
    const bool drops = rate > 0;
    for (std::size_t run = 0; run < runs; ++run) {
        run_keys.push_back(stream_key(seeds[run], "dropout:layers.0.attention"));
        if (!drops) continue;
        RandomStream(seeds[run], "dropout:layers.0.attention")
            .fill_dropout({factors.data() + run * size, size}, rate, step, 0);
    }
    const auto [weights, dropped] = attention_weights(widened(scores), factors, static_cast<std::size_t>(time));
    const OnDevice<StreamKey> keys(run_keys);
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
    const DropoutNumbers dropout{drops ? keys.data() : nullptr, now.data(), rate};
    const OnDevice<T> d_scores(scores);
    const OnDevice<T> d_dropped(scores.size());
    ASSERT_EQ(
        ropelab_cuda_kernels()->causal_softmax(
            {runs, rows, time, type, scale, dropout, d_scores.data(), drops ? d_dropped.data() : nullptr}, nullptr),
        0);
    expect_near(widened(d_scores.host()), weights, tolerance);
    if (drops) expect_near(widened(d_dropped.host()), dropped, tolerance);

    // The expected gradient is computed from the device's attention weights, so that their rounding does not matter.
    const std::vector<float> undropped = widened(d_scores.host());
    const std::vector<float> wanted =
        gradient_of_scores(undropped, factors, widened(gradient), static_cast<std::size_t>(time));
    const OnDevice<T> d_gradient(gradient);
    const OnDevice<T> d_again(scores.size());
    ASSERT_EQ(ropelab_cuda_kernels()->causal_softmax_backward({runs, rows, time, type, scale, dropout, d_scores.data(),
                                                               d_gradient.data(), drops ? d_again.data() : nullptr},
                                                              nullptr),
              0);
    expect_near(widened(d_gradient.host()), wanted, tolerance);
    if (!drops) return;
    std::vector<float> again = undropped;
    for (std::size_t i = 0; i < again.size(); ++i) again[i] *= factors[i];
    expect_near(widened(d_again.host()), again, tolerance);
}

KERNEL_TEST(SoftmaxKernel, MatchesTheCpuForwardAndBackward) {
    SKIP_WITHOUT_DEVICE();
    for (std::int64_t time : {16, 140, 13}) {
        for (double rate : {0.0, 0.2}) {
            compare<float>(time, rate, Type::float32, 2e-6);
            compare<Bfloat16>(time, rate, Type::bfloat16, bfloat16_tolerance);
        }
    }
}

KERNEL_TEST(DropOutKernel, DropsElementsAccordingToTheStream) {
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

// The grid has one row of blocks per run, and CUDA permits at most 65,535 rows.
KERNEL_TEST(DropOutKernel, AFailedLaunchIsReportedOnce) {
    SKIP_WITHOUT_DEVICE();
    const OnDevice<float> values(std::vector<float>{1, 2, 3, 4});
    const auto drop_out = [&](std::int64_t run_count) {
        return ropelab_cuda_kernels()->drop_out({run_count, 4, Type::float32, values.data(), values.data(), {}},
                                                nullptr);
    };
    EXPECT_NE(drop_out(65536), 0);
    EXPECT_EQ(last_device_error(), 0);
    EXPECT_EQ(drop_out(1), 0);
    EXPECT_EQ(values.host(), (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace ropelab::cuda
