#include <gtest/gtest.h>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t rows = 19;

template <typename T>
void compare(std::int64_t columns, std::int64_t padded, Type type, double tolerance) {
    SCOPED_TRACE(testing::Message() << columns << " of " << padded << " columns, bfloat16 "
                                    << (type == Type::bfloat16));
    const auto wide = static_cast<std::size_t>(padded);
    const auto narrow = static_cast<std::size_t>(columns);
    std::vector<T> logits;
    for (float value : some_numbers(rows * wide, 31)) logits.push_back(from_float<T>(10 * value));
    std::vector<float> unpadded;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (i % wide < narrow) unpadded.push_back(to_float(logits[i]));
        if (i % wide >= narrow) logits[i] = from_float<T>(1000.0F);  // the kernel must not use the padding
    }
    std::vector<std::int64_t> targets;
    for (std::int64_t row = 0; row < rows; ++row) targets.push_back(row * 7 % columns);
    const auto scales = some_numbers(rows, 32);
    std::vector<float> losses(rows);
    std::vector<float> log_sums(rows);
    std::vector<float> gradient(unpadded.size());
    kernels::cross_entropy(unpadded.data(), targets.data(), columns, losses.data(), log_sums.data(), 0, rows);
    for (std::int64_t row = 0; row < rows; ++row) {
        kernels::cross_entropy_backward(unpadded.data(), targets.data(), log_sums.data(), columns,
                                        scales[static_cast<std::size_t>(row)], gradient.data(), row, row + 1);
    }

    const OnDevice<T> d_logits(logits);
    const OnDevice<std::int64_t> d_targets(targets);
    const OnDevice<float> d_scales(scales);
    const OnDevice<float> d_losses(rows);
    const OnDevice<float> d_log_sums(rows);
    const OnDevice<T> d_gradient(logits.size());
    ASSERT_EQ(ropelab_cuda_kernels()->cross_entropy(
                  {rows, columns, padded, type, d_logits.data(), d_targets.data(), d_losses.data(), d_log_sums.data()},
                  nullptr),
              0);
    expect_near(d_losses.host(), losses, 2e-6);
    expect_near(d_log_sums.host(), log_sums, 2e-6);
    ASSERT_EQ(
        ropelab_cuda_kernels()->cross_entropy_backward({rows, columns, padded, type, d_logits.data(), d_targets.data(),
                                                        d_log_sums.data(), d_scales.data(), d_gradient.data()},
                                                       nullptr),
        0);
    std::vector<float> got;
    const auto all = d_gradient.host();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % wide < narrow) {
            got.push_back(to_float(all[i]));
        } else {
            EXPECT_EQ(to_float(all[i]), 0.0F);
        }
    }
    expect_near(got, gradient, tolerance);
}

KERNEL_TEST(LossKernel, MatchesTheCpuWithAPaddedVocabulary) {
    SKIP_WITHOUT_DEVICE();
    compare<float>(65, 128, Type::float32, 2e-6);
    compare<float>(65, 65, Type::float32, 2e-6);
    compare<float>(3, 3, Type::float32, 2e-6);
    compare<Bfloat16>(65, 128, Type::bfloat16, bfloat16_tolerance);
}

KERNEL_TEST(LossKernel, AddsTheSumOfEachRun) {
    SKIP_WITHOUT_DEVICE();
    const auto losses = some_numbers(3 * 1000, 33);
    const OnDevice<float> d_losses(losses);
    const OnDevice<double> totals(std::vector<double>{0, 10, 20});
    ASSERT_EQ(ropelab_cuda_kernels()->add_rows({3, 1000, d_losses.data(), totals.data()}, nullptr), 0);
    const std::vector<double> got = totals.host();
    for (std::size_t run = 0; run < 3; ++run) {
        double total = 10.0 * static_cast<double>(run);
        for (std::size_t i = 0; i < 1000; ++i) total += losses[run * 1000 + i];
        EXPECT_NEAR(got[run], total, 1e-9);
    }
}

}  // namespace
}  // namespace ropelab::cuda
