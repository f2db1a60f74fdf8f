#include "core/rope/frequencies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(RotaryDim, RoundsToTheNearestEvenNumber) {
    // Reference values: table 1 and appendix A of the partial-RoPE paper (Khan et al.).
    EXPECT_EQ(rotary_dim(256, 0.10), 26);
    EXPECT_EQ(rotary_dim(64, 0.10), 6);
    EXPECT_EQ(rotary_dim(128, 0.10), 12);
    EXPECT_EQ(rotary_dim(256, 0.25), 64);
    EXPECT_EQ(rotary_dim(64, 0.75), 48);
    EXPECT_EQ(rotary_dim(64, 1.0), 64);
}

TEST(RotaryDim, IsAtLeastTwoForFractionsAboveZero) {
    EXPECT_EQ(rotary_dim(64, 0.0), 0);
    EXPECT_EQ(rotary_dim(64, 1e-9), 2);
    EXPECT_EQ(rotary_dim(2, 0.01), 2);
}

TEST(RotaryDim, RoundsTiesUp) {
    EXPECT_EQ(rotary_dim(20, 0.25), 6);  // 0.25 · 20 = 5 is a tie between 4 and 6
}

TEST(RotaryDim, ThrowsForInvalidArguments) {
    EXPECT_MESSAGE(rotary_dim(63, 0.5), BadInput, "63");
    EXPECT_MESSAGE(rotary_dim(0, 0.5), BadInput, "above 0");
    EXPECT_MESSAGE(rotary_dim(64, 1.5), BadInput, "1.5");
    EXPECT_MESSAGE(rotary_dim(64, -0.1), BadInput, "-0.1");
    EXPECT_MESSAGE(rotary_dim(64, std::nan("")), BadInput, "between 0 and 1");
}

TEST(Frequencies, LongestWavelengthsMatchTheReferenceValues) {
    const auto longest = [](int d, double theta, double fraction, Partial partial) {
        const Frequencies f = frequencies({.head_dim = d, .theta = theta, .fraction = fraction, .partial = partial});
        double result = 0;
        for (double wavelength : wavelengths(f)) {
            if (std::isfinite(wavelength)) result = std::max(result, wavelength);
        }
        return result;
    };
    EXPECT_NEAR(longest(64, 1e4, 1, Partial::slice), 47117, 1);
    EXPECT_NEAR(longest(128, 1e4, 1, Partial::slice), 54410, 1);
    EXPECT_NEAR(longest(128, 5e5, 1, Partial::slice), 2559196, 1);
    EXPECT_NEAR(longest(64, 1e4, 0.25, Partial::slice), 19869, 1);
    EXPECT_NEAR(longest(64, 1e4, 0.25, Partial::truncate), 47, 0.5);
    EXPECT_DOUBLE_EQ(wavelengths(frequencies({}))[0], 2 * std::numbers::pi);
}

TEST(Frequencies, NumberOfWavelengthsAboveTheContextMatchesTheReferenceValues) {
    const auto longer = [](int d, double theta, double context) {
        int count = 0;
        for (double wavelength : wavelengths(frequencies({.head_dim = d, .theta = theta})))
            count += wavelength > context;
        return count;
    };
    EXPECT_EQ(longer(64, 1e4, 256), 19);
    EXPECT_EQ(longer(64, 1e4, 1024), 14);
    EXPECT_EQ(longer(128, 1e4, 4096), 18);
}

TEST(Frequencies, TruncateKeepsTheSpectrumAndFreezesThePairsWithLowFrequency) {
    const Frequencies whole = frequencies({.head_dim = 64});
    const Frequencies part = frequencies({.head_dim = 64, .fraction = 0.25, .partial = Partial::truncate});
    ASSERT_EQ(part.inverse_frequencies.size(), 32U);
    for (std::size_t i = 0; i < 32; ++i) {
        EXPECT_EQ(part.inverse_frequencies[i], i < 8 ? whole.inverse_frequencies[i] : 0.0);
    }
}

TEST(Frequencies, SliceAndTruncateAreEqualAtTheCoincidingTheta) {  // formula 5, with the rounded rotary dimension
    for (double fraction : {0.05, 0.1, 0.25, 0.5, 0.9}) {
        const Frequencies truncated = frequencies({.head_dim = 64, .fraction = fraction, .partial = Partial::truncate});
        const int d_r = truncated.rotary_dim;
        const Frequencies sliced =
            frequencies({.head_dim = 64, .theta = coinciding_theta(64, d_r, 1e4), .fraction = fraction});
        ASSERT_EQ(sliced.inverse_frequencies.size(), static_cast<std::size_t>(d_r / 2));
        for (std::size_t i = 0; i < sliced.inverse_frequencies.size(); ++i) {
            EXPECT_NEAR(sliced.inverse_frequencies[i], truncated.inverse_frequencies[i], 1e-12);
        }
    }
}

TEST(Frequencies, IncludeTheScaling) {
    const Scaling yarn{.method = ScalingMethod::yarn, .factor = 4, .original_context = 256};
    const Frequencies plain = frequencies({.head_dim = 64});
    const Frequencies changed = frequencies({.head_dim = 64, .scaling = yarn, .context = 1024});
    EXPECT_EQ(plain.attention_factor, 1.0);
    EXPECT_NEAR(changed.attention_factor, 1.1386, 5e-5);
    EXPECT_EQ(changed.inverse_frequencies[0], plain.inverse_frequencies[0]);
    EXPECT_DOUBLE_EQ(changed.inverse_frequencies[31], plain.inverse_frequencies[31] / 4);
}

TEST(Frequencies, ListedOnesReplaceThoseOfTheta) {
    FrequencySettings settings{.head_dim = 8, .fraction = 0.5, .listed = {0.5, 0.25}};
    EXPECT_EQ(frequencies(settings).inverse_frequencies, (std::vector{0.5, 0.25}));
    settings.partial = Partial::truncate;
    EXPECT_EQ(frequencies(settings).inverse_frequencies, (std::vector{0.5, 0.25, 0.0, 0.0}));
    settings.scaling = {.method = ScalingMethod::linear, .factor = 2};
    EXPECT_EQ(frequencies(settings).inverse_frequencies, (std::vector{0.25, 0.125, 0.0, 0.0}));
    settings.scaling.method = ScalingMethod::ntk;
    EXPECT_MESSAGE(frequencies(settings), BadInput, "The scaling ntk depends on theta");
    settings.scaling = {};
    settings.listed = {1.0};
    EXPECT_MESSAGE(frequencies(settings), BadInput, "The number of listed frequencies is 1");
}

TEST(Frequencies, ThrowForInvalidArguments) {
    EXPECT_MESSAGE(frequencies({.theta = 1}), BadInput, "above 1");
    EXPECT_MESSAGE(frequencies({.theta = -5}), BadInput, "-5");
    EXPECT_MESSAGE(frequencies({.theta = std::nan("")}), BadInput, "above 1");
    EXPECT_MESSAGE(frequencies({.scaling = {.method = ScalingMethod::linear, .factor = 0.5}}), BadInput, "0.5");
}

TEST(Digits, AreThoseOfTheNumeralSystem) {
    EXPECT_DOUBLE_EQ(digit_base(100, 4), 10);
    EXPECT_DOUBLE_EQ(digit_base(10000, 64), std::pow(10000, 1.0 / 32));
    const double digits[] = {7, 2, 5, 0};  // of 527
    for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(position_digit(527, i, 10), digits[i]);
    EXPECT_MESSAGE(digit_base(100, 0), BadInput, "rotary dimension");
    EXPECT_MESSAGE(digit_base(1, 4), BadInput, "above 1");
}

}  // namespace
}  // namespace ropelab
