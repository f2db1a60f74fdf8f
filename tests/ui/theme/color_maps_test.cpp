#include "ui/theme/color_maps.h"

#include <gtest/gtest.h>

#include <QColor>
#include <cmath>

namespace ropelab::ui {
namespace {

/// Returns the lightness L* (CIE) of a colour.
double lightness(QRgb rgb) {
    const auto linear = [](int channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double y = 0.2126 * linear(qRed(rgb)) + 0.7152 * linear(qGreen(rgb)) + 0.0722 * linear(qBlue(rgb));
    return 116 * std::cbrt(std::max(y, 0.008856)) - 16;
}

TEST(ColorMaps, ViridisHasUniformlyIncreasingLightness) {
    EXPECT_EQ(viridis(0), 0xFF440154);
    EXPECT_EQ(viridis(1), 0xFFFDE725);
    EXPECT_EQ(viridis(-3), viridis(0));
    for (int i = 1; i <= 20; ++i) {
        const double step = lightness(viridis(i / 20.0)) - lightness(viridis((i - 1) / 20.0));
        EXPECT_GT(step, 2) << i;
        EXPECT_LT(step, 6) << i;
    }
}

TEST(ColorMaps, DivergingLeavesThePaperInEqualSteps) {
    for (const QRgb paper : {0xFFFFFFFFU, 0xFF1B1D21U}) {
        EXPECT_EQ(diverging(0, paper), paper);
        for (const double sign : {-1.0, 1.0}) {
            const double whole = lightness(diverging(sign, paper)) - lightness(paper);
            EXPECT_GT(std::abs(whole), 40);
            for (int i = 1; i <= 10; ++i) {
                const double part = lightness(diverging(sign * i / 10, paper)) - lightness(paper);
                EXPECT_NEAR(part / whole, i / 10.0, 0.03) << sign * i;
            }
        }
    }
    EXPECT_EQ(diverging(-1, 0xFFFFFFFF), 0xFF2166AC);
    // On dark paper, no end is brighter or more colourful than the other.
    EXPECT_NEAR(lightness(diverging(1, 0xFF1B1D21)), lightness(diverging(-1, 0xFF1B1D21)), 1.5);
    for (const double end : {-1.0, 1.0}) {
        EXPECT_LT(QColor(diverging(end, 0xFF1B1D21)).hsvSaturationF(), 0.4);
    }
}

TEST(ColorMaps, CyclicIsPeriodicWithConstantLightness) {
    EXPECT_EQ(cyclic(0), cyclic(1));
    for (int i = 0; i < 24; ++i) EXPECT_NEAR(lightness(cyclic(i / 24.0)), 62, 3) << i;
}

}  // namespace
}  // namespace ropelab::ui
