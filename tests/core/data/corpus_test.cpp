#include "core/data/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "core/base/error.h"
#include "tests/core/data/scratch.h"

namespace ropelab {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class CorpusTest : public testing::Test {
 protected:
    RunSpec spec(const std::string& data, std::int64_t context = 4) const {
        RunSpec spec;
        spec.data = data;
        spec.context = context;
        return spec;
    }
    RunSpec file(const std::string& text, std::int64_t context = 4) const {
        return spec(scratch_.write("text.txt", text).string(), context);
    }

    ScratchFolder scratch_;
    Environment data_{"ROPELAB_DATA", nullptr};
    Environment cache_{"XDG_CACHE_HOME", scratch_.path().c_str()};
};

TEST_F(CorpusTest, SplitsAFileInOrder) {
    std::string text;
    for (int i = 0; i < 101; ++i) text += static_cast<char>('a' + i % 26);
    const auto corpus = open_corpus(file(text));
    EXPECT_EQ(corpus->name, "text.txt");
    EXPECT_FALSE(corpus->generated);
    EXPECT_EQ(corpus->vocabulary.size(), 26);
    EXPECT_EQ(corpus->training.size(), 90u);
    EXPECT_EQ(corpus->vocabulary.decode(corpus->training) + corpus->vocabulary.decode(corpus->validation), text);
    EXPECT_TRUE(corpus->test.empty());

    RunSpec three = file(text);
    three.split = Split::ninety_five_five;
    const auto parts = open_corpus(three);
    EXPECT_EQ(parts->validation.size(), 5u);
    EXPECT_EQ(parts->vocabulary.decode(parts->validation) + parts->vocabulary.decode(parts->test), text.substr(90));
}

// The validation text is the same for every tokenizer, so that its loss per byte is comparable.
TEST_F(CorpusTest, SplitsTextsOfAllTokenizersAtTheSameCharacter) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "Ein Käse, zwei Käse; ";
    RunSpec spec = file(text);
    spec.split = Split::ninety_five_five;
    const auto characters = open_corpus(spec);
    const auto text_of = [](const Corpus& corpus, const std::vector<std::int32_t>& tokens) {
        return corpus.vocabulary.decode(tokens);
    };
    for (const Tokenizer tokenizer : {Tokenizer::bpe, Tokenizer::unigram, Tokenizer::words}) {
        spec.tokenizer = tokenizer;
        spec.vocabulary_size = 300;
        const auto corpus = open_corpus(spec);
        EXPECT_LE(corpus->vocabulary.size(), 300);
        EXPECT_LT(corpus->validation.size(), characters->validation.size());
        EXPECT_EQ(text_of(*corpus, corpus->training), text_of(*characters, characters->training));
        EXPECT_EQ(text_of(*corpus, corpus->validation), text_of(*characters, characters->validation));
        EXPECT_EQ(text_of(*corpus, corpus->test), text_of(*characters, characters->test));
        EXPECT_EQ(corpus->validation_bytes, characters->validation_bytes);
        EXPECT_DOUBLE_EQ(corpus->bytes_per_token() * static_cast<double>(corpus->validation.size()),
                         static_cast<double>(text_of(*corpus, corpus->validation).size()));
    }
    EXPECT_GT(characters->bytes_per_token(), 1);
    spec.data = scratch_.path().string();
    EXPECT_THROW(open_corpus(spec), BadInput);  // a folder is read as bytes
}

TEST_F(CorpusTest, UsesCharactersOrBytesAsSetOrDetected) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "né";
    RunSpec characters = file(text);
    EXPECT_EQ(open_corpus(characters)->vocabulary.size(), 2);
    EXPECT_EQ(open_corpus(characters)->training.size(), 180u);
    characters.tokenizer = Tokenizer::bytes;
    EXPECT_EQ(open_corpus(characters)->vocabulary.size(), 3);
    EXPECT_EQ(open_corpus(characters)->training.size(), 270u);

    RunSpec damaged = file(text + "\xFF" + text);
    EXPECT_TRUE(open_corpus(damaged)->vocabulary.bytes());
    damaged.tokenizer = Tokenizer::characters;
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(damaged), BadInput),
                AllOf(HasSubstr("byte offset 300"), HasSubstr("tokenizer = bytes")));
}

TEST_F(CorpusTest, RejectsATextShorterThanTheContext) {
    const std::string text(100, 'x');
    EXPECT_NO_THROW(open_corpus(file(text, 9)));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(file(text, 10)), BadInput),
                AllOf(HasSubstr("validation part"), HasSubstr("10 characters"), HasSubstr("context = 10"),
                      HasSubstr("at least 11"), HasSubstr("at most 9")));
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(file("x", 1)), BadInput), HasSubstr("training part"));
    // The message suggests no shorter context, because the shortest possible context is 2.
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(file(std::string(20, 'x'), 2)), BadInput),
                AllOf(HasSubstr("validation part"), EndsWith("use a longer text.")));
    RunSpec three = file(text, 5);
    three.split = Split::ninety_five_five;
    EXPECT_THAT(ROPELAB_SENTENCE_OF(open_corpus(three), BadInput), HasSubstr("5 characters"));
}

TEST_F(CorpusTest, CachesAFileUntilItChanges) {
    const RunSpec first = file(std::string(1000, 'x'));
    const auto corpus = open_corpus(first);
    RunSpec other = first;
    other.theta = 500;
    other.seed = 9;
    EXPECT_EQ(open_corpus(other), corpus);
    other.tokenizer = Tokenizer::bytes;
    EXPECT_NE(open_corpus(other), corpus);
    scratch_.write("text.txt", std::string(1001, 'y'));
    EXPECT_NE(open_corpus(first), corpus);
    EXPECT_EQ(open_corpus(first)->vocabulary.bytes_of(0), "y");
}

TEST_F(CorpusTest, CachesTheMostRecentCorpora) {
    const auto spec_with = [&](char character) {
        const std::string name = std::string("of-") + character + ".txt";
        return spec(scratch_.write(name, std::string(1000, character)).string(), 9);
    };
    const RunSpec first = spec_with('a');
    const std::weak_ptr<const Corpus> cached = open_corpus(first);
    std::weak_ptr<const Corpus> second = open_corpus(spec_with('b'));
    for (const char character : {'c', 'd'}) open_corpus(spec_with(character));
    EXPECT_EQ(open_corpus(first), cached.lock());
    open_corpus(spec_with('e'));
    EXPECT_FALSE(cached.expired());
    EXPECT_TRUE(second.expired());
}

TEST_F(CorpusTest, CanBeOpenedFromSeveralThreads) {
    const RunSpec run = file(std::string(50'000, 'x') + "y");
    std::vector<std::shared_ptr<const Corpus>> opened(8);
    std::vector<std::thread> threads;
    for (auto& corpus : opened) threads.emplace_back([&corpus, &run] { corpus = open_corpus(run); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& corpus : opened) EXPECT_EQ(corpus->training, opened.front()->training);
}

TEST_F(CorpusTest, SyntheticTextsDependOnSeedAndLanguage) {
    const auto first = open_corpus(spec("synthetic", 128));
    EXPECT_TRUE(first->generated);
    EXPECT_EQ(first->training.size() + first->validation.size(), 400'000u);
    EXPECT_FALSE(first->vocabulary.bytes());
    RunSpec other = spec("synthetic", 128);
    other.data_seed = 2;
    EXPECT_NE(open_corpus(other)->training, first->training);
    const auto local = open_corpus(spec("synthetic-local", 128));
    EXPECT_NE(local->name, first->name);
    EXPECT_NE(local->vocabulary.decode(local->validation), first->vocabulary.decode(first->validation));
    EXPECT_EQ(open_corpus(spec("synthetic", 64)), first);
}

TEST_F(CorpusTest, OnlySyntheticTextsHaveAnEntropyFloor) {
    EXPECT_EQ(entropy_floor_of(file(std::string(100, 'x'))), std::nullopt);
    EXPECT_EQ(entropy_floor_of(spec("synthetic", 64), [] { return true; }), std::nullopt);
    for (const char* name : {"synthetic", "synthetic-local"}) {
        const auto corpus = open_corpus(spec(name, 16));
        const std::optional<EntropyFloor> floor = entropy_floor_of(spec(name, 16));
        ASSERT_TRUE(floor);
        ASSERT_EQ(floor->loss_by_position.size(), 16u);
        const double mean = std::accumulate(floor->loss_by_position.begin(), floor->loss_by_position.end(), 0.0) / 16;
        EXPECT_NEAR(floor->mean, mean, 1e-9);
        EXPECT_GE(floor->mean, floor->entropy_rate);
        EXPECT_LT(floor->mean, std::log(corpus->vocabulary.size()));
    }
}

TEST_F(CorpusTest, SharedTextsHaveTheExpectedVocabularies) {
    const auto shakespeare = shared_text("tinyshakespeare.txt");
    if (shakespeare.empty()) GTEST_SKIP() << "The shared test data are not installed.";
    const auto folder = shakespeare.parent_path();
    const auto tiny = open_corpus(spec("tinyshakespeare", 64), folder);
    EXPECT_EQ(tiny->name, "Tiny Shakespeare");
    EXPECT_EQ(tiny->vocabulary.size(), 65);
    EXPECT_EQ(tiny->training.size(), 1'003'854u);
    EXPECT_EQ(tiny->validation.size(), 111'540u);

    const auto enwik8 = open_corpus(spec("enwik8", 64), folder);
    EXPECT_EQ(enwik8->name, "first 4,154,399 bytes of enwik8");
    EXPECT_TRUE(enwik8->vocabulary.bytes());
    EXPECT_EQ(enwik8->vocabulary.size(), 200);

    const auto text8 = open_corpus(spec("text8", 64), folder);
    EXPECT_EQ(text8->name, "first 6,877,825 bytes of text8");
    EXPECT_FALSE(text8->vocabulary.bytes());
    EXPECT_EQ(text8->vocabulary.size(), 27);

    const auto book = open_corpus(spec((folder / "canterbury_alice29.txt").string(), 64));
    EXPECT_EQ(book->name, "canterbury_alice29.txt");
    EXPECT_EQ(book->training.size() + book->validation.size(), 152'089u) << "line ends are unchanged";
}

}  // namespace
}  // namespace ropelab
