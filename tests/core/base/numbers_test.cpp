#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/settings/keys.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(Numbers, ParseNumberAcceptsExponentsAndSuffixes) {
    EXPECT_DOUBLE_EQ(parse_number("10000"), 10000);
    EXPECT_DOUBLE_EQ(parse_number("1e6"), 1e6);
    EXPECT_DOUBLE_EQ(parse_number(" 10k "), 10000);
    EXPECT_DOUBLE_EQ(parse_number("1.5 k"), 1500);
    EXPECT_DOUBLE_EQ(parse_number("2M"), 2e6);
    EXPECT_DOUBLE_EQ(parse_number("-0.25"), -0.25);
    for (const char* wrong : {"", "abc", "10kk", "1,5", "k", "0x10", "1e", "12 34"}) {
        EXPECT_MESSAGE(parse_number(wrong), BadInput, "is not a number");
    }
    for (const char* infinite : {"nan", "inf", "-inf", "infinity", "1e305M"}) {
        EXPECT_MESSAGE(parse_number(infinite), BadInput, "is not a finite number");
    }
}

TEST(Numbers, ParseNumberReturnsTheNumberThatNumberTextFormatted) {
    std::mt19937_64 generator(7);
    std::uniform_real_distribution<double> exponent(-30, 30);
    for (int i = 0; i < 1000; ++i) {
        const double value = std::pow(10.0, exponent(generator));
        EXPECT_EQ(parse_number(number_text(value)), value);
    }
    EXPECT_EQ(number_text(1e6), "1000000");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(short_number(500), "500");
    EXPECT_EQ(short_number(10000), "10k");
    EXPECT_EQ(short_number(1500), "1.5k");
    EXPECT_EQ(short_number(41381.7), "41.3817k");
    EXPECT_EQ(short_number(2343456.7), "2.3434567M");
    EXPECT_EQ(short_number(1e6), "1M");
}

// In binary 0.07 · 100 is 7.000000000000001.
TEST(Numbers, PercentTextHasNoRoundingErrors) {
    for (int i = 0; i <= 1000; ++i) EXPECT_EQ(percent_text(i / 1000.0), number_text(i / 10.0));
    EXPECT_EQ(percent_text(0.07), "7");
    EXPECT_EQ(percent_text(6.0 / 64), "9.375");
    EXPECT_EQ(percent_text(-0.0025), "-0.25");
}

TEST(Numbers, DurationTextAndBytesTextUseReadableUnits) {
    EXPECT_EQ(duration_text(0.42), "0.4 s");
    EXPECT_EQ(duration_text(55.4), "55 s");
    EXPECT_EQ(duration_text(59.6), "1 min 0 s");
    EXPECT_EQ(duration_text(200), "3 min 20 s");
    EXPECT_EQ(duration_text(1634), "27 min");
    EXPECT_EQ(duration_text(3590), "1 h 0 min");
    EXPECT_EQ(duration_text(7500), "2 h 5 min");
    EXPECT_EQ(duration_text(-1), "–");
    EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "–");
    EXPECT_EQ(bytes_text(1), "1 kB");
    EXPECT_EQ(bytes_text(999'000), "999 kB");
    EXPECT_EQ(bytes_text(999'999), "1 MB");
    EXPECT_EQ(bytes_text(999'600'000), "1.0 GB");
    EXPECT_EQ(bytes_text(180'400'000), "180 MB");
    EXPECT_EQ(bytes_text(1'234'000'000), "1.2 GB");
}

TEST(Numbers, ParsingAndFormattingIgnoreTheLocale) {
    const char* german = std::setlocale(LC_ALL, "de_DE.UTF-8");
    EXPECT_DOUBLE_EQ(parse_number("0.5"), 0.5);
    EXPECT_EQ(number_text(0.5), "0.5");
    std::setlocale(LC_ALL, "C");
    if (!german) GTEST_SKIP() << "The locale de_DE.UTF-8 is not installed; tested under the C locale only.";
}

TEST(Texts, NearestKnowsTyposAndAbbreviations) {
    const std::vector<std::string_view> keys = {"theta", "context", "head_dim", "iterations"};
    EXPECT_EQ(nearest("thetta", keys), "theta");
    EXPECT_EQ(nearest("ctx", keys), "context");
    EXPECT_EQ(nearest("iters", keys), "iterations");
    EXPECT_EQ(nearest("sed", std::vector<std::string_view>{"second_expert", "seed"}), "seed");
    EXPECT_EQ(nearest("cache", std::vector<std::string_view>{"rope-cache", "kv-cache"}), "kv-cache");
    const std::vector<std::string_view> models = {"Phi-2", "Yi 6B", "SmolLM2 1.7B"};
    EXPECT_EQ(nearest("smol", models), "SmolLM2 1.7B");
    EXPECT_EQ(nearest("phi2", models), "Phi-2");
    EXPECT_EQ(nearest("h100", std::vector<std::string_view>{"A100", "H100"}), "H100");
    EXPECT_EQ(nearest("x", std::vector<std::string_view>()), "");
}

TEST(Texts, HintsNameOnlyWhatIsSimilar) {
    const std::vector<std::string_view> keys = {
        "theta", "context", "norm", "head_dim", "learning_rate", "iterations", "batch", "final_learning_rate",
        "block", "seed",    "bias", "clip",     "data"};
    EXPECT_EQ(hint("thetta", keys), "; did you mean theta?");
    EXPECT_EQ(hint("thetta", keys, "\""), "; did you mean \"theta\"?");
    EXPECT_EQ(hint("ctx", keys), "; did you mean context?");
    EXPECT_EQ(hint("lr", keys), "; did you mean learning_rate?");
    EXPECT_EQ(hint("block_size", keys), "; did you mean context?");
    EXPECT_EQ(hint("steps", keys), "; did you mean iterations?");
    EXPECT_EQ(hint("rate", keys), "; did you mean learning_rate or final_learning_rate?");
    EXPECT_EQ(hint("context_size", keys), "; did you mean context?");
    EXPECT_EQ(hint("gamma", keys), ".");
    EXPECT_EQ(hint("gamma", keys, "", "; see --help."), "; see --help.");
    EXPECT_EQ(hint("lr", std::vector<std::string_view>{"norm", "bias"}), "; it must be norm or bias.");
    EXPECT_EQ(hint("x", std::vector<std::string_view>()), ".");
}

TEST(Texts, NamesOfOtherProgramsLeadToTheirSettings) {
    EXPECT_MESSAGE(key("n_embd"), BadInput, "There is no setting \"n_embd\"; did you mean width?");
    EXPECT_MESSAGE(key("gamma"), BadInput, "\"gamma\"; \"ropelab-cli --help keys\" lists all.");
    for (const ForeignNames& row : foreign_names()) {
        const std::string right = "did you mean " + std::string(key(row.setting).name) + "?";
        for (const std::string& name : parts_of(std::string(row.same) + " " + std::string(row.similar), ' ')) {
            if (name.empty() || name == row.setting) continue;
            EXPECT_MESSAGE(key(name), BadInput, right);
        }
    }
}

TEST(Texts, AreJoinedSplitAndCounted) {
    const std::vector<std::string> words = {"a", "", "b"};
    EXPECT_EQ(joined(words), "a, , b");
    EXPECT_EQ(joined(std::vector<int>{1, 2}, "+", [](int number) { return std::to_string(number); }), "1+2");
    EXPECT_EQ(joined(std::vector<std::string>{}), "");
    EXPECT_EQ(parts_of(" a ,, b"), words);
    EXPECT_EQ(parts_of(""), std::vector<std::string>{""});
    EXPECT_EQ(counted(1, "run") + counted(2, "run"), "1 run2 runs");
}

TEST(Numbers, AreGroupedByThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(4154399), "4,154,399");
    EXPECT_EQ(grouped(-123), "-123");
    EXPECT_EQ(grouped(-1234), "-1,234");
    EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace ropelab
