#include "core/data/synthetic/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/core/data/synthetic/documentation.h"

namespace ropelab {
namespace {

std::vector<std::string> letters_of(const std::vector<Word>& words) {
    std::vector<std::string> letters;
    for (const Word& word : words) letters.push_back(word.letters);
    return letters;
}

TEST(Lexicon, MatchesTheDocumentation) {
    EXPECT_EQ(letters_of(lexicon().names), documentation::words_under("### Names"));
    EXPECT_EQ(letters_of(lexicon().verbs), documentation::words_under("### Verbs"));
    EXPECT_EQ(letters_of(lexicon().nouns), documentation::words_under("### Nouns"));
}

TEST(Lexicon, HasEachWordOnce) {
    EXPECT_EQ(lexicon().names.size(), 48U);
    EXPECT_EQ(lexicon().verbs.size(), 24U);
    EXPECT_EQ(lexicon().nouns.size(), 24U);
    for (const auto* words : {&lexicon().names, &lexicon().verbs, &lexicon().nouns}) {
        const auto letters = letters_of(*words);
        EXPECT_EQ(std::set<std::string>(letters.begin(), letters.end()).size(), letters.size());
    }
}

TEST(Lexicon, WeighsNamesEquallyAndTheRestByRank) {
    for (const Word& name : lexicon().names) EXPECT_EQ(name.weight, 1U);
    for (const auto* words : {&lexicon().verbs, &lexicon().nouns}) {
        EXPECT_EQ((*words)[0].weight, 720U);
        EXPECT_EQ((*words)[1].weight, 360U);
        EXPECT_EQ((*words)[6].weight, 102U);  // 720 / 7 = 102.86
        EXPECT_EQ((*words)[23].weight, 30U);
    }
}

TEST(Lexicon, DistinguishesNounsByTheirFirstLetter) {
    for (const Word& noun : lexicon().nouns) {
        EXPECT_NE(spelling::kNounInitials.find(noun.letters.front()), std::string_view::npos) << noun.letters;
    }
    for (const char initial : spelling::kNounInitials) {
        EXPECT_EQ(spelling::kConsonants.find(initial), std::string_view::npos) << initial;
    }
}

TEST(Spelling, FollowsTheRings) {
    // Letters are given by their index in "klpmtnsr" and "aeiou": "k" (index 0) is hard, "l" (index 1) soft.
    const auto letters = [](const std::vector<spelling::Choice>& choices) {
        return std::vector<int>{choices[0].letter, choices[1].letter};
    };
    EXPECT_EQ(letters(spelling::second_consonants(0)), (std::vector<int>{1, 7}));
    EXPECT_EQ(letters(spelling::second_consonants(7)), (std::vector<int>{0, 6}));
    EXPECT_EQ(letters(spelling::second_vowels(0, 4)), (std::vector<int>{0, 4}));
    EXPECT_EQ(letters(spelling::second_vowels(1, 0)), (std::vector<int>{4, 0}));
    EXPECT_EQ(letters(spelling::third_consonants(6)), (std::vector<int>{6, 2}));
    EXPECT_EQ(letters(spelling::third_vowels(4)), (std::vector<int>{4, 0}));
    for (const auto& choices : {spelling::second_consonants(3), spelling::second_vowels(3, 2),
                                spelling::third_consonants(3), spelling::third_vowels(2)}) {
        EXPECT_EQ(choices[0].weight, 3U);
        EXPECT_EQ(choices[1].weight, 1U);
    }
}

}  // namespace
}  // namespace ropelab
