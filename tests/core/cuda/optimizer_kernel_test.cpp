#include <gtest/gtest.h>

#include <cmath>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t runs = 3;
constexpr Betas betas{0.9, 0.99, 1e-8, 0.1};

// Two runs are updated; the third one is not, because its loss is NaN.
void compare(std::int64_t count) {
    SCOPED_TRACE(testing::Message() << count << " numbers per run");
    const auto size = static_cast<std::size_t>(count);
    const std::int64_t decayed = count / 2 + 1;
    auto gradient = some_numbers(runs * size, 51);
    for (std::size_t i = 0; i < size; ++i) gradient[i] *= 1e-4F;  // the first run needs no clipping
    auto weights = some_numbers(runs * size, 52);
    std::vector<float> first = some_numbers(runs * size, 53);
    std::vector<float> second = some_numbers(runs * size, 54);
    for (float& moment : second) moment *= moment;
    const std::vector<double> rates = {3e-3, 3e-2, 0.3};
    constexpr double clip = 0.9;
    constexpr std::int64_t step = 2;

    const OnDevice<float> d_gradient(gradient);
    const OnDevice<float> d_weights(weights);
    const OnDevice<Bfloat16> d_working(weights.size());
    const OnDevice<float> d_first(first);
    const OnDevice<float> d_second(second);
    const OnDevice<double> parts(static_cast<std::size_t>(runs * square_parts(count)));
    const OnDevice<float> losses(std::vector<float>{2.0F, 1.0F, NAN});
    const OnDevice<double> d_rates(rates);
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
    const OnDevice<float> norms(runs);
    const OnDevice<UpdateSettings> settings(runs);
    const Kernels& kernels = *ropelab_cuda_kernels();
    ASSERT_EQ(kernels.square_sums({runs, count, d_gradient.data(), parts.data()}, nullptr), 0);
    ASSERT_EQ(kernels.prepare_update({runs, count, parts.data(), losses.data(), d_rates.data(), now.data(), clip, betas,
                                      norms.data(), settings.data()},
                                     nullptr),
              0);
    ASSERT_EQ(kernels.adamw({runs, count, decayed, d_weights.data(), d_working.data(), d_gradient.data(),
                             d_first.data(), d_second.data(), settings.data(), betas},
                            nullptr),
              0);

    std::vector<float> wanted_norms;
    for (std::size_t run = 0; run < runs; ++run) {
        const double norm = std::sqrt(ropelab::kernels::sum_of_squares(gradient.data() + run * size, count));
        wanted_norms.push_back(static_cast<float>(norm));
        if (run == 2) continue;
        const auto update = [&](std::int64_t from, std::int64_t many, double decay) {
            const std::size_t at = run * size + static_cast<std::size_t>(from);
            ropelab::kernels::adamw(weights.data() + at, gradient.data() + at, first.data() + at, second.data() + at,
                                    many, static_cast<float>(norm > clip ? clip / (norm + 1e-6) : 1.0),
                                    {.rate = rates[run],
                                     .beta1 = betas.beta1,
                                     .beta2 = betas.beta2,
                                     .epsilon = betas.epsilon,
                                     .decay = decay,
                                     .correction1 = 1.0 - std::pow(betas.beta1, 3),
                                     .correction2 = 1.0 - std::pow(betas.beta2, 3)});
        };
        update(0, decayed, betas.decay);
        update(decayed, count - decayed, 0.0);
    }
    expect_near(norms.host(), wanted_norms, 1e-6);
    EXPECT_LT(wanted_norms[0], clip);
    EXPECT_GT(wanted_norms[1], clip);
    expect_near(d_weights.host(), weights, 2e-6);
    expect_near(d_first.host(), first, 1e-6);
    expect_near(d_second.host(), second, 1e-6);
    // The bfloat16 weights are exactly the rounded new weights; the third run is unchanged.
    const auto got = d_weights.host();
    const auto working = d_working.host();
    for (std::size_t i = 0; i < 2 * size; ++i) ASSERT_EQ(working[i].bits, to_bfloat16(got[i]).bits);
    for (std::size_t i = 2 * size; i < 3 * size; ++i) {
        ASSERT_EQ(got[i], weights[i]);
        ASSERT_EQ(working[i].bits, 0);
    }
}

KERNEL_TEST(OptimizerKernel, ClipsAndUpdatesEachRunSeparately) {
    SKIP_WITHOUT_DEVICE();
    compare(2 * square_part + 500);
    compare(1003);
}

KERNEL_TEST(OptimizerKernel, UpdateDependsOnLearningRateAndStep) {
    SKIP_WITHOUT_DEVICE();
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{40});
    ASSERT_EQ(ropelab_cuda_kernels()->advance_step(now.data(), nullptr), 0);
    EXPECT_EQ(now.host()[0], 41);
    const OnDevice<double> parts(std::vector<double>{4.0});
    const OnDevice<double> rates(std::vector<double>{0.5});
    const OnDevice<float> norms(1);
    const OnDevice<UpdateSettings> settings(1);
    ASSERT_EQ(ropelab_cuda_kernels()->prepare_update(
                  {1, 10, parts.data(), nullptr, rates.data(), now.data(), 0.0, betas, norms.data(), settings.data()},
                  nullptr),
              0);
    EXPECT_EQ(norms.host()[0], 2.0F);
    EXPECT_FLOAT_EQ(settings.host()[0].keep, 0.95F);
    EXPECT_EQ(settings.host()[0].scale, 1.0F);
}

}  // namespace
}  // namespace ropelab::cuda
