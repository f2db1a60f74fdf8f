#include "core/data/synthetic/language.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/data/synthetic/source.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

/// Returns the 64-bit FNV-1a hash of a text.
std::uint64_t checksum(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ULL;
    for (const char character : text) hash = (hash ^ static_cast<unsigned char>(character)) * 1099511628211ULL;
    return hash;
}

/// Returns the loss at each character for a predictor that has seen the text from its beginning, so that it knows the
/// state.
std::vector<double> informed_losses(Language language, std::string_view text) {
    const Source& source = language_source(language);
    std::vector<double> losses;
    std::int32_t state = Source::kStart;
    for (const char character : text) {
        const Source::Arc* arc = source.find(state, character);
        losses.push_back(-std::log(source.probability(state, *arc)));
        state = arc->next;
    }
    return losses;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

class BothLanguages : public testing::TestWithParam<Language> {};
INSTANTIATE_TEST_SUITE_P(Language, BothLanguages, testing::Values(Language::positional, Language::local),
                         [](const auto& test) {
                             return std::string(test.param == Language::positional ? "positional" : "local");
                         });

// The share of characters that are one of the last W, against the one that the rule gives, and the floor against the
// sum over the rule's own cases.
TEST(WindowLanguages, RepeatOneOfTheLastCharacters) {
    for (const LanguageFacts& facts : languages()) {
        if (facts.window == 0) continue;
        SCOPED_TRACE(facts.name);
        EXPECT_EQ(find_language(facts.name), facts.language);
        const std::string text = generate_text(facts.language, 3, 200000);
        EXPECT_EQ(generate_text(facts.language, 3, 1000), text.substr(0, 1000));
        EXPECT_NE(generate_text(facts.language, 4, 1000), text.substr(0, 1000));
        double surprise = 0;
        double chance = 0;
        std::size_t repeats = 0;
        for (std::size_t at = facts.window; at < text.size(); ++at) {
            double same = 0;
            std::set<char> kinds;
            for (std::size_t back = 1; back <= facts.window; ++back) {
                same += text[at - back] == text[at];
                kinds.insert(text[at - back]);
            }
            repeats += same > 0;
            chance += static_cast<double>(kinds.size()) / 20;  // of one of any letter
            surprise -= std::log(7.0 / 8 * same / static_cast<double>(facts.window) + 1.0 / 8 / 20);
        }
        const auto count = static_cast<double>(text.size() - facts.window);
        EXPECT_NEAR(static_cast<double>(repeats) / count, 7.0 / 8 + chance / count / 8, 0.005);
        EXPECT_NEAR(entropy_rate(facts.language), surprise / count, 0.02);
        const EntropyFloor floor = language_floor(facts.language, text, 100, {});
        ASSERT_EQ(floor.loss_by_position.size(), 100U);
        EXPECT_NEAR(floor.mean, surprise / count, 0.01);
        EXPECT_MESSAGE(language_floor(facts.language, "cat", 2, {}), BadInput, "not one of the letters");
        EXPECT_MESSAGE(language_floor(facts.language, "ab", 2, {}), BadInput, "the context needs more than 2");
    }
}

TEST_P(BothLanguages, AreDeterministicForASeed) {
    const std::string text = generate_text(GetParam(), 42, 50000);
    EXPECT_EQ(text.size(), 50000U);
    EXPECT_EQ(generate_text(GetParam(), 42, 50000), text);
    EXPECT_EQ(generate_text(GetParam(), 42, 1234), text.substr(0, 1234));
    EXPECT_NE(generate_text(GetParam(), 43, 50000), text);
    EXPECT_EQ(generate_text(GetParam(), 42, 0), "");
}

TEST_P(BothLanguages, UseOneAlphabet) {
    const std::string text = generate_text(GetParam(), 1, 900000);
    const std::set<char> used(text.begin(), text.end());
    EXPECT_EQ(std::string(used.begin(), used.end()), "\n ().<>[]abdefghiklmnoprstuvz");
}

TEST_P(BothLanguages, LossOnALongTextEqualsTheEntropyRate) {
    // The standard error of the mean is below 0.002: the losses have a standard deviation of about 1.2 and are nearly
    // uncorrelated.
    const std::string text = generate_text(GetParam(), 21, 1000000);
    EXPECT_NEAR(mean_of(informed_losses(GetParam(), text)), entropy_rate(GetParam()), 0.008);
    const EntropyFloor floor = language_floor(GetParam(), std::string_view(text).substr(345678), 300000, {});
    EXPECT_NEAR(floor.mean, entropy_rate(GetParam()), 0.015);
}

TEST_P(BothLanguages, ReportMeanAndEntropyRateWithTheFloor) {
    const EntropyFloor floor = language_floor(GetParam(), generate_text(GetParam(), 8, 2000), 50, {});
    ASSERT_EQ(floor.loss_by_position.size(), 50U);
    EXPECT_NEAR(floor.mean, mean_of(floor.loss_by_position), 1e-12);
    EXPECT_EQ(floor.entropy_rate, entropy_rate(GetParam()));
}

TEST_P(BothLanguages, ReturnAnEmptyFloorIfCancelled) {
    const EntropyFloor floor = language_floor(GetParam(), generate_text(GetParam(), 8, 2000), 50, [] { return true; });
    EXPECT_TRUE(floor.loss_by_position.empty());
}

TEST_P(BothLanguages, RejectATextFromOutsideTheLanguage) {
    EXPECT_THROW(language_floor(GetParam(), "What country, friends, is this?", 5, {}), BadInput);
    EXPECT_THROW(language_floor(GetParam(), "one nese", 8, {}), BadInput);
    EXPECT_THROW(language_floor(GetParam(), "one nese", 0, {}), BadInput);
}

TEST(Languages, GenerateTheExpectedTexts) {
    EXPECT_EQ(generate_text(Language::positional, 1337, 80),
              "one metama nutot rise rike serisi buso and metama.\none leke tunud siro kuluku ta");
    EXPECT_EQ(generate_text(Language::local, 1337, 80),
              "se turi bo namo turile bo [ile kamo ka kamo kile <urile kamo turilo>. bo ki namo");
    EXPECT_EQ(checksum(generate_text(Language::positional, 1337, 100000)), 6093211154669640040ULL);
    EXPECT_EQ(checksum(generate_text(Language::positional, -1, 100000)), 5788535813927714162ULL);
    EXPECT_EQ(checksum(generate_text(Language::local, 1337, 100000)), 12171077614963345529ULL);
}

TEST(Languages, HaveTheDocumentedEntropyRates) {
    EXPECT_NEAR(entropy_rate(Language::positional), 0.69721, 5e-6);
    EXPECT_NEAR(entropy_rate(Language::local), 0.72323, 5e-6);
}

TEST(PositionalFloor, FallsTowardsTheEntropyRate) {
    const std::string text = generate_text(Language::positional, 12, 1000000);
    const EntropyFloor floor = language_floor(Language::positional, text, 128, {});
    const std::span<const double> losses(floor.loss_by_position);
    const double first = mean_of(losses.subspan(0, 4));
    const double early = mean_of(losses.subspan(4, 12));
    const double middle = mean_of(losses.subspan(16, 48));
    const double late = mean_of(losses.subspan(96, 32));
    EXPECT_GT(first, early + 0.2);
    EXPECT_GT(early, middle + 0.05);
    EXPECT_GT(middle, late + 0.02);
    EXPECT_NEAR(late, floor.entropy_rate, 0.01);
    EXPECT_GT(floor.mean, floor.entropy_rate + 0.02);
}

TEST(PositionalFloor, FirstPositionFollowsFromTheStationaryDistribution) {
    // The expected loss at position 0 is the conditional entropy of the second character given the first.
    const Source& source = language_source(Language::positional);
    const Belief stationary = belief_of(stationary_distribution(source));
    Filter filter(source);
    const std::string alphabet = "\n ().<>[]abdefghiklmnoprstuvz";
    double expected = 0;
    for (const char first : alphabet) {
        Belief belief = stationary;
        const double first_probability = filter.advance(belief, first);
        for (const char second : alphabet) {
            const double probability = filter.probability(belief, second);
            if (probability > 0) expected -= first_probability * probability * std::log(probability);
        }
    }
    const EntropyFloor floor =
        language_floor(Language::positional, generate_text(Language::positional, 31, 300000), 10, {});
    EXPECT_NEAR(floor.loss_by_position[0], expected, 0.03);  // 30,000 sequences; standard error 0.008
}

TEST(PositionalFloor, EqualsTheInformedLossAfter96Characters) {
    // After 96 characters, every sequence contains a name after "one" or "and" and the character that follows the name.
    // The state is then known, and the loss equals that of a predictor that has seen the whole text.
    constexpr std::size_t kContext = 160;
    const std::string text = generate_text(Language::positional, 77, 200001);
    const std::vector<double> informed = informed_losses(Language::positional, text);
    const EntropyFloor floor = language_floor(Language::positional, text, kContext, {});
    for (std::size_t t = 96; t < kContext; ++t) {
        double sum = 0;
        for (std::size_t sequence = 0; sequence < 1250; ++sequence) sum += informed[sequence * kContext + t + 1];
        EXPECT_NEAR(floor.loss_by_position[t], sum / 1250, 1e-12) << t;
    }
    double sum = 0;
    for (std::size_t sequence = 0; sequence < 1250; ++sequence) sum += informed[sequence * kContext + 11];
    EXPECT_GT(floor.loss_by_position[10], sum / 1250 + 0.05);
}

}  // namespace
}  // namespace ropelab
