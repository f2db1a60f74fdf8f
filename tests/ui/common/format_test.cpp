#include "ui/common/format.h"

#include <gtest/gtest.h>

#include <QLocale>

#include "ui/common/text.h"

namespace ropelab::ui {
namespace {

TEST(Format, NumbersDoNotDependOnTheLocale) {
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

TEST(Format, FormatsCountsAndRoundedNumbers) {
    EXPECT_EQ(roundText(912), "912");
    EXPECT_EQ(roundText(9140), "9.1k");
    EXPECT_EQ(roundText(91400), "91k");
    EXPECT_EQ(roundText(999'700), "1.0M");
    EXPECT_EQ(lossText(std::nan("")), "–");
    EXPECT_EQ(countText(1, "run"), "1 run");
    EXPECT_EQ(countText(6, "run"), "6 runs");
}

TEST(Format, FormatsWholeNumbersAndSizes) {
    EXPECT_EQ(wholeText(1048576), "1,048,576");
    EXPECT_EQ(withoutGroups("1,048,576"), "1048576");
    EXPECT_EQ(withoutGroups("1,024 ch"), "1024 ch");
    EXPECT_EQ(withoutGroups("0,5"), "0,5") << "a decimal comma is refused, not dropped";
    EXPECT_EQ(withoutGroups("1,0245"), "1,0245");
    EXPECT_EQ(withoutGroups("10k"), "10k");
    EXPECT_EQ(binarySize(1023), "1023 bytes");
    EXPECT_EQ(binarySize(1536), "1.5 KiB");
    EXPECT_EQ(binarySize(std::int64_t{3} << 40), "3 TiB");
}

TEST(Format, ReplacesMinusSignsButNotHyphens) {
    EXPECT_EQ(numberText("-0.93"), QStringLiteral("−0.93"));
    EXPECT_EQ(numberText("seen: -0.93 % in [-1.2, 0.4]"), QStringLiteral("seen: −0.93 % in [−1.2, 0.4]"));
    EXPECT_EQ(numberText("two-tailed, p = 1e-5, Llama-3, 0.1-0.2"), "two-tailed, p = 1e-5, Llama-3, 0.1-0.2");
}

}  // namespace
}  // namespace ropelab::ui
