#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "core/kernels/kernels.h"

namespace ropelab::kernels {
namespace {

std::vector<float> random_numbers(std::size_t count) {
    std::mt19937 generator(5);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(count);
    for (float& number : numbers) number = normal(generator);
    return numbers;
}

std::uint16_t upper_half(float number) {
    std::uint32_t word = 0;
    std::memcpy(&word, &number, sizeof word);
    return static_cast<std::uint16_t>(word >> 16);
}
float from_upper_half(std::uint16_t half) {
    const std::uint32_t word = static_cast<std::uint32_t>(half) << 16;
    float number = 0;
    std::memcpy(&number, &word, sizeof number);
    return number;
}

TEST(VectorProducts, RowsOfAnyLength) {
    constexpr std::int64_t rows = 11;
    for (const std::int64_t columns : {1, 15, 16, 31, 32, 33, 64, 100}) {
        const auto matrix = random_numbers(static_cast<std::size_t>(rows * columns));
        const auto x = random_numbers(static_cast<std::size_t>(columns));
        std::vector<std::uint16_t> halves;
        for (const float number : matrix) halves.push_back(upper_half(number));
        std::vector<float> full(rows, -1);
        std::vector<float> rounded(rows, -1);
        dot_rows(matrix.data(), x.data(), columns, full.data(), 1, rows);
        dot_rows(halves.data(), PairedVector(x.data(), columns), rounded.data(), 1, rows);
        EXPECT_EQ(full[0], -1);
        EXPECT_EQ(rounded[0], -1);
        for (std::int64_t row = 1; row < rows; ++row) {
            double expected = 0;
            double expected_rounded = 0;
            for (std::int64_t i = 0; i < columns; ++i) {
                const auto at = static_cast<std::size_t>(row * columns + i);
                expected += static_cast<double>(matrix[at]) * x[static_cast<std::size_t>(i)];
                expected_rounded += static_cast<double>(from_upper_half(halves[at])) * x[static_cast<std::size_t>(i)];
            }
            EXPECT_NEAR(full[static_cast<std::size_t>(row)], expected, 2e-5) << columns;
            EXPECT_NEAR(rounded[static_cast<std::size_t>(row)], expected_rounded, 2e-5) << columns;
        }
    }
}

TEST(VectorProducts, WeightedRowsAddUp) {
    const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
    const std::vector<float> weights = {10, 100};
    std::vector<float> sum(3);
    sum_weighted_rows(rows.data(), weights.data(), 2, 3, sum.data());
    EXPECT_EQ(sum, (std::vector<float>{410, 520, 630}));
}

TEST(Activations, AreTheExactOnes) {
    for (int count : {1, 16, 37}) {
        std::vector<float> x;
        std::vector<float> factor;
        for (int i = 0; i < count; ++i) {
            x.push_back(-9.0F + 0.5F * static_cast<float>(i));
            factor.push_back(0.1F * static_cast<float>(i) - 1.0F);
        }
        std::vector<float> curved = x;
        std::vector<float> gated = x;
        gelu(curved.data(), count);
        silu_times(gated.data(), factor.data(), count);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double at = x[i];
            EXPECT_NEAR(curved[i], 0.5 * at * (1 + std::erf(at / std::sqrt(2.0))), 2e-7 * std::max(1.0, std::abs(at)));
            const double expected = at / (1 + std::exp(-at)) * factor[i];
            EXPECT_NEAR(gated[i], expected, 5e-7 * std::max(1.0, std::abs(expected))) << at;
        }
    }
}

TEST(AdamW, WritesTheWeightsRoundedToTheNearest) {
    constexpr std::int64_t count = 2500;  // more than are worked on at once, and a rest
    const auto gradient = random_numbers(count);
    const AdamW settings{1e-3, 0.9, 0.99, 1e-8, 0.1, 0.1, 0.01};
    const auto stepped = [&](std::uint16_t* working) {
        std::vector<float> weights = random_numbers(count);
        std::vector<float> first(count, 0.5F);
        std::vector<float> second(count, 0.25F);
        adamw(weights.data(), gradient.data(), first.data(), second.data(), count, 0.5F, settings, working);
        return weights;
    };
    std::vector<std::uint16_t> working(count);
    const std::vector<float> weights = stepped(working.data());
    EXPECT_EQ(weights, stepped(nullptr));
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float down = from_upper_half(upper_half(weights[i]));
        const float up = from_upper_half(static_cast<std::uint16_t>(upper_half(weights[i]) + 1));
        const float rounded = from_upper_half(working[i]);
        EXPECT_TRUE(rounded == down || rounded == up);
        EXPECT_LE(std::abs(rounded - weights[i]), std::abs(up - down) / 2);
    }
}

}  // namespace
}  // namespace ropelab::kernels
