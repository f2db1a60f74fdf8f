#include "ui/window/format.h"

#include <gtest/gtest.h>

#include <QLocale>
#include <limits>

namespace ropelab::ui {
namespace {

TEST(Format, NumbersReadTheSameUnderAGermanDesktop) {
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    EXPECT_EQ(groupedText(1240), "1,240");
    EXPECT_EQ(groupedText(-1234567), "-1,234,567");
    EXPECT_EQ(groupedText(999), "999");
    EXPECT_EQ(lossText(1.88), "1.8800");
    EXPECT_EQ(bytesText(1'234'000'000), "1.2 GB");
    EXPECT_EQ(durationText(0.42), "0.4 s");
    QLocale::setDefault(before);
}

TEST(Format, DurationsBytesAndRates) {
    EXPECT_EQ(durationText(55.4), "55 s");
    EXPECT_EQ(durationText(59.6), "1 min 0 s");
    EXPECT_EQ(durationText(200), "3 min 20 s");
    EXPECT_EQ(durationText(7500), "2 h 5 min");
    EXPECT_EQ(durationText(std::numeric_limits<double>::infinity()), "–");
    EXPECT_EQ(bytesText(180'400'000), "180 MB");
    EXPECT_EQ(bytesText(1), "1 kB");
    EXPECT_EQ(roundText(912), "912");
    EXPECT_EQ(roundText(9140), "9.1k");
    EXPECT_EQ(roundText(91400), "91k");
    EXPECT_EQ(roundText(999'700), "1.0M");
    EXPECT_EQ(lossText(std::nan("")), "–");
    EXPECT_EQ(countText(1, "run"), "1 run");
    EXPECT_EQ(countText(6, "run"), "6 runs");
}

}  // namespace
}  // namespace ropelab::ui
