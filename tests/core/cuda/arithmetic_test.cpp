#include "core/cuda/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/kernels/kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

// Compares the shared functions, compiled for the CPU, with the CPU kernels. The compiler may contract a·b + c into one
// operation in the latter, so results agree only to a few units in the last place of float32.

namespace ropelab::cuda {
namespace {

constexpr double few_units = 1e-6;

TEST(CudaArithmetic, RotatesPairsAsOnTheCpu) {
    constexpr std::int64_t head_dim = 16;
    const auto angles = some_numbers(head_dim / 2, 3);
    std::vector<float> cosine;
    std::vector<float> sine;
    for (float angle : angles) {
        cosine.push_back(std::cos(9.0F * angle));
        sine.push_back(std::sin(9.0F * angle));
    }
    for (float direction : {1.0F, -1.0F}) {
        auto wanted = some_numbers(3 * head_dim, 5);
        auto got = wanted;
        kernels::rotate_heads(wanted.data(), 2, head_dim, cosine.data(), sine.data(), direction);  // q and k
        for (std::int64_t head : {0, 1}) {
            for (std::int64_t i = 0; i < head_dim / 2; ++i) {
                float& a = got[static_cast<std::size_t>(head * head_dim + first_channel(Pairing::half, i))];
                float& b = *(&a + channel_distance(Pairing::half, head_dim));
                const auto at = static_cast<std::size_t>(i);
                const Pair rotated = rotate_pair({a, b}, cosine[at], sine[at], direction);
                a = rotated.a;
                b = rotated.b;
            }
        }
        expect_near(got, wanted, few_units);
    }
}

TEST(CudaArithmetic, RotatingBackUndoesRotationAndKeepsNorms) {
    for (float angle : {0.0F, 0.3F, 2.0F, -1.1F}) {
        const Pair pair{0.7F, -1.3F};
        const Pair rotated = rotate_pair(pair, std::cos(angle), std::sin(angle), 1.0F);
        EXPECT_NEAR(std::hypot(rotated.a, rotated.b), std::hypot(pair.a, pair.b), few_units);
        const Pair back = rotate_pair(rotated, std::cos(angle), std::sin(angle), -1.0F);
        EXPECT_NEAR(back.a, pair.a, few_units);
        EXPECT_NEAR(back.b, pair.b, few_units);
    }
    // A pair of frequency 0 is unchanged.
    const Pair still = rotate_pair({0.1F, 0.2F}, 1.0F, 0.0F, 1.0F);
    EXPECT_EQ(still.a, 0.1F);
    EXPECT_EQ(still.b, 0.2F);
}

TEST(CudaArithmetic, PairingsSelectTheCorrectChannels) {
    EXPECT_EQ(first_channel(Pairing::half, 3), 3);
    EXPECT_EQ(channel_distance(Pairing::half, 64), 32);
    EXPECT_EQ(first_channel(Pairing::interleaved, 3), 6);
    EXPECT_EQ(channel_distance(Pairing::interleaved, 64), 1);
}

TEST(CudaArithmetic, NormalizesAsOnTheCpu) {
    constexpr std::int64_t n = 48;
    const auto x = some_numbers(n, 1);
    const auto weight = some_numbers(n, 2);
    const auto grad_normalized = some_numbers(n, 4);
    std::vector<float> wanted(n);
    float mean = 0;
    float inverse = 0;
    kernels::norm_forward<float, float>({.columns = n,
                                         .x = x.data(),
                                         .branch = nullptr,
                                         .weight = weight.data(),
                                         .bias = nullptr,
                                         .dropout = {},
                                         .mask = nullptr,
                                         .sum = nullptr,
                                         .normed = wanted.data(),
                                         .mean = &mean,
                                         .inverse = &inverse},
                                        1, 0, 1);
    float squares = 0;
    for (float value : x) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(inverse_deviation(squares, n), inverse, few_units * inverse);
    std::vector<float> normed;
    float along = 0;
    float weighted = 0;
    for (std::size_t i = 0; i < n; ++i) {
        normed.push_back(normal(x[i], mean, inverse) * weight[i]);
        along += grad_normalized[i] * weight[i] * normal(x[i], mean, inverse) / n;
        weighted += grad_normalized[i] * weight[i] / n;
    }
    expect_near(normed, wanted, few_units);

    std::vector<float> grad_x(n);
    std::vector<float> grad_weight(n);
    kernels::norm_backward<float, float>({.columns = n,
                                          .sum = x.data(),
                                          .mean = &mean,
                                          .inverse = &inverse,
                                          .weight = weight.data(),
                                          .grad_sum = nullptr,
                                          .grad_normalized = grad_normalized.data(),
                                          .mask = nullptr,
                                          .grad_x = grad_x.data(),
                                          .grad_branch = nullptr,
                                          .grad_weight = grad_weight.data(),
                                          .grad_bias = nullptr},
                                         1, 0, 1);
    std::vector<float> got;
    for (std::size_t i = 0; i < n; ++i) {
        got.push_back(
            norm_gradient(grad_normalized[i] * weight[i], normal(x[i], mean, inverse), inverse, along, weighted));
    }
    expect_near(got, grad_x, 4 * few_units);
}

TEST(CudaArithmetic, LossAndGradientMatchTheCpu) {
    constexpr std::int64_t columns = 11;
    auto logits = some_numbers(columns, 8);
    for (float& logit : logits) logit *= 20;
    const std::int64_t target = 4;
    float loss = 0;
    float of_row = 0;
    std::vector<float> wanted(columns);
    kernels::cross_entropy(logits.data(), &target, columns, &loss, &of_row, 0, 1);
    kernels::cross_entropy_backward(logits.data(), &target, &of_row, columns, 0.25F, wanted.data(), 0, 1);

    const float top = *std::max_element(logits.begin(), logits.end());
    float total = 0;
    for (float logit : logits) total += exponential(logit - top);
    EXPECT_NEAR(log_sum(top, total), of_row, few_units * std::abs(of_row));
    std::vector<float> got;
    for (std::int64_t c = 0; c < columns; ++c) {
        got.push_back(loss_gradient(logits[static_cast<std::size_t>(c)], of_row, c == target, 0.25F));
    }
    expect_near(got, wanted, few_units);
    EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 0.0, few_units);
}

TEST(CudaArithmetic, UpdatesAsOnTheCpu) {
    const Betas betas{0.9, 0.99, 1e-8, 0.1};
    const UpdateSettings settings = update_settings(betas, 1e-3, 4.0, 2.5, 1.0, 6);
    EXPECT_FLOAT_EQ(settings.scale, static_cast<float>(1.0 / (4.0 + 1e-6)));
    auto weights = some_numbers(100, 1);
    auto first = some_numbers(100, 2);
    auto second = some_numbers(100, 3);
    for (float& moment : second) moment = moment * moment;
    const auto gradient = some_numbers(100, 4);
    std::vector<float> got;
    std::vector<float> moments;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const Updated updated =
            update(weights[i], gradient[i], first[i], second[i], true, settings, update_weights(betas));
        got.push_back(updated.weight);
        moments.push_back(updated.first);
        moments.push_back(updated.second);
    }
    kernels::adamw(weights.data(), gradient.data(), first.data(), second.data(), 100, settings.scale,
                   {.rate = 1e-3,
                    .beta1 = 0.9,
                    .beta2 = 0.99,
                    .epsilon = 1e-8,
                    .decay = 0.1,
                    .correction1 = 1.0 - std::pow(0.9, 7),
                    .correction2 = 1.0 - std::pow(0.99, 7)});
    expect_near(got, weights, few_units);
    std::vector<float> wanted;
    for (std::size_t i = 0; i < first.size(); ++i) {
        wanted.push_back(first[i]);
        wanted.push_back(second[i]);
    }
    expect_near(moments, wanted, few_units);
}

TEST(CudaArithmetic, ClipsLargeGradientsAndSkipsNonFiniteOnes) {
    const Betas betas{0.9, 0.99, 1e-8, 0.1};
    EXPECT_EQ(update_settings(betas, 1e-3, 0.5, 2, 1.0, 0).scale, 1.0F);
    EXPECT_EQ(update_settings(betas, 1e-3, 50.0, 2, 0.0, 0).scale, 1.0F);  // a clip of 0 disables clipping
    EXPECT_NEAR(update_settings(betas, 1e-3, 50.0, 2, 1.0, 0).scale, 0.02, 1e-6);
    EXPECT_TRUE(std::isnan(update_settings(betas, 1e-3, NAN, 2, 1.0, 0).scale));
    EXPECT_TRUE(std::isnan(update_settings(betas, 1e-3, INFINITY, 2, 1.0, 0).scale));
    EXPECT_TRUE(std::isnan(update_settings(betas, 1e-3, 0.5, NAN, 1.0, 0).scale));
}

}  // namespace
}  // namespace ropelab::cuda
