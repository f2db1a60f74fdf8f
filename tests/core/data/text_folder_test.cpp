#include "core/data/text_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TextFolderTest : public testing::Test {
 protected:
    std::string folder() const { return (scratch_ / "texts").string(); }
    RunSpec spec(std::int64_t context = 4) const {
        RunSpec spec;
        spec.data = folder();
        spec.context = context;
        return spec;
    }
    std::string copied(const TokenText& text, std::int64_t first, std::int64_t count) const {
        std::vector<std::int64_t> tokens(static_cast<std::size_t>(count));
        EXPECT_EQ(text.copy(first, count, tokens.data()), tokens.data() + count);
        return {tokens.begin(), tokens.end()};
    }
    ScratchFolder scratch_;
};

TEST_F(TextFolderTest, FilesFormOneTextInTheOrderOfTheirNames) {
    scratch_.write("texts/b", "second ");
    scratch_.write("texts/a", "first ");
    scratch_.write("texts/c/d", "third");
    scratch_.write("texts/empty", "");
    scratch_.write("texts/.hidden", "never");
    scratch_.write("texts/.git/object", "never");
    std::vector<std::string> names;
    for (const FolderFile& file : files_of_folder(folder())) names.push_back(file.name);
    EXPECT_THAT(names, ElementsAre("a", "b", "c/d"));

    const TextFolder texts(folder());
    EXPECT_EQ(texts.bytes(), 18);
    const TokenText text(texts.pieces(), texts.bytes());
    EXPECT_EQ(text.size(), 18u);
    EXPECT_TRUE(text.in_files());
    EXPECT_EQ(copied(text, 0, 18), "first second third");
    for (std::int64_t first = 0; first < 18; ++first) {
        for (std::int64_t count = 0; first + count <= 18; ++count) {
            EXPECT_EQ(copied(text, first, count), std::string("first second third").substr(first, count));
        }
    }
}

// A text that is cut while it is in use ends in a sentence, not in a signal of the system.
TEST_F(TextFolderTest, AFileThatBecomesShorterIsRefused) {
    scratch_.write("texts/a.txt", std::string(10000, 'a'));
    const TextFolder texts(folder());
    const TokenText text(texts.pieces(), texts.bytes());
    std::vector<std::int32_t> tokens(10000);
    EXPECT_EQ(text.copy(0, 10000, tokens.data()), tokens.data() + 10000);
    EXPECT_EQ(tokens, std::vector<std::int32_t>(10000, 'a'));
    std::filesystem::resize_file(scratch_ / "texts/a.txt", 5000);
    EXPECT_NO_THROW(text.copy(4000, 1000, tokens.data()));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(text.copy(4000, 1001, tokens.data()), BadInput), HasSubstr("has become shorter"));
    std::filesystem::remove(scratch_ / "texts/a.txt");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(text.copy(0, 1, tokens.data()), BadInput), HasSubstr("cannot be read any more"));
}

TEST_F(TextFolderTest, TokensInMemoryAreCopiedToo) {
    const std::vector<std::int32_t> tokens = {'a', 'b', 'c'};
    const TokenText text(tokens);
    EXPECT_FALSE(text.in_files());
    EXPECT_EQ(text.size(), 3u);
    EXPECT_EQ(copied(text, 1, 2), "bc");
    EXPECT_EQ(TokenText().size(), 0u);
}

TEST_F(TextFolderTest, CorpusKeepsItsTrainingPartInTheFiles) {
    std::string all;
    for (int file = 0; file < 7; ++file) {
        std::string text;
        for (int i = 0; i < 100 + file; ++i) text += static_cast<char>((i * 37 + file) % 256);
        scratch_.write("texts/" + std::to_string(file), text);
        all += text;  // 721 bytes
    }
    const auto corpus = open_corpus(spec());
    EXPECT_EQ(corpus->name, "texts");
    EXPECT_EQ(corpus->vocabulary.size(), 256);
    EXPECT_TRUE(corpus->vocabulary.bytes());
    EXPECT_TRUE(corpus->training.empty());
    EXPECT_EQ(corpus->training_text().size(), 648u);  // int(0.9 · 721)
    std::vector<std::int32_t> training(648);
    corpus->token_data().training.copy(0, 648, training.data());
    EXPECT_EQ(corpus->vocabulary.decode(training) + corpus->vocabulary.decode(corpus->validation), all);
    EXPECT_EQ(corpus->text.bytes, 721);

    EXPECT_EQ(open_corpus(spec()), corpus);  // from the cache
    const std::string before = corpus->text.sha256;
    scratch_.write("texts/3", std::string(103, 'x'));
    scratch_.write("texts/8", "y");
    EXPECT_NE(open_corpus(spec())->text.sha256, before);
}

// A sparse file takes no disk space.
TEST_F(TextFolderTest, HeldOutPartsOfALargeFolderAreLimited) {
    std::filesystem::resize_file(scratch_.write("texts/large", "x"), 400'000'000);
    const auto corpus = open_corpus(spec());
    EXPECT_EQ(corpus->training_text().size(), 360'000'000u);
    EXPECT_EQ(std::ssize(corpus->validation), largest_held_out);
}

TEST_F(TextFolderTest, RefusesWhatCannotBeATextInOneSentence) {
    std::filesystem::create_directory(folder());
    EXPECT_THAT(ROPELAB_SENTENCE_OF(TextFolder{folder()}, BadInput), HasSubstr("contains no text"));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(files_of_folder("/no/such/folder"), BadInput), HasSubstr("cannot be read"));
    scratch_.write("texts/a", "abcd");
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(spec(100)), BadInput), HasSubstr("context = 100"));
    RunSpec characters = spec();
    characters.tokenizer = Tokenizer::characters;
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(characters), BadInput), HasSubstr("as bytes only"));
}

}  // namespace
}  // namespace ropelab
