#include "ui/plot/curve_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/stats/smoothing.h"

namespace ropelab::ui {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

TEST(CurveData, ReplacesPointsThatAreMeasuredAgain) {
    CurveData data;
    for (int i = 0; i <= 5; ++i) {
        data.append(i, 10 * i);
    }
    EXPECT_EQ(data.scaled(2), (QList<double>{0, 20, 40, 60, 80, 100}));
    data.append(3, 7);
    EXPECT_EQ(data.x(), (QList<double>{0, 1, 2, 3}));
    EXPECT_EQ(data.scaled(2), (QList<double>{0, 20, 40, 14}));
    data.append(kMissing, 1);
    EXPECT_EQ(data.x().size(), 4);
    data.truncate(1.5);
    EXPECT_EQ(data.x(), (QList<double>{0, 1}));
    EXPECT_EQ(data.scaled(2), (QList<double>{0, 20}));
}

TEST(CurveData, SmoothingAgreesWithTheFormula) {
    CurveData data;
    data.set({1, 2, 3, 4}, {4, 2, kMissing, 6});
    const QList<double> smoothed = data.smoothed(0.5, 1, Smoothing::average);
    // Formula 36, computed by hand: a = 2, 2, ·, 4; 1 − wⁿ = 1/2, 3/4, ·, 7/8.
    EXPECT_DOUBLE_EQ(smoothed[0], 4);
    EXPECT_DOUBLE_EQ(smoothed[1], 2 / 0.75);
    EXPECT_TRUE(std::isnan(smoothed[2]));
    EXPECT_DOUBLE_EQ(smoothed[3], 4 / 0.875);
    EXPECT_DOUBLE_EQ(data.smoothed(0.5, 10, Smoothing::average)[3], 40 / 0.875);
    EXPECT_DOUBLE_EQ(data.smoothed(0, 1)[1], 2);
    data.append(5, 6);
    EXPECT_DOUBLE_EQ(data.smoothed(0.5, 1, Smoothing::average)[4], 5 / 0.9375);
    data.set({1, 2}, {4, 2});
    EXPECT_DOUBLE_EQ(data.smoothed(0.5, 1)[0], 4);
    data.append(3, 3);
    // A line at the first of 4, 2 and 3: the sums of v, vd, vd², vy and vdy are 21/16, 3/8, 1/2, 75/16 and 7/8.
    EXPECT_DOUBLE_EQ(data.smoothed(0.5, 1)[0], (0.5 * 75 / 16 - 3.0 / 8 * 7 / 8) / (21.0 / 32 - 9.0 / 64));
}

TEST(CurveData, IncrementalSmoothingEqualsFullSmoothing) {
    for (const double weight : {0.3, 0.9, 0.995}) {
        CurveData data;
        std::vector<double> all;
        for (int i = 0; i < 12000; ++i) {
            const double y = i % 997 == 5 ? kMissing : 2 + std::sin(i * 0.7) + i % 13;
            data.append(i, y);
            all.push_back(y);
            if (i % 500 == 0) {
                data.smoothed(weight, 1);
            }
        }
        const std::vector<double> expected = smooth(all, weight);
        const QList<double>& smoothed = data.smoothed(weight, 1);
        ASSERT_EQ(smoothed.size(), 12000);
        for (qsizetype i = 0; i < smoothed.size(); ++i) {
            const double here = expected[static_cast<std::size_t>(i)];
            ASSERT_TRUE(std::isnan(here) ? std::isnan(smoothed[i]) : std::abs(smoothed[i] - here) < 1e-12) << i;
        }
    }
}

TEST(CurveData, HistoryChangesWhenPointsAreReplaced) {
    CurveData data;
    CurveData other;
    EXPECT_NE(data.history(), other.history());
    data.set({1, 2, 3}, {1, 2, 3});
    const std::uint64_t before = data.history();
    data.append(4, 4);
    data.truncate(9);
    EXPECT_EQ(data.history(), before);
    data.append(3, 7);
    EXPECT_NE(data.history(), before);
    const std::uint64_t replaced = data.history();
    data.truncate(2);
    EXPECT_NE(data.history(), replaced);
}

TEST(CurveData, SmoothedValuesFollowACut) {
    CurveData data;
    data.set({1, 2, 3, 4}, {4, 2, 8, 6});
    data.smoothed(0.5, 10);
    data.append(3, 1);
    CurveData fresh;
    fresh.set({1, 2, 3}, {4, 2, 1});
    EXPECT_EQ(data.smoothed(0.5, 10), fresh.smoothed(0.5, 10));
    data.truncate(2);
    fresh.truncate(2);
    EXPECT_EQ(data.smoothed(0.5, 10), fresh.smoothed(0.5, 10));
}

TEST(CurveData, RejectsUnequalLengthsAndUnorderedX) {
    CurveData data;
    EXPECT_THROW(data.set({1, 2}, {1}), std::invalid_argument);
    EXPECT_THROW(data.set({1, 1}, {1, 2}), std::invalid_argument);
    EXPECT_THROW(data.set({1, kMissing}, {1, 2}), std::invalid_argument);
    EXPECT_TRUE(data.x().isEmpty());
    EXPECT_NO_THROW(data.set({}, {}));
}

TEST(CurveData, ComputesNearestPointAndSpacing) {
    CurveData data;
    EXPECT_EQ(data.nearest(1), -1);
    EXPECT_EQ(data.spacing(), 0);
    data.set({0, 10, 20}, {1, 2, 3});
    EXPECT_EQ(data.nearest(-5), 0);
    EXPECT_EQ(data.nearest(14), 1);
    EXPECT_EQ(data.nearest(16), 2);
    EXPECT_EQ(data.nearest(99), 2);
    EXPECT_EQ(data.spacing(), 10);
}

}  // namespace
}  // namespace ropelab::ui
