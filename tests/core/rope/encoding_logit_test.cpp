#include "core/rope/logit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/rope/encodings.h"

namespace ropelab {
namespace {

// Returns the logit of equal vectors whose channels are all 1, by the rotation of the vectors themselves.
double direct_logit(const FrequencySettings& settings, std::int64_t distance) {
    const std::vector<double> ones(static_cast<std::size_t>(settings.head_dim), 1.0);
    return split_logit(ones, ones, distance, 0, frequencies(settings), settings.partial, Pairing::half).total;
}

TEST(EncodingLogit, RotationAgreesWithRotatedVectors) {
    for (const double fraction : {1.0, 0.25}) {
        for (const Partial partial : {Partial::slice, Partial::truncate}) {
            FrequencySettings settings;
            settings.head_dim = 32;
            settings.fraction = fraction;
            settings.partial = partial;
            for (const std::int64_t distance : {0, 1, 7, 500}) {
                EXPECT_NEAR(rotation_change(frequencies(settings), 32, static_cast<double>(distance)),
                            direct_logit(settings, distance) - direct_logit(settings, 0), 1e-9)
                    << fraction << ", " << distance;
            }
        }
    }
}

TEST(EncodingLogit, AttentionFactorMultipliesTheChange) {
    FrequencySettings settings;
    settings.context = 1024;
    settings.length = 4096;
    settings.scaling.method = ScalingMethod::yarn;
    settings.scaling.factor = 4;
    const Frequencies scaled = frequencies(settings);
    ASSERT_GT(scaled.attention_factor, 1.1);
    EXPECT_NEAR(rotation_change(scaled, 64, 100), direct_logit(settings, 100) - direct_logit(settings, 0), 1e-9);
}

TEST(EncodingLogit, XposDecaysEachPairByItsOwnFactor) {
    FrequencySettings settings;
    settings.head_dim = 8;
    const Frequencies now = frequencies(settings);
    EXPECT_EQ(xpos_change(now, 8, 0, 512), 0);
    double sum = 0;
    for (int pair = 0; pair < 4; ++pair) {
        const double zeta = (pair / 4.0 + 0.4) / 1.4;
        const double frequency = std::pow(10000.0, -pair / 4.0);
        sum += std::pow(zeta, 300.0 / 512) * std::cos(300 * frequency) - 1;
    }
    EXPECT_NEAR(xpos_change(now, 8, 300, 512), 2 * sum / std::sqrt(8.0), 1e-12);
    // A very large scale base leaves RoPE.
    EXPECT_NEAR(xpos_change(now, 8, 300, 1e12), rotation_change(now, 8, 300), 1e-6);
    // Pairs that are not rotated neither rotate nor decay.
    settings.fraction = 0.5;
    settings.partial = Partial::truncate;
    const Frequencies half = frequencies(settings);
    EXPECT_NEAR(xpos_change(half, 8, 300, 1e12), rotation_change(half, 8, 300), 1e-6);
}

TEST(EncodingLogit, SimilarityIsThatOfTheEmbeddingsAtAnyPosition) {
    constexpr std::size_t width = 24;
    for (const std::size_t position : {0U, 5U, 100U}) {
        for (const std::size_t distance : {0U, 1U, 30U}) {
            double product = 0, first = 0, second = 0;
            for (std::size_t channel = 0; channel < width; ++channel) {
                const double a = sinusoidal_embedding(position + distance, channel, width);
                const double b = sinusoidal_embedding(position, channel, width);
                product += a * b;
                first += a * a;
                second += b * b;
            }
            EXPECT_NEAR(sinusoidal_similarity(width, static_cast<double>(distance)),
                        product / std::sqrt(first * second), 1e-12)
                << position << ", " << distance;
        }
    }
}

}  // namespace
}  // namespace ropelab
