#include "core/data/info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using testing::ElementsAre;

TEST(TextInfoTest, MatchesCountsMadeByHand) {
    const TextInfo info = info_of_text("aabé\n");
    EXPECT_EQ(info.bytes, 6);
    EXPECT_EQ(info.characters, 5);
    EXPECT_FALSE(info.as_bytes);
    EXPECT_EQ(info.tokens, 5);
    EXPECT_EQ(info.distinct, 4);
    EXPECT_THAT(info.alphabet, ElementsAre("\\n", "a", "b", "é"));
    EXPECT_NEAR(info.order0_entropy, -(0.4 * std::log2(0.4) + 3 * 0.2 * std::log2(0.2)), 1e-12);
    // The adjacent pairs are aa, ab, bé and é\n. Only the character after a is uncertain (1 bit), in 2 of 4 pairs.
    EXPECT_NEAR(info.order1_entropy, 0.5, 1e-12);
    EXPECT_EQ(info.ninety_ten, split_sizes(5, Split::ninety_ten));
    EXPECT_EQ(info.ninety_five_five, split_sizes(5, Split::ninety_five_five));
}

TEST(TextInfoTest, MatchesKnownEntropies) {
    std::string alternating;
    for (int i = 0; i < 1000; ++i) alternating += "ab";
    EXPECT_NEAR(info_of_text(alternating).order0_entropy, 1, 1e-12);
    EXPECT_NEAR(info_of_text(alternating).order1_entropy, 0, 1e-12);
    const TextInfo one = info_of_text("x");
    EXPECT_EQ(one.order0_entropy, 0);
    EXPECT_EQ(one.order1_entropy, 0);
}

TEST(TextInfoTest, ComparesTokenizers) {
    const ScratchFolder scratch;
    const Environment cache("XDG_CACHE_HOME", scratch.path().c_str());
    std::string text;
    for (int i = 0; i < 40; ++i) text += "one two three. ";
    RunSpec spec;
    spec.data = scratch.write("text.txt", text).string();
    RunSpec words = spec;
    words.tokenizer = Tokenizer::words;
    const std::vector<TokenizerRow> rows = compare_tokenizers({spec, words});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].tokenizer, "characters");
    EXPECT_EQ(rows[0].tokens, 60);
    EXPECT_EQ(rows[0].tokens_per_byte(), 1.0);
    EXPECT_EQ(rows[1].tokenizer, "words");
    EXPECT_EQ(rows[1].size, 256 + 3);
    EXPECT_EQ(rows[1].tokens, 4 * 7);  // of 15 characters each: three words, a full stop and three spaces
    EXPECT_EQ(rows[1].training_tokens, 36 * 7);
    EXPECT_EQ(rows[1].bytes, 60);

    const TextInfo info = info_of(words);
    EXPECT_TRUE(info.subwords);
    EXPECT_EQ(info.tokens, 40 * 7);
    EXPECT_EQ(info.ninety_ten.validation, 4 * 7);
    EXPECT_EQ(info.alphabet[258], "two");
}

// The text "aabb" + "ab" of two files is counted across their border, as the same bytes in one file are.
TEST(TextInfoTest, DescribesAFolderAsItsBytes) {
    const ScratchFolder scratch;
    scratch.write("texts/1.txt", "aabb");
    scratch.write("texts/2/b.txt", "ab");
    const TextInfo folder = info_of((scratch / "texts").string());
    const TextInfo file = info_of_text("aabbab", Tokenizer::bytes);
    EXPECT_EQ(folder.name, "texts");
    EXPECT_EQ(folder.bytes, 6);
    EXPECT_EQ(folder.tokens, 6);
    EXPECT_TRUE(folder.as_bytes);
    EXPECT_EQ(folder.alphabet, file.alphabet);
    EXPECT_DOUBLE_EQ(folder.order0_entropy, 1);
    EXPECT_DOUBLE_EQ(folder.order1_entropy, file.order1_entropy);
    EXPECT_EQ(folder.ninety_ten, file.ninety_ten);
    EXPECT_THROW(info_of((scratch / "texts").string(), Tokenizer::characters), BadInput);
}

TEST(TextInfoTest, CountsBytesIfTheTextIsNotUtf8OrOnRequest) {
    const TextInfo damaged = info_of_text("a\xFF ");
    EXPECT_EQ(damaged.characters, std::nullopt);
    EXPECT_TRUE(damaged.as_bytes);
    EXPECT_THAT(damaged.alphabet, ElementsAre("space", "a", "0xFF"));
    EXPECT_EQ(info_of_text("é", Tokenizer::bytes).distinct, 2);
    EXPECT_THROW(info_of_text("a\xFF", Tokenizer::characters), BadInput);
    EXPECT_THROW(info_of_text(""), BadInput);
}

TEST(TextInfoTest, DescribesAFileAndASyntheticText) {
    const ScratchFolder scratch;
    const TextInfo file = info_of(scratch.write("short.txt", "abc").string());
    EXPECT_EQ(file.name, "short.txt");
    EXPECT_EQ(file.tokens, 3);
    const TextInfo generated = info_of("synthetic");
    EXPECT_EQ(generated.tokens, 400'000);
    EXPECT_LT(generated.order1_entropy, generated.order0_entropy);
}

TEST(TextInfoTest, DescribesTinyShakespeare) {
    const auto file = shared_text("tinyshakespeare.txt");
    if (file.empty()) GTEST_SKIP() << "The shared test data are not installed.";
    const TextInfo info = info_of("tinyshakespeare", Tokenizer::automatic, file.parent_path());
    EXPECT_EQ(info.bytes, 1'115'394);
    EXPECT_EQ(info.characters, 1'115'394);
    EXPECT_EQ(info.distinct, 65);
    EXPECT_EQ(info.ninety_ten, (SplitSizes{1'003'854, 111'540, 0}));
    EXPECT_LT(info.order1_entropy, info.order0_entropy);
}

}  // namespace
}  // namespace ropelab
