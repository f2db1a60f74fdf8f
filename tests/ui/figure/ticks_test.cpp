#include "ui/figure/ticks.h"

#include <gtest/gtest.h>

#include <QLocale>
#include <QSet>
#include <cmath>
#include <limits>
#include <utility>

namespace ropelab::ui {
namespace {

TEST(Ticks, LinearTicksAreRoundNumbers) {
    const Ticks ticks = ticksOf(1.37, 4.72, false, 6);
    EXPECT_EQ(ticks.at, (QList<double>{1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5}));
    EXPECT_EQ(ticks.labels, (QList<QString>{"1.5", "2.0", "2.5", "3.0", "3.5", "4.0", "4.5"}));
    for (const double minor : ticks.minor) {
        EXPECT_GE(minor, 1.37);
        EXPECT_LE(minor, 4.72);
    }
}

TEST(Ticks, AnAxisThatCountsHasWholeNumbersOnly) {
    const Ticks one = ticksOf(-0.6, 0.6, false, 6, true);
    EXPECT_EQ(one.at, (QList<double>{0}));
    EXPECT_EQ(one.labels, (QList<QString>{"0"}));
    EXPECT_TRUE(one.minor.isEmpty());
    EXPECT_EQ(ticksOf(-0.6, 3.6, false, 12, true).at, (QList<double>{0, 1, 2, 3}));
    for (const double last : {1.6, 7.6, 15.6, 63.6, 127.6}) {
        for (int about = 2; about < 20; ++about) {
            const Ticks ticks = ticksOf(-0.6, last, false, about, true);
            EXPECT_GE(ticks.at.size(), 2) << last << " about " << about;
            for (const double at : ticks.at + ticks.minor) EXPECT_NEAR(at, std::round(at), 1e-9) << last;
        }
    }
}

TEST(Ticks, LabelsOfZeroNegativeNumbersAndThousands) {
    EXPECT_EQ(ticksOf(-1000, 2000, false, 3).labels, (QList<QString>{"−1,000", "0", "1,000", "2,000"}));
}

TEST(Ticks, VerySmallAndLargeNumbersArePowersOfTen) {
    EXPECT_EQ(ticksOf(1e-7, 3e-7, false, 2).labels, (QList<QString>{"10⁻⁷", "2×10⁻⁷", "3×10⁻⁷"}));
    // Labels of a tiny range have as many digits as they need to differ.
    for (const auto& [low, high] : {std::pair(1.46620001, 1.46620009), std::pair(12345678.0, 12345688.0),
                                    std::pair(1e-12 + 1e-3, 9e-12 + 1e-3)}) {
        const QList<QString> labels = ticksOf(low, high, false, 5).labels;
        EXPECT_GE(labels.size(), 2);
        EXPECT_EQ(QSet<QString>(labels.begin(), labels.end()).size(), labels.size()) << labels.join(' ').toStdString();
    }
    EXPECT_EQ(ticksOf(0, 4e8, false, 2).labels, (QList<QString>{"0", "2×10⁸", "4×10⁸"}));
}

TEST(Ticks, LogarithmicTicksDependOnTheRange) {
    // Less than a decade has linear ticks, because it contains no power of ten.
    EXPECT_EQ(ticksOf(1.4, 4.2, true, 3).labels, (QList<QString>{"2", "3", "4"}));
    EXPECT_EQ(ticksOf(1, 100, true, 8).labels, (QList<QString>{"1", "2", "5", "10", "20", "50", "100"}));
    EXPECT_EQ(ticksOf(1e-3, 1e3, true, 7).labels, (QList<QString>{"0.001", "0.01", "0.1", "1", "10", "100", "1,000"}));
    EXPECT_EQ(ticksOf(1e-12, 1, true, 4).at.size(), 5);
}

TEST(Ticks, ShortAxisHasAtLeastTwo) {
    EXPECT_GE(ticksOf(400, 60000, true, 2).at.size(), 2);
    EXPECT_GE(ticksOf(64000, 78000, true, 1).at.size(), 2);
    EXPECT_GE(ticksOf(290, 390, false, 1).at.size(), 2);
    EXPECT_GE(ticksOf(3, 40000, true, 1).at.size(), 2);
}

TEST(MarkText, ShowsTheExactValue) {
    EXPECT_EQ(markText(10000), "10,000");
    EXPECT_EQ(markText(3.125), "3.125");
    EXPECT_EQ(markText(0.001), "0.001");
    EXPECT_EQ(markText(1e-5), "10⁻⁵");
    EXPECT_EQ(markText(2.5e6), "2.5×10⁶");
    EXPECT_EQ(markText(0), "0");
    EXPECT_EQ(markText(-0.5), "−0.5");
}

TEST(Ticks, InvalidRangesHaveNone) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(ticksOf(1, 1, false, 5).at.isEmpty());
    EXPECT_TRUE(ticksOf(nan, 1, false, 5).at.isEmpty());
    EXPECT_TRUE(ticksOf(2, 1, true, 5).at.isEmpty());
    EXPECT_LE(ticksOf(1e15, 1e15 + 1, false, 5).at.size(), 1000);
}

TEST(ReadableNumber, HasFourDigitsInEveryLocale) {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    EXPECT_EQ(readableNumber(1.88264), "1.883");
    EXPECT_EQ(readableNumber(12.3456), "12.35");
    EXPECT_EQ(readableNumber(123.456), "123.5");
    EXPECT_EQ(readableNumber(91234.4), "91,234");
    EXPECT_EQ(readableNumber(0.25), "0.250");
    EXPECT_EQ(readableNumber(-1.5), "−1.500");
    EXPECT_EQ(readableNumber(6e-4), "6.00×10⁻⁴");
    EXPECT_EQ(readableNumber(9.999e-4), "1.00×10⁻³");
    EXPECT_EQ(readableNumber(0), "0");
    EXPECT_EQ(readableNumber(std::numeric_limits<double>::quiet_NaN()), "–");
    EXPECT_EQ(readableNumber(-std::numeric_limits<double>::infinity()), "−∞");
    EXPECT_EQ(readableCount(1240), "1,240");
    EXPECT_EQ(readableCount(7), "7");
    EXPECT_EQ(readableCount(1.5), "1.500");
    QLocale::setDefault(before);
}

}  // namespace
}  // namespace ropelab::ui
