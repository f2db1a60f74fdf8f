#include "core/rope/rotary_setup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(RotarySetup, TextHasFourSettingsAndThoseThatDifferFromTheDefault) {
    EXPECT_EQ(text_of({}), "theta=10k head_dim=64 fraction=100% context=1024");
    EXPECT_EQ(text_of({.fraction = 0.29}), "theta=10k head_dim=64 fraction=29% context=1024");
    RotarySetup setup;
    setup.theta = 500000;
    setup.head_dim = 128;
    setup.fraction = 0.25;
    setup.context = 8192;
    setup.partial = Partial::truncate;
    setup.scaling.method = ScalingMethod::yarn;
    setup.scaling.factor = 4;
    const std::string text = "theta=500k head_dim=128 fraction=25% context=8192 partial=truncate scaling=yarn factor=4";
    EXPECT_EQ(text_of(setup), text);
    EXPECT_EQ(parse_setup(text), setup);
}

TEST(RotarySetup, ParseAcceptsSeparatorsSuffixesAndPercentages) {
    const RotarySetup setup = parse_setup(
        "theta=1e6, head-dim=128\nfraction=4%,context=32k\tpairing=interleaved precision=bfloat16\r\n"
        "scaling=longrope factor=2 short_factors=1;1.5;2 long-factors=2;2.5;3 truncate=no mscale=0.7");
    EXPECT_EQ(setup.theta, 1e6);
    EXPECT_EQ(setup.head_dim, 128);
    EXPECT_EQ(setup.fraction, 0.04);
    EXPECT_EQ(setup.context, 32000);
    EXPECT_EQ(setup.pairing, Pairing::interleaved);
    EXPECT_EQ(setup.precision, NumberFormat::bfloat16);
    EXPECT_EQ(setup.scaling.method, ScalingMethod::longrope);
    EXPECT_EQ(setup.scaling.factor, 2);
    EXPECT_EQ(setup.scaling.short_factors, (std::vector<double>{1, 1.5, 2}));
    EXPECT_EQ(setup.scaling.long_factors, (std::vector<double>{2, 2.5, 3}));
    EXPECT_FALSE(setup.scaling.truncate);
    EXPECT_EQ(setup.scaling.mscale, 0.7);
    EXPECT_FALSE(setup.scaling.mscale_all_dim.has_value());
}

TEST(RotarySetup, TextHasHeadsAndAttentionWindowOnlyIfTheyAreSet) {
    const std::string before = "theta=10k head_dim=64 fraction=100% context=1024";
    EXPECT_EQ(text_of({.heads = 8, .attention_window = 0}), before);
    EXPECT_EQ(parse_setup(before).heads, 8);
    EXPECT_EQ(parse_setup(before).attention_window, 0);
    const RotarySetup setup = {.heads = 12, .attention_window = 256};
    EXPECT_EQ(text_of(setup), before + " heads=12 attention_window=256");
    EXPECT_EQ(parse_setup(text_of(setup)), setup);
    EXPECT_EQ(parse_setup("attention-window=4k").attention_window, 4000);
    EXPECT_EQ(frequencies(frequency_settings(setup)).inverse_frequencies,
              frequencies(frequency_settings({})).inverse_frequencies);
}

TEST(RotarySetup, SettingsThatAreNotNamedHaveTheirDefault) {
    EXPECT_EQ(parse_setup(""), RotarySetup{});
    EXPECT_EQ(parse_setup(" \n, "), RotarySetup{});
    RotarySetup expected;
    expected.theta = 2000;
    EXPECT_EQ(parse_setup("theta=2k"), expected);
}

class RandomSetups {
 public:
    RotarySetup next() {
        RotarySetup setup;
        setup.head_dim = 2 * whole(1, 2048);
        setup.theta = std::exp(real(0.001, std::log(1e15)));
        setup.fraction = chance() ? real(0, 1) : whole(0, 100) / 100.0;
        setup.partial = chance() ? Partial::slice : Partial::truncate;
        setup.pairing = chance() ? Pairing::half : Pairing::interleaved;
        setup.context = std::int64_t{1} << whole(0, 30);
        setup.precision = number_formats().at(static_cast<std::size_t>(whole(0, 3)));
        setup.heads = chance() ? 8 : whole(1, 65536);
        setup.attention_window = chance() ? 0 : whole(1, 1 << 30);
        Scaling& scaling = setup.scaling;
        scaling.method = scaling_names().at(static_cast<std::size_t>(whole(0, 7))).method;
        scaling.factor = chance() ? whole(1, 64) : real(1, 64);
        scaling.original_context = chance() ? 0 : whole(2, 1000000);
        // The attention factor of longrope needs a training context of more than one token.
        if (scaling.method == ScalingMethod::longrope) scaling.original_context = whole(2, 1000000);
        scaling.beta_slow = real(0.1, 2);
        scaling.beta_fast = real(2, 64);
        scaling.truncate = chance();
        scaling.low_freq_factor = real(0.1, 2);
        scaling.high_freq_factor = real(2.1, 8);
        if (chance()) scaling.attention_factor = real(0.1, 3);
        if (chance()) scaling.mscale = real(0, 2);
        if (chance()) scaling.mscale_all_dim = whole(0, 2);
        const auto pairs = static_cast<std::size_t>(rotary_dim(setup) / 2);
        if (chance() || scaling.method == ScalingMethod::longrope) {
            for (std::size_t i = 0; i < pairs; ++i) scaling.short_factors.push_back(real(1, 100));
            for (std::size_t i = 0; i < pairs; ++i) scaling.long_factors.push_back(whole(1, 100000));
        }
        return setup;
    }

 private:
    int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
    double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator_); }
    bool chance() { return whole(0, 1) == 1; }

    std::mt19937_64 generator_{5};
};

TEST(RotarySetup, ParsingTheTextGivesBitIdenticalNumbers) {
    RandomSetups setups;
    for (int i = 0; i < 500; ++i) {
        const RotarySetup setup = setups.next();
        const std::string text = text_of(setup);
        const RotarySetup read = parse_setup(text);
        ASSERT_EQ(read, setup) << text;
        ASSERT_EQ(text_of(read), text);
    }
}

TEST(RotarySetup, FrequencySettingsContainEveryParameterOfFrequencies) {
    const RotarySetup setup =
        parse_setup("theta=500k head_dim=128 fraction=50% context=8192 scaling=dynamic factor=4 original_context=4096");
    EXPECT_EQ(rotary_dim(setup), 64);
    const FrequencySettings settings = frequency_settings(setup);
    EXPECT_EQ(settings.context, 8192);
    EXPECT_EQ(settings.scaling, setup.scaling);
    const auto plain = frequencies(plain_settings(setup)).inverse_frequencies;
    const auto changed = frequencies(settings).inverse_frequencies;
    ASSERT_EQ(plain.size(), 32U);
    EXPECT_EQ(plain, slice_frequencies(64, 5e5));
    EXPECT_LT(changed.back(), plain.back());
}

TEST(RotarySetup, InvalidTextThrowsOneSentence) {
    const std::pair<const char*, const char*> cases[] = {
        {"thetta=1k", "did you mean \"theta\"?"},
        {"head_dims=64", "did you mean \"head_dim\"?"},
        {"theta", "write a setting and its value, such as"},
        {"theta=", "setting theta is not valid: "},
        {"theta=1k theta=2k", "the setting theta twice"},
        {"theta=abc", "\"abc\" is not a number"},
        {"theta=1", "1.0001 or more"},
        {"theta=1e16", "between 1.0001 and 1e+15"},
        {"theta=inf", "finite"},
        {"factor=nan", "finite"},
        {"head_dim=63", "even"},
        {"head_dim=0", "between 2 and 4096"},
        {"head_dim=8192", "4096"},
        {"head_dim=99999999999", "4096"},
        {"head_dim=64.5", "whole number"},
        {"fraction=101%", "between 0 and 1"},
        {"fraction=-0.1", "between 0 and 1"},
        {"context=0", "between 1 and 1073741824"},
        {"context=1e12", "between 1 and 1073741824"},
        {"context=nan", "finite"},
        {"heads=0", "between 1 and 65536"},
        {"heads=65537", "between 1 and 65536"},
        {"heads=2.5", "whole number"},
        {"attention_window=-1", "between 0 and 1073741824"},
        {"attention_window=2e9", "between 0 and 1073741824"},
        {"partial=both", "one of: slice, truncate"},
        {"pairing=neox", "one of: half, interleaved"},
        {"precision=float8", "float"},
        {"scaling=yam", "one of: none, linear, ntk"},
        {"scaling=linear factor=0.5", "1 or more"},
        {"truncate=maybe", "true or false"},
        {"scaling=longrope factor=2", "short_factors has 0 numbers"},
        {"short_factors=1;;2", "not a number"},
    };
    for (const auto& [text, part] : cases) {
        SCOPED_TRACE(text);
        EXPECT_MESSAGE(parse_setup(text), BadInput, part);
        try {
            parse_setup(text);
        } catch (const BadInput& error) {
            const std::string message = error.what();
            EXPECT_TRUE(message.ends_with('.') || message.ends_with('?')) << message;
            EXPECT_EQ(message.find('\n'), std::string::npos);
        }
    }
}

TEST(RotarySetup, TextOfTwoSetupsGivesBothAgain) {
    EXPECT_EQ(setups_text({RotarySetup{}, std::nullopt}), text_of(RotarySetup{}));
    RandomSetups setups;
    for (int i = 0; i < 200; ++i) {
        const ComparedSetups both{setups.next(), setups.next()};
        ASSERT_EQ(parse_setups(setups_text(both)), both) << setups_text(both);
        ASSERT_EQ(parse_setups(text_of(both.a)), (ComparedSetups{both.a, std::nullopt}));
    }
    const ComparedSetups expected{parse_setup("theta=10k"), parse_setup("theta=500k context=8192")};
    EXPECT_EQ(
        setups_text(expected),
        "theta=10k head_dim=64 fraction=100% context=1024 | B: theta=500k head_dim=64 fraction=100% context=8192");
    for (const char* text : {"theta=10k | theta=500k context=8192", "A: theta=10k|B:theta=500k, context=8192"}) {
        EXPECT_EQ(parse_setups(text), expected) << text;
    }
}

TEST(RotarySetup, TextOfTwoSetupsIsRefusedWhereOneIsNeeded) {
    EXPECT_MESSAGE(parse_setup("theta=10k | B: theta=500k"), BadInput, "only one setup can be used here");
    EXPECT_MESSAGE(parse_setups("theta=10k | theta=1k | theta=2k"), BadInput, "at most two, A and B");
    EXPECT_MESSAGE(parse_setups("theta=10k | B: theta=1"), BadInput, "Setup B: ");
    EXPECT_MESSAGE(parse_setups("thetta=10k | B: theta=1k"), BadInput, "Setup A: ");
}

TEST(RotarySetup, CheckThrowsForValuesThatParsingCannotReturn) {
    RotarySetup setup;
    setup.theta = std::nan("");
    EXPECT_MESSAGE(check(setup), BadInput, "1.0001 or more");
    setup = {};
    setup.head_dim = -2;
    EXPECT_MESSAGE(check(setup), BadInput, "-2");
    setup = {};
    setup.context = -1;
    EXPECT_MESSAGE(check(setup), BadInput, "-1");
    check(RotarySetup{});
}

TEST(RotarySetup, OneSettingIsSetFromItsText) {
    RotarySetup setup;
    set_setting(setup, "theta", "500k");
    set_setting(setup, "fraction", "25%");
    EXPECT_EQ(setup.theta, 500000);
    EXPECT_EQ(setup.fraction, 0.25);
    const RotarySetup before = setup;
    EXPECT_MESSAGE(set_setting(setup, "theta", "0.5"), BadInput, "1.0001 or more");
    EXPECT_MESSAGE(set_setting(setup, "head_dim", "7"), BadInput, "head dimension is 7, but it must be even");
    EXPECT_MESSAGE(set_setting(setup, "thta", "7"), BadInput, "did you mean \"theta\"?");
    EXPECT_EQ(setup, before);
    for (const std::string_view name : setup_settings()) {
        EXPECT_MESSAGE(set_setting(setup, name, ""), BadInput, std::string(name));
    }
}

}  // namespace
}  // namespace ropelab
