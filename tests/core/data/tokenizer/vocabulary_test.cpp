#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/utf8.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

char32_t random_character(std::mt19937& random) {
    const char32_t limits[] = {0x80, 0x800, 0x10000, 0x110000};
    for (;;) {
        const char32_t code = static_cast<char32_t>(random()) % limits[random() % 4];
        if (is_unicode_scalar(code)) return code;
    }
}

TEST(Vocabulary, NumbersCharactersInAscendingOrder) {
    const Vocabulary vocabulary = Vocabulary::of_characters("zaé€a😀");
    EXPECT_EQ(vocabulary.size(), 5);
    EXPECT_FALSE(vocabulary.bytes());
    EXPECT_THAT(vocabulary.encode("a€zé😀"), ElementsAre(0, 3, 1, 2, 4));
    EXPECT_EQ(vocabulary.bytes_of(4), "😀");
    EXPECT_EQ(vocabulary.to_text(), "characters:97,122,233,8364,128512");
}

TEST(Vocabulary, NumbersBytesInAscendingOrder) {
    const Vocabulary vocabulary = Vocabulary::of_bytes("b\xFF\x01");
    EXPECT_TRUE(vocabulary.bytes());
    EXPECT_THAT(vocabulary.encode("\xFF\x01"), ElementsAre(2, 0));
    EXPECT_EQ(vocabulary.bytes_of(2), "\xFF");
    EXPECT_EQ(vocabulary.to_text(), "bytes:1,98,255");
}

TEST(Vocabulary, RoundTripsRandomText) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string text;
        const std::size_t length = 1 + random() % 200;
        for (std::size_t i = 0; i < length; ++i) append_utf8(text, random_character(random));
        const Vocabulary characters = Vocabulary::of_characters(text);
        EXPECT_EQ(characters.encode(text).size(), length);
        EXPECT_EQ(characters.decode(characters.encode(text)), text);
        EXPECT_EQ(Vocabulary::from_text(characters.to_text()).to_text(), characters.to_text());
        const Vocabulary bytes = Vocabulary::of_bytes(text);
        EXPECT_EQ(bytes.encode(text).size(), text.size());
        EXPECT_EQ(bytes.decode(bytes.encode(text)), text);
        EXPECT_EQ(Vocabulary::from_text(bytes.to_text()).decode(bytes.encode(text)), text);
    }
}

TEST(Vocabulary, RejectsInvalidUtf8AndNamesTheOffset) {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        std::string text;
        std::size_t damaged = 0;
        const std::size_t damage_at = random() % 50;
        for (std::size_t i = 0; i < 50; ++i) {
            if (i == damage_at) damaged = text.size();
            append_utf8(text, random_character(random));
        }
        text[damaged] = static_cast<char>(0xFF);  // no UTF-8 sequence holds this byte
        EXPECT_THAT(ROPELAB_SENTENCE_OF(Vocabulary::of_characters(text), BadInput),
                    HasSubstr("byte offset " + std::to_string(damaged) + ";"));
        EXPECT_EQ(first_invalid_utf8(text), damaged);
    }
}

TEST(Vocabulary, NamesTheCharacterThatIsNotInTheVocabulary) {
    const Vocabulary characters = Vocabulary::of_characters("abc");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(characters.encode("abé"), BadInput),
                AllOf(HasSubstr("'é'"), HasSubstr("number 3"), HasSubstr("3 tokens")));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(characters.encode("a\n"), BadInput), HasSubstr("'\\n'"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(characters.encode("ab\xC3"), BadInput), HasSubstr("byte offset 2"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(Vocabulary::of_bytes("ab").encode("\xC3"), BadInput), HasSubstr("Byte 195"));
    const std::vector<std::int32_t> outside = {0, 3};
    EXPECT_THAT(ROPELAB_SENTENCE_OF(characters.decode(outside), BadInput),
                AllOf(HasSubstr("Token 3"), HasSubstr("0 to 2")));
    EXPECT_THROW(characters.bytes_of(-1), BadInput);
}

TEST(Vocabulary, RejectsAnInvalidStoredVocabulary) {
    for (const char* text :
         {"", "letters:1", "characters:1,,2", "characters:2,1", "characters:1,1", "bytes:256", "characters:55296",
          "characters:1114112", "characters:x", "characters:1,", "bytes:-1", "bytes:1 "}) {
        EXPECT_THROW(Vocabulary::from_text(text), BadInput) << text;
    }
    EXPECT_EQ(Vocabulary::from_text("characters:").size(), 0);
}

}  // namespace
}  // namespace ropelab
