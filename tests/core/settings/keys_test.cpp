#include "core/settings/keys.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(Keys, DefaultValuesSurviveFormattingAndParsing) {
    const RunSpec defaults;
    for (const Key& entry : keys()) {
        RunSpec spec;
        const Value value = entry.get(defaults);
        entry.set(spec, parse_value(entry, to_text(value), defaults));
        EXPECT_EQ(entry.get(spec), value) << entry.name;
    }
}

TEST(Keys, SettingAKeyChangesOnlyItsOwnMember) {
    for (const Key& entry : keys()) {
        RunSpec spec;
        const Value before = entry.get(spec);
        Value other = before;
        if (const auto* flag = std::get_if<bool>(&before)) other = !*flag;
        if (const auto* whole = std::get_if<std::int64_t>(&before)) other = *whole + 2;
        if (const auto* real = std::get_if<double>(&before)) other = *real == 0.5 ? 0.25 : 0.5;
        if (entry.name.starts_with("theta") || entry.name.starts_with("xpos") || entry.name == "sinusoidal_base")
            other = 77.0 / 8.0;
        if (std::holds_alternative<std::string>(before)) {
            const auto& words = entry.choices;
            other = words.empty() ? std::string("file.txt")
                                  : std::string(words[words[0].word == std::get<std::string>(before) ? 1 : 0].word);
        }
        if (entry.name == "tokenizer") other = std::string("bpe");
        entry.set(spec, other);
        EXPECT_EQ(entry.get(spec), other) << entry.name;
        for (const Key& another : keys()) {
            if (another.name != entry.name) {
                EXPECT_EQ(another.get(spec), another.get(RunSpec{})) << entry.name << " " << another.name;
            }
        }
    }
}

TEST(Keys, NamesAreUniqueAndHelpTextsAreNotEmpty) {
    std::set<std::string_view> names;
    for (const Key& entry : keys()) {
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        EXPECT_GT(entry.meaning.size(), 5U) << entry.name;
    }
}

TEST(Keys, UnknownNameThrowsAndSuggestsTheMostSimilarName) {
    EXPECT_MESSAGE(key("thetta"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(key("learning-rate"), BadInput, "learning_rate");
}

TEST(Keys, SetThrowsForInvalidValues) {
    RunSpec spec;
    const auto set = [&](const char* name, const char* text) {
        key(name).set(spec, parse_value(key(name), text, spec));
    };
    EXPECT_MESSAGE(set("theta", "1"), BadInput, "theta is 1");
    EXPECT_MESSAGE(set("fraction", "150 %"), BadInput, "between 0 and 1");
    EXPECT_MESSAGE(set("seed", "-1"), BadInput, "must be 0 or more");
    EXPECT_MESSAGE(set("seed", "1e16"), BadInput, "must be between 0 and 1e+15");
    EXPECT_MESSAGE(set("layers", "2.5"), BadInput, "whole number");
    EXPECT_MESSAGE(set("layers", "two"), BadInput, "\"two\" is not a number");
    EXPECT_MESSAGE(set("position", "rop"), BadInput, "none, learned, rope, learned+rope");
    EXPECT_MESSAGE(set("bias", "maybe"), BadInput, "true or false");
    EXPECT_MESSAGE(set("operations", "op by op"), BadInput, "\"op by op\", but it must be one of: fused, eager.");
    EXPECT_MESSAGE(set("rope_cache", "never"), BadInput, "rope_cache is \"never\", but it must be true or false");
    EXPECT_EQ(spec, RunSpec{});
}

// True and false, which labs and scripts store, are the values of `head` and `none`.
TEST(Keys, QkNormHasBooleansForItsFirstVariants) {
    const Key& entry = key("qk_norm");
    const auto parsed = [&](const char* text) {
        RunSpec spec;
        entry.set(spec, parse_value(entry, text, spec));
        return spec;
    };
    for (const char* text : {"true", "1", "head"}) {
        EXPECT_EQ(parsed(text).qk_norm, QkNorm::head) << text;
        EXPECT_EQ(entry.get(parsed(text)), Value(true)) << text;
    }
    for (const char* text : {"false", "0", "none"}) {
        EXPECT_EQ(parsed(text).qk_norm, QkNorm::none) << text;
        EXPECT_EQ(entry.get(parsed(text)), Value(false)) << text;
    }
    EXPECT_EQ(parsed("projection").qk_norm, QkNorm::projection);
    EXPECT_EQ(entry.get(parsed("projection")), Value(std::string("projection")));
    EXPECT_MESSAGE(parsed("layer"), BadInput,
                   "The setting qk_norm is \"layer\", but it must be false (or none), true (or head), or projection.");
}

TEST(Keys, FractionIsParsedFromNumberPercentageOrChannels) {
    RunSpec spec;  // head dimension 32
    const auto fraction = [&](const char* text) { return std::get<double>(parse_value(key("fraction"), text, spec)); };
    EXPECT_DOUBLE_EQ(fraction("0.25"), 0.25);
    EXPECT_DOUBLE_EQ(fraction("25 %"), 0.25);
    EXPECT_DOUBLE_EQ(fraction("25%"), 0.25);
    EXPECT_DOUBLE_EQ(fraction("2 ch"), 2.0 / 32);
    EXPECT_DOUBLE_EQ(fraction("8ch"), 0.25);
    EXPECT_DOUBLE_EQ(fraction("1"), 1);
    EXPECT_MESSAGE(
        fraction("25"), BadInput,
        "The setting fraction is not valid: The fraction 25 is larger than 1; enter 25 % for a percentage, or "
        "0.25.");
    EXPECT_MESSAGE(fraction("3 ch"), BadInput, "must be even");
    EXPECT_MESSAGE(fraction("34 ch"), BadInput, "head of 32");
}

}  // namespace
}  // namespace ropelab
