#include "ui/probes/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace ropelab::ui {
namespace {

TEST(PrincipalComponents, FindTheAxesOfAnEllipse) {
    // Half axes 3 and 1 around (5, −2), turned by 30°: variances 9/2 and 1/2.
    const double turn = std::numbers::pi / 6;
    std::vector<double> vectors;
    constexpr int count = 360;
    for (int i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * i / count;
        const double a = 3 * std::cos(angle);
        const double b = std::sin(angle);
        vectors.push_back(5 + std::cos(turn) * a - std::sin(turn) * b);
        vectors.push_back(-2 + std::sin(turn) * a + std::cos(turn) * b);
    }
    const PrincipalComponents found = principal_components(vectors, 2, 2);
    EXPECT_NEAR(found.mean[0], 5, 1e-12);
    EXPECT_NEAR(found.mean[1], -2, 1e-12);
    EXPECT_NEAR(found.directions[0][0], std::cos(turn), 1e-12);
    EXPECT_NEAR(found.directions[0][1], std::sin(turn), 1e-12);
    EXPECT_NEAR(found.shares[0], 0.9, 1e-12);
    EXPECT_NEAR(found.shares[1], 0.1, 1e-12);
    EXPECT_NEAR(found.place(std::span<const double>(vectors).first(2), 0), 3, 1e-12);
    EXPECT_NEAR(found.place(std::span<const double>(vectors).first(2), 1), 0, 1e-12);
}

TEST(PrincipalComponents, DirectionsAreOrthogonalAndKeepTheVariance) {
    constexpr std::size_t dimension = 24;
    std::vector<double> vectors;
    for (std::size_t i = 0; i < 80 * dimension; ++i) {
        const auto number = static_cast<double>(i);
        vectors.push_back(std::sin(number * number * 0.37) * (1 + static_cast<double>(i % dimension)));
    }
    const PrincipalComponents found = principal_components(vectors, dimension, dimension);
    double shares = 0;
    for (std::size_t a = 0; a < dimension; ++a) {
        shares += found.shares[a];
        if (a > 0) {
            EXPECT_LE(found.shares[a], found.shares[a - 1]);
        }
        for (std::size_t b = 0; b <= a; ++b) {
            double product = 0;
            for (std::size_t i = 0; i < dimension; ++i) product += found.directions[a][i] * found.directions[b][i];
            EXPECT_NEAR(product, a == b ? 1 : 0, 1e-10);
        }
    }
    EXPECT_NEAR(shares, 1, 1e-10);
}

TEST(PrincipalComponents, EqualVectorsHaveNoVariance) {
    const PrincipalComponents found = principal_components(std::vector<double>(12, 2.0), 3, 2);
    EXPECT_EQ(found.shares, std::vector<double>(2, 0.0));
    EXPECT_THROW(principal_components({}, 3, 2), std::invalid_argument);
    EXPECT_THROW(principal_components(std::vector<double>(12, 2.0), 5, 2), std::invalid_argument);
}

}  // namespace
}  // namespace ropelab::ui
