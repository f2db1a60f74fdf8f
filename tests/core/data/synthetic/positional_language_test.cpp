#include "core/data/synthetic/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

#include "core/data/synthetic/language.h"
#include "tests/core/data/synthetic/recogniser.h"

namespace ropelab {
namespace {

const Source& source() {
    return language_source(Language::positional);
}

/// Returns the state after `text`, which begins with a sentence, or kNowhere if the language does not contain `text`.
std::int32_t state_after(std::string_view text) {
    std::int32_t state = Source::kStart;
    for (const char character : text) {
        state = source().next(state, character);
        if (state == Source::kNowhere) break;
    }
    return state;
}

TEST(PositionalLanguage, StatesHaveDistinctCharactersAndProbabilitiesThatSumToOne) {
    EXPECT_EQ(source().size(), 90981);
    for (std::int32_t state = 0; state < source().size(); ++state) {
        double sum = 0;
        std::set<char> characters;
        for (const Source::Arc& arc : source().arcs(state)) {
            sum += source().probability(state, arc);
            characters.insert(arc.character);
        }
        ASSERT_NEAR(sum, 1, 1e-12) << state;
        ASSERT_EQ(characters.size(), source().arcs(state).size()) << state;
    }
}

TEST(PositionalLanguage, ParsesItsOwnTextsUnambiguously) {
    // A state has at most one arc per character (see the test above), so every text has at most one parse.
    for (const std::int64_t seed : {0, 1, 1337, -5}) {
        EXPECT_NE(state_after(generate_text(Language::positional, seed, 200000)), Source::kNowhere) << seed;
    }
}

TEST(PositionalLanguage, GeneratesTextsThatFollowTheDocumentation) {
    for (const std::int64_t seed : {2, 3, 1337}) {
        const Findings found = recognise(whole_sentences(generate_text(Language::positional, seed, 300000)));
        EXPECT_GT(found.sentences, 1000U);
        EXPECT_GE(*std::min_element(found.distances.begin(), found.distances.end()), 15U);
        EXPECT_LE(*std::max_element(found.distances.begin(), found.distances.end()), 90U);
        EXPECT_EQ(*std::max_element(found.items.begin(), found.items.end()), 7U);
        EXPECT_EQ(found.deepest, 3U);
    }
}

TEST(PositionalLanguage, HasTheDocumentedFrequencies) {
    const Findings found = recognise(whole_sentences(generate_text(Language::positional, 4, 1000000)));
    const auto clauses = static_cast<double>(found.items.size());
    const auto free_words = static_cast<double>(found.word_lengths.size());
    const auto nouns = static_cast<double>(found.nouns);
    const auto fraction = [](std::size_t part, double whole) { return static_cast<double>(part) / whole; };
    for (std::size_t items = 0; items <= 7; ++items) {
        const auto count = std::count(found.items.begin(), found.items.end(), items);
        EXPECT_NEAR(static_cast<double>(count) / clauses, 1.0 / 8, 0.015) << items;
    }
    EXPECT_NEAR(fraction(found.sentences, clauses), 0.5, 0.02);
    EXPECT_NEAR(fraction(found.groups, clauses), 0.5, 0.02);
    EXPECT_NEAR(nouns / (nouns + free_words), 1.0 / 3, 0.01);
    const auto longer = std::count(found.word_lengths.begin(), found.word_lengths.end(), 6U);
    EXPECT_NEAR(static_cast<double>(longer) / free_words, 0.5, 0.01);
    EXPECT_NEAR(fraction(found.usual_second_letters, static_cast<double>(found.second_letters)), 0.75, 0.01);
    const double mean_distance = std::accumulate(found.distances.begin(), found.distances.end(), 0.0) / clauses;
    EXPECT_NEAR(mean_distance, 41, 0.5);
}

TEST(PositionalLanguage, HasTheDocumentedProbabilities) {
    struct Step {
        const char* before;
        char character;
        double probability;
    };
    for (const Step& step : {Step{"one nese liped and nese", '.', 1.0 / 2},
                             {"one nese liped and nese.", '\n', 1.0 / 4},
                             {"one nese liped ", '[', 1.0 / 6},
                             {"one nese liped ", 'a', 1.0 / 16},
                             {"one nese liped (ta) ", 'a', 1.0 / 8},
                             {"one nese liped (ta) ", 'k', 7.0 / 8 * 2 / 3 / 8},
                             {"one nese liped buso kala buso kala buso kala buso ", 'a', 1},
                             {"one nese liped (t", 'a', 3.0 / 4},
                             {"one nese liped [t", 'o', 1.0 / 4},
                             {"one nese liped (ta", ')', 2.0 / 5},
                             {"one nese liped (ta ", '<', 1.0 / 5},
                             {"one nese liped (ta ", 'k', 1.0 / 20},
                             {"one nese liped (ta ka", ')', 1},
                             {"one nese liped (ta [ki]", ')', 1.0 / 2},
                             {"one nese liped (ta [ki] ", 'm', 1.0 / 8},
                             {"one nese liped (ta [ki <lu ", 'm', 1.0 / 8},
                             {"one nese liped kala", ' ', 1.0 / 2},
                             {"one nese liped kalaka", ' ', 1},
                             {"one nese liped ka", 'l', 3.0 / 4},
                             {"one nese liped kal", 'e', 3.0 / 4},
                             {"one nese liped lak", 'u', 3.0 / 4},
                             {"one nese liped kala", 'k', 3.0 / 8},
                             {"one nese liped kalat", 'a', 3.0 / 4}}) {
        const std::int32_t state = state_after(step.before);
        ASSERT_NE(state, Source::kNowhere) << step.before;
        const Source::Arc* arc = source().find(state, step.character);
        ASSERT_NE(arc, nullptr) << step.before << step.character;
        EXPECT_NEAR(source().probability(state, *arc), step.probability, 1e-12) << step.before << step.character;
    }
}

TEST(PositionalLanguage, KeepsCopyDistancesInTheDocumentedRange) {
    const std::string nearest = "one nese liped and nese.";
    EXPECT_EQ(recognise(nearest).distances, std::vector<std::size_t>{15});
    EXPECT_NE(state_after(nearest), Source::kNowhere);

    const std::string longest = "one lipeli liped (ka [mi <lu ra> no] te) kalaka kalaka kalaka kalaka kalaka kalaka ";
    const std::string farthest = longest + "kalaka and lipeli.";
    EXPECT_EQ(recognise(farthest).distances, std::vector<std::size_t>{90});
    EXPECT_NE(state_after(farthest), Source::kNowhere);
    EXPECT_EQ(state_after(longest + "kalaka k"), Source::kNowhere) << "an eighth item";
}

TEST(PositionalLanguage, RejectsTheSameMistakesAsTheRecognizer) {
    const std::string right = "one nese liped [ki <lu>] kalaka buso and nese.";
    EXPECT_NO_THROW(recognise(right));
    EXPECT_NE(state_after(right), Source::kNowhere);
    for (const char* wrong : {"one neso liped and neso.",                      // not a name
                              "one nese nese and nese.",                       // not a verb
                              "one nese liped and timo.",                      // a copy of another name
                              "one nese liped [ki <lu] kalaka> and nese.",     // brackets crossed
                              "one nese liped [ki <lu>) and nese.",            // closed by a different kind of bracket
                              "one nese liped [ki <lu (ma <ra>)>] and nese.",  // four nested brackets
                              "one nese liped [ka] and nese.",                 // a vowel of another kind of bracket
                              "one nese liped [ki] [ki] and nese.",            // two groups
                              "one nese liped kapa and nese.",    // a consonant that is not adjacent in the ring
                              "one nese liped kalu and nese.",    // a wrong second vowel
                              "one nese liped kalala and nese.",  // a wrong third consonant
                              "one nese liped kalaki and nese.",  // a wrong third vowel
                              "one nese liped buto and nese.",    // not a noun
                              "one nese liped kalaka nese."}) {   // no marker
        EXPECT_THROW(recognise(wrong), std::runtime_error) << wrong;
        EXPECT_EQ(state_after(wrong), Source::kNowhere) << wrong;
    }
}

}  // namespace
}  // namespace ropelab
