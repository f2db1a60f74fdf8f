#include "core/lecture/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

AnswerCurve line(double from, double to, double low, double high) {
    return {{from, to}, {low, high}};
}

TEST(CurveDistanceTest, OfAnEqualCurveIsZero) {
    const AnswerCurve truth = line(0, 10, 1, 5);
    const CurveDistance result = curve_distance(truth, truth, {0, 10});
    EXPECT_NEAR(result.distance, 0, 1e-12);
    EXPECT_EQ(result.covered, 1);
}

TEST(CurveDistanceTest, IsTheMeanAbsoluteDifference) {
    // The difference falls from 2 to −2, so its mean absolute value is 1, which a horizontal line at the mean has too.
    const CurveDistance result = curve_distance(line(0, 10, 3, 3), line(0, 10, 1, 5), {0, 10});
    EXPECT_NEAR(result.distance, 1, 1e-3);
    EXPECT_NEAR(result.null_distance, 1, 1e-3);
    EXPECT_NEAR(curve_distance(line(0, 10, 1.5, 5.5), line(0, 10, 1, 5), {0, 10}).distance, 0.5, 1e-12);
}

TEST(CurveDistanceTest, CountsDecadesOnALogarithmicAxis) {
    const AnswerAxes axes{1, 1000, true, true};
    // y = x is a straight line on logarithmic axes; ten times as much is one decade above it everywhere.
    const CurveDistance result = curve_distance(line(1, 1000, 10, 10000), line(1, 1000, 1, 1000), axes);
    EXPECT_NEAR(result.distance, 1, 1e-12);
    EXPECT_NEAR(result.null_distance, 0.75, 1e-3);  // the mean of |u − 1.5| for u from 0 to 3
}

TEST(CurveDistanceTest, ComparesOnlyWhereBothHaveValues) {
    const AnswerCurve half = line(0, 5, 1, 1);
    const CurveDistance result = curve_distance(half, line(0, 10, 1, 1), {0, 10});
    EXPECT_NEAR(result.covered, 0.5, 0.01);
    EXPECT_NEAR(result.distance, 0, 1e-12);
    const AnswerCurve gap = {{0, 4, 6, 10}, {1, not_there, not_there, 1}};
    EXPECT_TRUE(std::isnan(curve_distance(half, gap, {0, 10}).distance));
    EXPECT_EQ(curve_distance({}, line(0, 10, 1, 1), {0, 10}).covered, 0);
}

TEST(CurveDistanceTest, ANegativeValueIsAGapOnALogarithmicAxis) {
    const AnswerCurve truth = {{1, 5, 5.001, 10}, {-1, -1, 1, 1}};
    const CurveDistance result = curve_distance(line(1, 10, 10, 10), truth, {1, 10, false, true});
    EXPECT_NEAR(result.distance, 1, 1e-9);
    EXPECT_EQ(result.covered, 1);  // where the right curve has no values, nothing can be drawn
}

TEST(ParseAnswer, ReadsNumbersAsPeopleTypeThem) {
    EXPECT_EQ(parse_answer("47117"), 47117.0);
    EXPECT_EQ(parse_answer(" 47117 tokens "), 47117.0);
    EXPECT_EQ(parse_answer("1,234,567"), 1234567.0);
    EXPECT_EQ(parse_answer("10k"), 10000.0);
    EXPECT_EQ(parse_answer("25 %"), 0.25);
    EXPECT_EQ(parse_answer("\xE2\x88\x92"
                           "0.5"),
              -0.5);
    EXPECT_TRUE(parse_answer("none").is_null());
    EXPECT_TRUE(parse_answer(" None ").is_null());
    EXPECT_EQ(parse_answer("+6.28"), 6.28);
    EXPECT_EQ(parse_answer("- 0.39"), -0.39);
    EXPECT_EQ(parse_answer("6 283"), 6283.0);
    EXPECT_EQ(parse_answer("1 234 567.5"), 1234567.5);
    EXPECT_EQ(parse_answer("6283tokens", "tokens"), 6283.0);
    EXPECT_EQ(parse_answer("10 k tokens", "tokens"), 10000.0);
}

TEST(ParseAnswer, ReadsPiFractionsAndProducts) {
    const double pi = std::acos(-1.0);
    for (const char* text : {"2\xCF\x80", "2*pi", "2 pi", "2pi", "2\xC2\xB7\xCF\x80 tokens", "pi*2", "2*PI", "2 Pi"}) {
        EXPECT_NEAR(parse_answer(text, "tokens").get<double>(), 2 * pi, 1e-12) << text;
    }
    EXPECT_NEAR(parse_answer("pi/2").get<double>(), pi / 2, 1e-12);
    EXPECT_EQ(parse_answer("-100/256"), -0.390625);
}

TEST(ParseAnswer, ReadsADecimalCommaAndAsksWhereItCanBeGrouping) {
    EXPECT_EQ(parse_answer("6,28"), 6.28);
    EXPECT_EQ(parse_answer("1,0000"), 1.0);
    EXPECT_EQ(parse_answer("0,667"), 0.667);
    EXPECT_EQ(parse_answer("1,234.5"), 1234.5);
    EXPECT_EQ(parse_answer("-1,234,567"), -1234567.0);
    for (const char* text : {"3,667", "47,117 tokens"}) {
        try {
            parse_answer(text);
            ADD_FAILURE() << text;
        } catch (const BadInput& error) {
            EXPECT_THAT(error.what(), HasSubstr("type one of these two"));
        }
    }
}

TEST(ParseAnswer, ConvertsTheUnitToThatOfTheQuestion) {
    EXPECT_EQ(parse_answer("3.7\xC2\xB0", "degrees"), 3.7);
    EXPECT_EQ(parse_answer("3.7 degrees", "degrees"), 3.7);
    EXPECT_NEAR(parse_answer("0.064 rad", "degrees").get<double>(), 3.6669, 1e-4);
    EXPECT_EQ(parse_answer("2.02 %", "%"), 2.02);
    EXPECT_EQ(parse_answer("2.02 percent", "%"), 2.02);
    EXPECT_EQ(parse_answer("2 percent"), 0.02);
    EXPECT_EQ(parse_answer("1 GiB", "bytes"), 1073741824.0);
    EXPECT_EQ(parse_answer("128MiB", "bytes"), 134217728.0);
    EXPECT_EQ(parse_answer("512 KiB", "bytes"), 524288.0);
    EXPECT_EQ(parse_answer("1.5 MB", "bytes"), 1.5e6);
    EXPECT_EQ(parse_answer("2 kB", "bytes"), 2000.0);
    EXPECT_EQ(parse_answer("0.1 radians per token", "radians per token"), 0.1);
    EXPECT_EQ(parse_answer("1 token", "tokens"), 1.0);
    EXPECT_EQ(parse_answer("3 seconds", "s"), 3.0);
    const std::pair<const char*, const char*> others[] = {{"3 rad", "tokens"}, {"4 tokens", "degrees"},
                                                          {"12 m", "tokens"},  {"12 m", ""},
                                                          {"5 GiB", "tokens"}, {"5 %", "tokens"}};
    for (const auto& [text, unit] : others) {
        try {
            parse_answer(text, unit);
            ADD_FAILURE() << text;
        } catch (const BadInput& error) {
            EXPECT_THAT(error.what(), HasSubstr("but its unit is")) << text;
        }
    }
}

TEST(ParseAnswer, RefusesWhatIsNoNumber) {
    for (const char* text : {"", "many", "1,2,3", "12 13", "2,,5", "1/0", "3x", "2*", "--5", "tokens"}) {
        try {
            parse_answer(text);
            ADD_FAILURE() << text;
        } catch (const BadInput& error) {
            EXPECT_THAT(error.what(), HasSubstr("is not a number"));
        }
    }
}

TEST(IsRightNumber, AllowsTheTolerance) {
    EXPECT_TRUE(is_right_number(47118, 47117.2, 1));
    EXPECT_FALSE(is_right_number(47119, 47117.2, 1));
    EXPECT_TRUE(is_right_number(nullptr, nullptr, 0));
    EXPECT_FALSE(is_right_number(nullptr, 3, 10));
    EXPECT_FALSE(is_right_number(3, nullptr, 10));
}

}  // namespace
}  // namespace ropelab
