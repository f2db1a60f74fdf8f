#include "core/study/expert_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace ropelab {
namespace {

using testing::ElementsAre;

// Two layers, the first of them dense, with two experts; tokens " ", "a" and "b".
ProbeResult loads() {
    ProbeResult result;
    result.expert_tokens = {0, 1, 2};
    result.expert_shares = {{2, 2, 3}, {0, 0, 0, 0, 0, 0, 0.25F, 0.125F, 0, 0, 0.375F, 0.25F}};
    return result;
}

const Vocabulary& three_characters() {
    static const Vocabulary vocabulary = Vocabulary::of_characters(" ab");
    return vocabulary;
}

TEST(ExpertLoad, SumsTheSharesOfTokens) {
    EXPECT_THAT(expert_load(loads(), 0), ElementsAre(0, 0));
    EXPECT_THAT(expert_load(loads(), 1), ElementsAre(0.375, 0.625));
    EXPECT_TRUE(expert_load(ProbeResult(), 0).empty());
}

TEST(ExpertLoad, ByClassTheExpertsShareEachClass) {
    const auto load = expert_load_by_class(loads(), 1, three_characters());
    ASSERT_EQ(load.size(), 2U);
    const auto letters = static_cast<std::size_t>(TokenClass::letters);
    const auto whitespace = static_cast<std::size_t>(TokenClass::whitespace);
    EXPECT_DOUBLE_EQ(load[0][letters], 0.125 / 0.75);
    EXPECT_DOUBLE_EQ(load[1][letters], 0.625 / 0.75);
    EXPECT_DOUBLE_EQ(load[0][whitespace], 1);
    EXPECT_DOUBLE_EQ(load[1][whitespace], 0);
    EXPECT_TRUE(std::isnan(load[0][static_cast<std::size_t>(TokenClass::digits)]));
    EXPECT_TRUE(expert_load_by_class(ProbeResult(), 0, three_characters()).empty());
}

TEST(ExpertLoad, TopTokensAreTheMostFrequentOnes) {
    EXPECT_THAT(top_tokens_of_expert(loads(), 1, 1, 5), ElementsAre(ExpertToken{1, 0.6}, ExpertToken{2, 0.4}));
    EXPECT_EQ(top_tokens_of_expert(loads(), 1, 0, 1).size(), 1U);
    EXPECT_TRUE(top_tokens_of_expert(loads(), 0, 0, 5).empty());
}

TEST(ExpertLoad, ClassIsThatOfTheFirstCharacter) {
    EXPECT_EQ(token_class("a"), TokenClass::letters);
    EXPECT_EQ(token_class(" the"), TokenClass::letters);
    for (const char* letter : {"A", "Z", "z"}) EXPECT_EQ(token_class(letter), TokenClass::letters) << letter;
    for (const char* digit : {"42", "0", "9"}) EXPECT_EQ(token_class(digit), TokenClass::digits) << digit;
    for (const char* sign : {"/", ":", "@", "[", "`", "{", "!", "~"}) {
        EXPECT_EQ(token_class(sign), TokenClass::punctuation) << sign;
    }
    EXPECT_EQ(token_class("\n"), TokenClass::whitespace);
    EXPECT_EQ(token_class("  "), TokenClass::whitespace);
    EXPECT_EQ(token_class("."), TokenClass::punctuation);
    EXPECT_EQ(token_class("ü"), TokenClass::other);
    EXPECT_EQ(token_class(""), TokenClass::other);
    EXPECT_EQ(token_class_word(TokenClass::whitespace), "white space");
}

}  // namespace
}  // namespace ropelab
