#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/base/random_stream.h"
#include "core/kernels/kernels.h"
#include "tests/support/guarded.h"

namespace ropelab::kernels {
namespace {

Guarded<float> random_numbers(std::size_t count) {
    std::mt19937 generator(5);
    std::normal_distribution<float> normal;
    Guarded<float> numbers(count);
    for (float& number : numbers) number = normal(generator);
    return numbers;
}

std::uint16_t upper_half(float number) {
    std::uint32_t word = 0;
    std::memcpy(&word, &number, sizeof word);
    return static_cast<std::uint16_t>(word >> 16);
}
Guarded<std::uint16_t> upper_halves(const Guarded<float>& numbers) {
    Guarded<std::uint16_t> halves(numbers.size());
    std::transform(numbers.begin(), numbers.end(), halves.begin(), upper_half);
    return halves;
}
Guarded<Bfloat16> rounded_to_bfloat16(const Guarded<float>& numbers) {
    Guarded<Bfloat16> halves(numbers.size());
    std::transform(numbers.begin(), numbers.end(), halves.begin(), to_bfloat16);
    return halves;
}
float from_upper_half(std::uint16_t half) {
    const std::uint32_t word = static_cast<std::uint32_t>(half) << 16;
    float number = 0;
    std::memcpy(&number, &word, sizeof number);
    return number;
}

// Each number of elements beyond whole registers, and more of them than a tile has.
std::vector<std::int64_t> row_lengths() {
    std::vector<std::int64_t> lengths(33);
    std::iota(lengths.begin(), lengths.end(), 1);
    lengths.insert(lengths.end(), {64, 100, 320});
    return lengths;
}

// Sums in order, in blocks of 192, or in two blocks of a depth in between.
float sum_in_blocks(const Product& product, std::int64_t row, std::int64_t column) {
    const std::int64_t depth = product.depth;
    const std::int64_t block = depth > 192 && depth < 384 ? (depth + 1) / 2 : 192;
    float total = 0;
    for (std::int64_t first = 0; first < depth; first += block) {
        float sum = 0;
        for (std::int64_t k = first; k < std::min(depth, first + block); ++k) {
            sum = std::fma(product.left.numbers[row * product.left.row_stride + k * product.left.column_stride],
                           product.right.numbers[k * product.right.row_stride + column * product.right.column_stride],
                           sum);
        }
        total = first == 0 ? sum : total + sum;
    }
    return total;
}

TEST(MatrixProducts, AreSumsInOrderForAnySizeLayoutAndDivision) {
    const bool fuses = level() != "any processor";  // rounds once per multiply-add
    const auto numbers = random_numbers(500 * 500);
    std::vector<std::array<std::int64_t, 3>> sizes = {{6, 32, 192},   {200, 65, 193}, {13, 47, 300},  {193, 31, 384},
                                                      {65, 100, 500}, {97, 500, 210}, {300, 200, 400}};
    // Each number of rows and columns beyond whole tiles, of terms beyond squares.
    for (std::int64_t rows = 1; rows <= 13; ++rows)
        for (std::int64_t columns = 1; columns <= 34; ++columns) sizes.push_back({rows, columns, 1 + columns % 7});
    for (const auto& [rows, columns, depth] : sizes) {
        const auto from = numbers.begin() + 7;
        const Guarded<float> left(numbers.begin(), numbers.begin() + rows * depth);
        const Guarded<float> right(from, from + depth * columns);
        for (const bool transposed : {false, true}) {
            Guarded<float> out(static_cast<std::size_t>(rows * columns), -1);
            const Product product{rows,
                                  columns,
                                  depth,
                                  transposed ? Factor{left.data(), 1, rows} : Factor{left.data(), depth, 1},
                                  transposed ? Factor{right.data(), 1, depth} : Factor{right.data(), columns, 1},
                                  out.data()};
            const std::int64_t middle = product.parts() / 3;
            multiply(product, 0, middle);
            multiply(product, middle, product.parts());
            for (std::int64_t row = 0; row < rows; ++row) {
                for (std::int64_t column = 0; column < columns; ++column) {
                    const float expected = sum_in_blocks(product, row, column);
                    const float got = out[static_cast<std::size_t>(row * columns + column)];
                    ASSERT_NEAR(got, expected, fuses ? 0 : 1e-3) << rows << " " << columns << " " << depth;
                }
            }
        }
    }
}

TEST(VectorProducts, MatchTheReferenceForAnyRowLength) {
    constexpr std::int64_t rows = 11;
    for (const std::int64_t columns : row_lengths()) {
        const auto matrix = random_numbers(static_cast<std::size_t>(rows * columns));
        const auto x = random_numbers(static_cast<std::size_t>(columns));
        const Guarded<std::uint16_t> halves = upper_halves(matrix);
        Guarded<float> full(rows, -1);
        Guarded<float> rounded(rows, -1);
        dot_rows(matrix.data(), {x.data(), columns}, full.data(), 0, 1, rows);
        dot_rows(halves.data(), PairedVectors({x.data(), columns}), rounded.data(), 0, 1, rows);
        EXPECT_EQ(full[0], -1);
        EXPECT_EQ(rounded[0], -1);
        for (std::int64_t row = 1; row < rows; ++row) {
            double expected = 0;
            double expected_rounded = 0;
            for (std::int64_t i = 0; i < columns; ++i) {
                const auto at = static_cast<std::size_t>(row * columns + i);
                expected += static_cast<double>(matrix[at]) * x[static_cast<std::size_t>(i)];
                expected_rounded += static_cast<double>(from_upper_half(halves[at])) *
                                    to_float(to_bfloat16(x[static_cast<std::size_t>(i)]));
            }
            EXPECT_NEAR(full[static_cast<std::size_t>(row)], expected, 2e-5) << columns;
            EXPECT_NEAR(rounded[static_cast<std::size_t>(row)], expected_rounded, 2e-5) << columns;
        }
    }
}

TEST(VectorProducts, OfInt8RowsAreThoseOfTheRoundedNumbers) {
    constexpr std::int64_t rows = 25;  // tiles of 16 and of fewer
    constexpr std::int64_t count = 5;  // tiles of 4 and of 1
    for (const std::int64_t columns : row_lengths()) {
        auto matrix = random_numbers(static_cast<std::size_t>(rows * columns));
        auto x = random_numbers(static_cast<std::size_t>(count * columns));
        std::fill_n(matrix.begin() + columns, columns, 0.0F);
        std::fill_n(x.begin() + columns, columns, 0.0F);
        if (columns == 320) std::fill_n(x.begin(), columns, 5.0F);  // the sum limits the numbers
        Guarded<std::uint8_t> bytes(matrix.size());
        Guarded<float> scales(rows);
        round_rows(matrix.data(), rows, columns, bytes.data(), scales.data());
        const Vectors vectors{x.data(), columns, count, columns};
        Guarded<float> out(static_cast<std::size_t>(count * rows), -1);
        const WholeVectors whole(vectors);
        dot_rows({bytes.data(), scales.data()}, whole, out.data(), rows, 0, rows);
        for (std::int64_t v = 0; v < count; ++v) {
            const float* own = x.data() + v * columns;
            for (std::int64_t row = 0; row < rows; ++row) {
                double expected = 0;
                double weights = 0;
                for (std::int64_t i = 0; i < columns; ++i) {
                    const auto at = static_cast<std::size_t>(row * columns + i);
                    const double weight = (bytes[at] - 128.0) * scales[static_cast<std::size_t>(row)];
                    ASSERT_NEAR(weight, matrix[at], 0.501 * scales[static_cast<std::size_t>(row)]);
                    expected += weight * own[i];
                    weights += std::abs(weight);
                }
                const double rounding = 0.501 * whole.scales[static_cast<std::size_t>(v)] * weights;
                EXPECT_NEAR(out[static_cast<std::size_t>(v * rows + row)], expected, rounding + 1e-6) << columns;
                EXPECT_LT(rounding, 3e-2);
            }
            Guarded<float> alone(rows, -1);
            dot_rows({bytes.data(), scales.data()}, WholeVectors({own, columns}), alone.data(), 0, 0, rows);
            EXPECT_TRUE(std::equal(alone.begin(), alone.end(), out.begin() + v * rows)) << columns << " " << v;
        }
    }
    Guarded<float> overflowing(2, INFINITY);
    Guarded<std::uint8_t> bytes(2);
    float scale = 0;
    round_rows(overflowing.data(), 1, 2, bytes.data(), &scale);
    EXPECT_TRUE(std::isnan(scale));
    scale = 1;
    float product = 0;
    dot_rows({bytes.data(), &scale}, WholeVectors({overflowing.data(), 2}), &product, 0, 0, 1);
    EXPECT_FALSE(std::isfinite(product));
}

TEST(VectorProducts, DoNotDependOnTheNumberOfVectors) {
    constexpr std::int64_t rows = 39;  // tiles of 16, of 4 and of 1
    for (const std::int64_t columns : row_lengths()) {
        const std::int64_t stride = columns + 3;
        for (const std::int64_t count : {2, 4, 7}) {
            const auto matrix = random_numbers(static_cast<std::size_t>(rows * columns));
            const auto x = random_numbers(static_cast<std::size_t>(count * stride));
            const Guarded<std::uint16_t> halves = upper_halves(matrix);
            const auto products = [&](const auto& numbers, const auto& vectors, std::int64_t vector_count) {
                Guarded<float> out(static_cast<std::size_t>(vector_count * rows));
                dot_rows(numbers.data(), vectors, out.data(), rows, 0, rows);
                return out;
            };
            const Vectors all{x.data(), columns, count, stride};
            const auto full = products(matrix, all, count);
            const auto rounded = products(halves, PairedVectors(all), count);
            for (std::int64_t v = 0; v < count; ++v) {
                const Vectors one{x.data() + v * stride, columns};
                const auto is_part_of = [&](const Guarded<float>& together, const Guarded<float>& alone) {
                    return std::equal(alone.begin(), alone.end(), together.begin() + v * rows);
                };
                EXPECT_TRUE(is_part_of(full, products(matrix, one, 1))) << columns << " " << v << " of " << count;
                EXPECT_TRUE(is_part_of(rounded, products(halves, PairedVectors(one), 1))) << columns << " " << v;
            }
        }
    }
}

TEST(VectorProducts, SumWeightedRows) {
    const Guarded<float> weights = {10, 100};
    for (const std::int64_t columns : row_lengths()) {
        if (columns > 128) continue;  // larger numbers are rounded in bfloat16
        Guarded<float> rows(static_cast<std::size_t>(2 * columns));
        std::iota(rows.begin(), rows.end(), 1.0F);
        Guarded<float> sum(static_cast<std::size_t>(columns) + 1, -1);
        sum_weighted_rows(rows.data(), weights.data(), 2, columns, sum.data());
        const Guarded<Bfloat16> halves = rounded_to_bfloat16(rows);  // which these numbers are without rounding
        Guarded<float> of_halves(sum.size(), -1);
        sum_weighted_rows(halves.data(), weights.data(), 2, columns, of_halves.data());
        EXPECT_EQ(of_halves, sum);
        for (std::int64_t i = 0; i < columns; ++i) {
            const auto first = static_cast<float>(i + 1);
            EXPECT_EQ(sum[static_cast<std::size_t>(i)], 10 * first + 100 * (first + static_cast<float>(columns)));
        }
        EXPECT_EQ(sum.back(), -1);
    }
}

TEST(Activations, ValuesAndGradientsMatchTheExactFormulas) {
    for (const std::int64_t count : row_lengths()) {
        Guarded<float> x(static_cast<std::size_t>(count));
        Guarded<float> factor(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = -9.0F + 0.5F * static_cast<float>(i);
            factor[i] = 0.1F * static_cast<float>(i) - 1.0F;
        }
        const Guarded<float> arriving = random_numbers(x.size());
        Guarded<float> curved(x.size());
        Guarded<float> grad_x(x.size());
        Guarded<float> gated = x;
        Guarded<float> grad_gate(x.size());
        Guarded<float> grad_factor(x.size());
        gelu(x.data(), curved.data(), count);
        gelu_backward(x.data(), arriving.data(), grad_x.data(), count);
        Guarded<float> slope(x.size());
        Guarded<float> curved_too(x.size());
        gelu_with_slope(x.data(), curved_too.data(), slope.data(), count);
        EXPECT_EQ(curved_too, curved);
        swiglu(gated.data(), factor.data(), gated.data(), count);
        swiglu_backward(x.data(), factor.data(), arriving.data(), grad_gate.data(), grad_factor.data(), count);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double at = x[i];
            const double cumulative = 0.5 * (1 + std::erf(at / std::sqrt(2.0)));
            EXPECT_NEAR(curved[i], at * cumulative, 2e-7 * std::max(1.0, std::abs(at)));
            const double density = std::exp(-0.5 * at * at) / std::sqrt(2 * std::numbers::pi);
            EXPECT_NEAR(grad_x[i], arriving[i] * (cumulative + at * density), 1e-6 * std::abs(arriving[i])) << at;
            EXPECT_EQ(grad_x[i], arriving[i] * slope[i]) << at;
            const double logistic = 1 / (1 + std::exp(-at));
            const double expected = at * logistic * factor[i];
            EXPECT_NEAR(gated[i], expected, 5e-7 * std::max(1.0, std::abs(expected))) << at;
            EXPECT_NEAR(grad_factor[i], arriving[i] * at * logistic, 1e-6 * std::max(1.0, std::abs(at * arriving[i])));
            EXPECT_NEAR(grad_gate[i], arriving[i] * factor[i] * logistic * (1 + at * (1 - logistic)),
                        2e-6 * std::max(1.0, std::abs(static_cast<double>(arriving[i]) * factor[i])))
                << at;
        }
    }
}

// Kernels on bfloat16 numbers must give the float32 result for the same numbers, rounded once.
TEST(Bfloat16Numbers, AreRoundedOnceToNearest) {
    for (const std::int64_t count : row_lengths()) {
        const Guarded<float> numbers = random_numbers(static_cast<std::size_t>(count));
        const Guarded<Bfloat16> x = rounded_to_bfloat16(numbers);
        Guarded<float> widened(x.size());
        std::transform(x.begin(), x.end(), widened.begin(), to_float);
        Guarded<Bfloat16> rounded(x.size());
        Guarded<float> exact(x.size());
        gelu(x.data(), rounded.data(), count);
        gelu(widened.data(), exact.data(), count);
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(rounded[i].bits, to_bfloat16(exact[i]).bits);
    }
    // If the gradient of the norm is 0, the gradient of the residual path passes unchanged, rounded for the branch.
    const Guarded<float> odd = {NAN, INFINITY, -INFINITY, 0.0F, -0.0F, 1.00390625F, 1.01171875F, 3.4e38F};
    const Guarded<float> zeros(odd.size());
    const Guarded<Bfloat16> nothing(odd.size());
    Guarded<float> grad_x(odd.size());
    Guarded<float> grad_weight(odd.size());
    Guarded<Bfloat16> rounded(odd.size());
    norm_backward(NormBackward<Bfloat16, Bfloat16>{std::ssize(odd), true, zeros.data(), zeros.data(), zeros.data(),
                                                   zeros.data(), odd.data(), nothing.data(), nullptr, grad_x.data(),
                                                   rounded.data(), grad_weight.data(), nullptr},
                  1, 0, 1);
    for (std::size_t i = 0; i < odd.size(); ++i) EXPECT_EQ(rounded[i].bits, to_bfloat16(grad_x[i]).bits) << odd[i];
}

class RowsOf : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Columns, RowsOf, testing::ValuesIn(row_lengths()));

TEST_P(RowsOf, NormAndGradientMatchTheFormula) {
    const std::int64_t columns = GetParam();
    constexpr std::int64_t rows = 3;
    const auto size = static_cast<std::size_t>(rows * columns);
    const Guarded<float> x = random_numbers(size);
    const Guarded<float> branch(x.rbegin(), x.rend());
    const Guarded<float> weight = random_numbers(static_cast<std::size_t>(columns));
    const Guarded<float> bias(weight.rbegin(), weight.rend());
    Guarded<float> sum(size), normed(size), mean(rows), inverse(rows);
    norm_forward(NormForward<float, float>{columns,
                                           true,
                                           1e-5F,
                                           x.data(),
                                           branch.data(),
                                           weight.data(),
                                           bias.data(),
                                           {},
                                           nullptr,
                                           sum.data(),
                                           normed.data(),
                                           mean.data(),
                                           inverse.data()},
                 rows, 0, blocks_of(rows));
    const Guarded<float> arriving(sum.rbegin(), sum.rend());
    Guarded<float> grad_x(size), grad_weight(weight.size()), grad_bias(weight.size());
    norm_backward(NormBackward<float, float>{columns, true, sum.data(), mean.data(), inverse.data(), weight.data(),
                                             nullptr, arriving.data(), nullptr, grad_x.data(), nullptr,
                                             grad_weight.data(), grad_bias.data()},
                  rows, 0, blocks_of(rows));
    const auto n = static_cast<double>(columns);
    std::vector<double> expected_weight(weight.size());
    for (std::size_t row = 0; row < rows; ++row) {
        const auto at = [&](std::int64_t i) {
            return row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i);
        };
        double center = 0;
        double square = 0;
        for (std::int64_t i = 0; i < columns; ++i) center += (static_cast<double>(x[at(i)]) + branch[at(i)]) / n;
        for (std::int64_t i = 0; i < columns; ++i) square += std::pow(x[at(i)] + branch[at(i)] - center, 2) / n;
        const double scale = 1 / std::sqrt(square + 1e-5);
        double along = 0;
        double total = 0;
        for (std::int64_t i = 0; i < columns; ++i) {
            const auto column = static_cast<std::size_t>(i);
            const double unit = (sum[at(i)] - center) * scale;
            EXPECT_NEAR(normed[at(i)], unit * weight[column] + bias[column], 1e-5) << i;
            along += arriving[at(i)] * weight[column] * unit / n;
            total += arriving[at(i)] * weight[column] / n;
            expected_weight[column] += arriving[at(i)] * unit;
        }
        for (std::int64_t i = 0; i < columns; ++i) {
            const double unit = (sum[at(i)] - center) * scale;
            const double direct = arriving[at(i)] * weight[static_cast<std::size_t>(i)];
            EXPECT_NEAR(grad_x[at(i)], scale * (direct - total - unit * along), 2e-5 * (1 + scale)) << i;
        }
    }
    for (std::size_t i = 0; i < weight.size(); ++i) {
        EXPECT_NEAR(grad_weight[i], expected_weight[i], 1e-5);
        EXPECT_NEAR(grad_bias[i], arriving[i] + arriving[weight.size() + i] + arriving[2 * weight.size() + i], 1e-5);
    }
}

TEST_P(RowsOf, NormInBfloat16IsThatInFloat32RoundedWithAnyDropout) {
    const std::int64_t columns = GetParam();
    constexpr std::int64_t rows = 3;
    const auto size = static_cast<std::size_t>(rows * columns);
    const Guarded<float> x = random_numbers(size);
    const Guarded<Bfloat16> branch = rounded_to_bfloat16(Guarded<float>(x.rbegin(), x.rend()));
    const Guarded<float> weight = random_numbers(static_cast<std::size_t>(columns));
    const RandomStream stream(1, "dropout");
    const auto computed = [&]<typename T>(T, const T* of_branch) {
        struct Result {
            Guarded<float> mask, sum, mean, inverse;
            Guarded<T> normed;
        };
        Result result{Guarded<float>(size), Guarded<float>(size), Guarded<float>(rows), Guarded<float>(rows),
                      Guarded<T>(size)};
        norm_forward(NormForward<T, T>{columns,
                                       true,
                                       1e-5F,
                                       x.data(),
                                       of_branch,
                                       weight.data(),
                                       nullptr,
                                       {&stream, 0.3, 1, 0},
                                       result.mask.data(),
                                       result.sum.data(),
                                       result.normed.data(),
                                       result.mean.data(),
                                       result.inverse.data()},
                     rows, 0, blocks_of(rows));
        return result;
    };
    const auto rounded = computed(Bfloat16{}, branch.data());
    Guarded<float> widened(size);
    std::transform(branch.begin(), branch.end(), widened.begin(), to_float);
    const auto exact = computed(float{}, widened.data());
    EXPECT_EQ(rounded.mask, exact.mask);
    EXPECT_EQ(rounded.sum, exact.sum);
    for (std::size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(exact.sum[i], x[i] + widened[i] * exact.mask[i], 1e-6F);
        EXPECT_EQ(rounded.normed[i].bits, to_bfloat16(exact.normed[i]).bits) << i;
    }
}

TEST_P(RowsOf, SoftmaxAndCrossEntropyMatchTheFormula) {
    const std::int64_t columns = GetParam();
    const Guarded<float> scores = random_numbers(static_cast<std::size_t>(columns));
    double total = 0;
    for (const float score : scores) total += std::exp(3.0 * score);
    Guarded<float> shares = scores;
    softmax(shares.data(), columns, 3.0F);
    for (std::size_t i = 0; i < shares.size(); ++i) EXPECT_NEAR(shares[i], std::exp(3.0 * scores[i]) / total, 1e-6);

    Guarded<float> logits = scores;
    for (float& logit : logits) logit *= 3.0F;
    const std::int64_t target = columns / 2;
    float loss = 0;
    float log_sum = 0;
    cross_entropy(logits.data(), &target, columns, &loss, &log_sum, 0, 1);
    EXPECT_NEAR(log_sum, std::log(total), 1e-5);
    EXPECT_NEAR(loss, std::log(total) - logits[static_cast<std::size_t>(target)], 1e-5);
    Guarded<float> gradient(logits.size());
    cross_entropy_backward(logits.data(), &target, &log_sum, columns, 0.5F, gradient.data(), 0, 1);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const double hit = std::cmp_equal(i, target) ? 1.0 : 0.0;
        EXPECT_NEAR(gradient[i], 0.5 * (std::exp(3.0 * scores[i]) / total - hit), 1e-6);
    }
}

TEST(AdamW, StoresWeightsRoundedToNearest) {
    constexpr std::int64_t count = 2500;  // more than one block of the kernel, with a remainder
    const auto gradient = random_numbers(count);
    const AdamW settings{1e-3, 0.9, 0.99, 1e-8, 0.1, 0.1, 0.01};
    const auto stepped = [&](std::uint16_t* working) {
        Guarded<float> weights = random_numbers(count);
        Guarded<float> first(count, 0.5F);
        Guarded<float> second(count, 0.25F);
        adamw(weights.data(), gradient.data(), first.data(), second.data(), count, 0.5F, settings, working);
        return weights;
    };
    Guarded<std::uint16_t> working(count);
    const Guarded<float> weights = stepped(working.data());
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
