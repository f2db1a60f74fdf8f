#include "core/rope/logit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "tests/support/expect_message.h"
#include "tests/support/rotation_matrix.h"

namespace ropelab {
namespace {

std::vector<double> logit_vectors(std::size_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    std::vector<double> result(count);
    for (double& number : result) number = normal(generator);
    return result;
}

double dot_product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) {
    std::vector<double> result(x.size());
    for (std::size_t row = 0; row < x.size(); ++row) {
        for (std::size_t c = 0; c < x.size(); ++c) result[row] += matrix[row * x.size() + c] * x[c];
    }
    return result;
}

struct LogitCase {
    double fraction;
    Partial partial;
    Pairing pairing;
};

class LogitProperty : public testing::TestWithParam<LogitCase> {
 protected:
    Frequencies head(const Scaling& scaling = {}) const {
        return frequencies({.head_dim = 64,
                            .fraction = GetParam().fraction,
                            .partial = GetParam().partial,
                            .scaling = scaling,
                            .context = 1024});
    }
    LogitSplit split(const std::vector<double>& q, const std::vector<double>& k, std::int64_t m, std::int64_t n,
                     const Frequencies& f, NumberFormat positions = NumberFormat::float64) const {
        return split_logit(q, k, m, n, f, GetParam().partial, GetParam().pairing, positions);
    }
    /// Returns x rotated by rotate() of core/rope/rotation.h.
    std::vector<double> rotated(const std::vector<double>& x, const Frequencies& f, std::int64_t position) const {
        std::vector<float> result(x.begin(), x.end());
        const std::int64_t positions[] = {position};
        rotate(result, 64, rotation_table(f, positions), GetParam().pairing);
        return {result.begin(), result.end()};
    }
};

TEST_P(LogitProperty, TotalEqualsTheDotProductOfTheRotatedVectors) {  // formula 7
    const auto q = logit_vectors(64, 1);
    const auto k = logit_vectors(64, 2);
    for (const Scaling& scaling : {Scaling{}, Scaling{.method = ScalingMethod::yarn, .factor = 4}}) {
        const Frequencies f = head(scaling);
        for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {17, 3}, {5, 1000}}) {
            const LogitSplit parts = split(q, k, m, n, f);
            EXPECT_EQ(parts.pairs.size(), f.inverse_frequencies.size());
            EXPECT_NEAR(parts.total, dot_product(rotated(q, f, m), rotated(k, f, n)) / 8, 1e-5);
            EXPECT_NEAR(parts.total, std::accumulate(parts.pairs.begin(), parts.pairs.end(), parts.unrotated), 1e-12);
        }
    }
}

TEST_P(LogitProperty, DependsOnlyOnTheDistanceIfPositionsAreExact) {
    const auto q = logit_vectors(64, 3);
    const auto k = logit_vectors(64, 4);
    const Frequencies f = head();
    for (NumberFormat exact : {NumberFormat::float64, NumberFormat::float32}) {
        EXPECT_EQ(split(q, k, 1100, 1003, f, exact).pairs, split(q, k, 100, 3, f).pairs);
    }
    // bfloat16 rounds position 1100 to 1104 and 1003 to 1004, so the distance is 100 instead of 97.
    EXPECT_EQ(split(q, k, 1100, 1003, f, NumberFormat::bfloat16).pairs, split(q, k, 100, 0, f).pairs);
}

TEST_P(LogitProperty, AimedKeyHasTheLargestLogitAtItsDistance) {  // formula 17
    const auto q = logit_vectors(64, 5);
    const Frequencies f = head();
    for (std::int64_t aim : {0, 7, 300}) {
        const auto key = aimed_key(q, static_cast<double>(aim), f, GetParam().partial, GetParam().pairing);
        const double at_aim = split(q, key, aim, 0, f).total;
        EXPECT_NEAR(at_aim, dot_product(q, q) / 8, 1e-9);
        for (std::int64_t distance = 0; distance < 1000; ++distance) {
            EXPECT_LE(split(q, key, distance, 0, f).total, at_aim + 1e-9);
        }
    }
}

TEST_P(LogitProperty, RotationMatrixIsOrthogonalAndAgreesWithTheTable) {
    const Frequencies f = head();
    const auto x = logit_vectors(64, 6);
    const auto matrix = rotation_matrix(64, 37, f, GetParam().partial, GetParam().pairing);
    ASSERT_EQ(matrix.size(), 64U * 64U);
    for (std::size_t a = 0; a < 64; ++a) {  // the rows are orthonormal
        for (std::size_t b = 0; b < 64; ++b) {
            double product = 0;
            for (std::size_t c = 0; c < 64; ++c) product += matrix[a * 64 + c] * matrix[b * 64 + c];
            EXPECT_NEAR(product, a == b ? 1 : 0, 1e-12);
        }
    }
    const auto by_matrix = times(matrix, x);
    const auto by_table = rotated(x, f, 37);
    for (std::size_t c = 0; c < 64; ++c) EXPECT_NEAR(by_matrix[c], by_table[c], 1e-5);
    // Rotating by −37 positions reverts the rotation by 37.
    const auto back = times(rotation_matrix(64, -37, f, GetParam().partial, GetParam().pairing), by_matrix);
    for (std::size_t c = 0; c < 64; ++c) EXPECT_NEAR(back[c], x[c], 1e-12);
}

TEST_P(LogitProperty, EveryChannelBelongsToAtMostOnePair) {
    const int d_r = rotary_dim(64, GetParam().fraction);
    std::vector<int> seen(64);
    for (const auto& [first, second] : channel_pairs(64, d_r, GetParam().partial, GetParam().pairing)) {
        ++seen.at(first);
        ++seen.at(second);
    }
    const int paired = GetParam().partial == Partial::slice ? d_r : 64;
    for (int c = 0; c < 64; ++c) EXPECT_EQ(seen[static_cast<std::size_t>(c)], c < paired ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(Heads, LogitProperty,
                         testing::Values(LogitCase{1.0, Partial::slice, Pairing::half},
                                         LogitCase{1.0, Partial::slice, Pairing::interleaved},
                                         LogitCase{0.25, Partial::slice, Pairing::half},
                                         LogitCase{0.25, Partial::slice, Pairing::interleaved},
                                         LogitCase{0.25, Partial::truncate, Pairing::half},
                                         LogitCase{0.25, Partial::truncate, Pairing::interleaved}));

// By formula 5. Interleaved pairs consist of the same channels with slice and truncate.
TEST(SplitLogit, SliceAndTruncateAreEqualAtTheCoincidingTheta) {
    const auto q = logit_vectors(64, 7);
    const auto k = logit_vectors(64, 8);
    const Frequencies truncated = frequencies({.head_dim = 64, .fraction = 0.1, .partial = Partial::truncate});
    const Frequencies sliced =
        frequencies({.head_dim = 64, .theta = coinciding_theta(64, truncated.rotary_dim, 1e4), .fraction = 0.1});
    const auto a = split_logit(q, k, 500, 20, sliced, Partial::slice, Pairing::interleaved);
    const auto b = split_logit(q, k, 500, 20, truncated, Partial::truncate, Pairing::interleaved);
    EXPECT_EQ(a.pairs.size(), 3U);
    EXPECT_NEAR(a.total, b.total, 1e-9);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a.pairs[i], b.pairs[i], 1e-9);
    EXPECT_EQ(b.unrotated, 0);  // with truncate, every channel belongs to a pair
}

TEST(SplitLogit, ThrowsIfVectorsDoNotFitTheHead) {
    const auto q = logit_vectors(64, 9);
    const auto k = logit_vectors(32, 9);
    EXPECT_MESSAGE(split_logit(q, k, 1, 0, frequencies({}), Partial::slice, Pairing::half), BadInput, "32");
    EXPECT_MESSAGE(split_logit(k, k, 1, 0, frequencies({}), Partial::slice, Pairing::half), BadInput, "(32)");
    EXPECT_MESSAGE(split_logit(q, q, 1, 0, frequencies({.head_dim = 32}), Partial::truncate, Pairing::half), BadInput,
                   "16 frequencies");
    EXPECT_MESSAGE(split_logit({}, {}, 1, 0, {}, Partial::slice, Pairing::half), BadInput, "0 channels");
}

TEST(Kernel, IsTheSumOfCosinesOverTheRotatedPairs) {
    const auto f = frequencies({.fraction = 0.25, .partial = Partial::truncate}).inverse_frequencies;
    const auto values = kernel(f, 3000);
    ASSERT_EQ(values.size(), 3000U);
    EXPECT_NEAR(values[0], 8, 1e-12);
    for (std::size_t distance = 0; distance < 3000; ++distance) {
        double sum = 0;
        for (std::size_t i = 0; i < 8; ++i) sum += std::cos(static_cast<double>(distance) * f[i]);
        ASSERT_NEAR(values[distance], sum, 1e-9);
    }
    EXPECT_TRUE(kernel(f, 0).empty());
    EXPECT_EQ(kernel({}, 3), (std::vector<double>{0, 0, 0}));
}

TEST(RandomVectors, DependOnTheSeedAndBeginAlike) {
    const std::vector<double> query = random_query(3, 64);
    ASSERT_EQ(query.size(), 64U);
    EXPECT_EQ(random_query(3, 64), query);
    EXPECT_NE(random_query(4, 64), query);
    EXPECT_NE(random_key(3, 64), query);
    const std::vector<double> longer = random_query(3, 128);
    EXPECT_TRUE(std::equal(query.begin(), query.end(), longer.begin()));
}

}  // namespace
}  // namespace ropelab
