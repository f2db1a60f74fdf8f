#include "core/data/tokenizer/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "tests/core/data/scratch.h"
#include "tests/support/expect_message.h"
#include "tests/support/shared_data.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Text in several scripts, whose words repeat so that subwords can be found.
std::string sample_text() {
    std::string text;
    for (int i = 0; i < 60; ++i) {
        text += "The cat sat on the mat, and the other cats sat there too.\n";
        text += "Él niño comió  über\tstraße; 日本語の文 — it's 42 %.\r\n\n";
    }
    return text;
}

std::string joined(const Subwords& subwords, const std::vector<std::int32_t>& tokens) {
    std::string text;
    for (const std::int32_t token : tokens) text += subwords.tokens().at(static_cast<std::size_t>(token));
    return text;
}

std::string random_bytes(unsigned seed, std::size_t count) {
    std::mt19937 random(seed);
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(random() & 0xFF);
    return bytes;
}

class SubwordsTest : public testing::Test {
 protected:
    ScratchFolder scratch_;
    Environment cache_{"XDG_CACHE_HOME", scratch_.path().c_str()};
};

TEST_F(SubwordsTest, TrainedTokenizersRestoreEveryText) {
    const std::vector<std::string> texts = {
        sample_text(),
        "",
        " ",
        "\n\n \t  \n",
        "an emoji 😀👩‍👩‍👧 and a flag 🇩🇪",
        "the marks \xE2\x96\x81 and \xE2\x96\x85 of SentencePiece, <0x41>, <unk>, <s>",
        std::string("zero\0byte", 9),
        "half a character \xF0\x9F\x98",
        random_bytes(1, 3000),
        std::string(10000, 'a') + std::string(9000, ' ') + "end"};
    for (const Tokenizer kind : {Tokenizer::bpe, Tokenizer::unigram, Tokenizer::words}) {
        const auto subwords = trained_subwords(kind, 400, sample_text());
        for (const std::string& text : texts) {
            EXPECT_EQ(joined(*subwords, subwords->encode(text)), text) << static_cast<int>(kind);
        }
    }
}

TEST_F(SubwordsTest, TrainedTokenizersHaveAtMostTheSizeAndShortenTheText) {
    const std::string text = sample_text();
    for (const Tokenizer kind : {Tokenizer::bpe, Tokenizer::unigram, Tokenizer::words}) {
        const auto subwords = trained_subwords(kind, 400, text);
        EXPECT_LE(subwords->tokens().size(), 400U);
        EXPECT_GT(subwords->tokens().size(), 257U);
        EXPECT_LT(subwords->encode(text).size(), text.size() * 2 / 3);
        // A short text has few subwords.
        EXPECT_LT(trained_subwords(kind, 400, "ab ab ab")->tokens().size(), 300U);
    }
    EXPECT_EQ(trained_subwords(Tokenizer::bpe, 320, text)->tokens().size(), 320U);
}

TEST_F(SubwordsTest, TrainingIsDeterministicAndCached) {
    for (const Tokenizer kind : {Tokenizer::bpe, Tokenizer::unigram}) {
        const std::string first = trained_subwords(kind, 350, sample_text())->to_text();
        std::filesystem::remove_all(scratch_.path() / "ropelab" / "tokenizers");
        EXPECT_EQ(trained_subwords(kind, 350, sample_text())->to_text(), first);
        EXPECT_NE(trained_subwords(kind, 300, sample_text())->to_text(), first);
    }
    // The cache has one file per tokenizer. Another model in its place is used, so that it is not trained again.
    const auto folder = scratch_.path() / "ropelab" / "tokenizers";
    std::filesystem::remove_all(folder);
    const std::string bpe = trained_subwords(Tokenizer::bpe, 350, sample_text())->to_text();
    const auto file = std::filesystem::directory_iterator(folder)->path();
    trained_subwords(Tokenizer::unigram, 350, sample_text());
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path() != file) {
            std::filesystem::copy_file(entry.path(), file, std::filesystem::copy_options::overwrite_existing);
        }
    }
    EXPECT_NE(trained_subwords(Tokenizer::bpe, 350, sample_text())->to_text(), bpe);
}

TEST_F(SubwordsTest, StoredFormsAreReadAgain) {
    for (const Tokenizer kind : {Tokenizer::bpe, Tokenizer::unigram, Tokenizer::words}) {
        const auto subwords = trained_subwords(kind, 350, sample_text());
        const std::string stored = subwords->to_text();
        EXPECT_TRUE(is_subwords_text(stored));
        const Vocabulary read = Vocabulary::from_text(stored);
        EXPECT_EQ(read.to_text(), stored);
        EXPECT_TRUE(read.subwords());
        EXPECT_EQ(read.size(), std::ssize(subwords->tokens()));
        EXPECT_EQ(read.encode(sample_text()), subwords->encode(sample_text()));
        EXPECT_EQ(read.bytes_of(260), subwords->tokens()[260]);
        EXPECT_FALSE(read.fixed_bytes_per_token());
    }
    for (const char* text :
         {"sentencepiece:", "sentencepiece:????", "words:", "words:[1]", "byte-level-bpe:{}", "sentencepiece:AAAA"}) {
        EXPECT_THROW(Vocabulary::from_text(text), BadInput) << text;
    }
    // A token without a score is none that Unigram finds.
    EXPECT_EQ(Vocabulary::from_text(R"(byte-level-bpe:{"tokens":["a","b"],"merges":[],"added":[],"whole_words":false,)"
                                    R"("byte_level":false,"scores":[-1.0],"pieces":"whole"})")
                  .encode("ab"),
              std::vector<std::int32_t>{0});
}

TEST_F(SubwordsTest, WordsAreTheMostFrequentOnes) {
    const auto words = trained_subwords(Tokenizer::words, 258, "one two two three three three é é é é, 12");
    ASSERT_EQ(words->tokens().size(), 258U);
    EXPECT_EQ(words->tokens()[256], "é");
    EXPECT_EQ(words->tokens()[257], "three");
    EXPECT_THAT(words->encode("three, two"), ElementsAre(257, ',', ' ', 't', 'w', 'o'));
}

// SentencePiece ends the program at words of more than 2^15 characters.
TEST_F(SubwordsTest, AWordMayBeLongerThanSentencePieceAllows) {
    std::string text = sample_text() + "e";
    for (int i = 0; i < 100'000; ++i) text += "\u0301";
    EXPECT_FALSE(train_sentencepiece(Tokenizer::bpe, 300, text).empty());
}

TEST_F(SubwordsTest, TextWithoutCharactersCannotTrainSubwords) {
    EXPECT_MESSAGE(trained_subwords(Tokenizer::bpe, 400, "\xFF\xFE\n"), BadInput, "tokenizer = bytes");
}

TEST(TextPieces, SplitAsTheExpressionOfGpt2) {
    EXPECT_THAT(gpt2_pieces("Hello  world's  12,3!!\n\n x'll"),
                ElementsAre("Hello", " ", " world", "'s", " ", " 12", ",", "3", "!!", "\n\n", " x", "'ll"));
    EXPECT_THAT(gpt2_pieces("  "), ElementsAre("  "));
    EXPECT_THAT(gpt2_pieces(" 's été½²日本"), ElementsAre(" '", "s", " été", "½²", "日本"));
    EXPECT_THAT(gpt2_pieces("a\tb"), ElementsAre("a", "\t", "b"));
    EXPECT_THAT(gpt2_pieces("\xFF\xFE z"), ElementsAre("\xFF\xFE", " z"));
    EXPECT_TRUE(gpt2_pieces("").empty());
}

TEST(TextPieces, SplitIntoWordsAndSingleCharacters) {
    EXPECT_THAT(word_pieces("It's  2nd—été.\n"), ElementsAre("It", "'", "s", " ", " ", "2nd", "—", "été", ".", "\n"));
}

// A tokenizer.json with all bytes as tokens 0 to 255 in their order and the merges below.
nlohmann::json byte_level_json() {
    nlohmann::json vocabulary = nlohmann::json::object();
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        const int code = visible ? byte : next++;
        std::string character;
        if (code < 0x80) {
            character += static_cast<char>(code);
        } else {
            character += static_cast<char>(0xC0 | (code >> 6));
            character += static_cast<char>(0x80 | (code & 0x3F));
        }
        vocabulary[character] = byte;
    }
    int id = 256;
    for (const char* token : {"lo", "low", "er", "Ġlow", "ne"}) vocabulary[token] = id++;
    return {{"version", "1.0"},
            {"added_tokens", {{{"id", 261}, {"content", "<|end|>"}, {"special", true}, {"lstrip", false}}}},
            {"normalizer", nullptr},
            {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
            {"model",
             {{"type", "BPE"},
              {"dropout", nullptr},
              {"vocab", vocabulary},
              {"merges", {"l o", "lo w", "e r", "Ġ low", "n e"}}}}};
}

class TokenizerFileTest : public testing::Test {
 protected:
    std::shared_ptr<const Subwords> read(const nlohmann::json& json) const {
        return subwords_of_file(scratch_.write("tokenizer.json", json.dump()));
    }

    ScratchFolder scratch_;
};

// The pieces are "lower", " lower", " newlow", "ll" and "loooo", whose merges follow from the table by hand.
TEST_F(TokenizerFileTest, MergesAsTheTableOfATokenizerJson) {
    const auto subwords = read(byte_level_json());
    EXPECT_EQ(subwords->tokens().size(), 262U);
    EXPECT_THAT(subwords->encode("lower lower"), ElementsAre(257, 258, 259, 258));
    // "Ġ low" cannot be merged here, because "n" is between them; "ne" comes after "low" in the table.
    EXPECT_THAT(subwords->encode(" newlow"), ElementsAre(' ', 260, 'w', 257));
    EXPECT_THAT(subwords->encode("loooo"), ElementsAre(256, 'o', 'o', 'o'));
    EXPECT_THAT(subwords->encode("a<|end|>\n"), ElementsAre('a', 261, '\n'));
    for (const std::string& text : {sample_text(), random_bytes(2, 3000), std::string("\0\xFF 😀", 7)}) {
        EXPECT_EQ(joined(*subwords, subwords->encode(text)), text);
    }
    const std::string stored = subwords->to_text();
    EXPECT_EQ(Vocabulary::from_text(stored).to_text(), stored);
    EXPECT_EQ(Vocabulary::from_text(stored).encode("lower <|end|>"), subwords->encode("lower <|end|>"));
}

// Loss per byte was divided by bytes that have no token and therefore no loss.
TEST_F(TokenizerFileTest, CountsTheBytesWithoutAToken) {
    nlohmann::json json = byte_level_json();
    const auto lost = [&](const nlohmann::json& tokenizer, const std::string& text) {
        const Vocabulary vocabulary = Vocabulary::of_subwords(read(tokenizer));
        return bytes_without_token(vocabulary, text, vocabulary.encode(text));
    };
    EXPECT_EQ(lost(json, sample_text()), 0);
    json["normalizer"] = {{"type", "NFC"}};
    EXPECT_EQ(lost(json, "e\u0301 a\u0301"), 0) << "other bytes stand for them";
    json["normalizer"] = nullptr;
    for (const char* byte : {"z", "Ã", "Ċ"}) json["model"]["vocab"].erase(byte);  // z, the byte 0xC3 and a line end
    EXPECT_THAT(read(json)->encode("lowz é"), ElementsAre(257, ' ', 0xA9));
    EXPECT_EQ(lost(json, "lowz é\n"), 3);
    EXPECT_EQ(lost(json, "low \xC3\xC3z lower"), 3) << "no UTF-8";
    EXPECT_EQ(lost(json, "low lower"), 0);
    json["pre_tokenizer"]["add_prefix_space"] = true;
    EXPECT_EQ(lost(json, "lowz é\n"), 3) << "with a space before the text";
    json["pre_tokenizer"]["add_prefix_space"] = false;
    json["model"]["vocab"].erase("a");
    EXPECT_EQ(lost(json, "az low a"), 3);
    EXPECT_EQ(left_out_words(1), "The vocabulary has no token for 1 byte of the text, which is left out.");
    EXPECT_EQ(left_out_words(0), "");
    // A run's bits per byte.
    json = byte_level_json();
    json["model"]["vocab"].erase("z");
    RunSpec spec;
    spec.tokenizer = Tokenizer::file;
    spec.tokenizer_file = scratch_.write("z.json", json.dump()).string();
    spec.context = 4;
    std::string text;
    for (int i = 0; i < 100; ++i) text += "ab z";
    spec.data = scratch_.write("z.txt", text).string();
    const auto corpus = open_corpus(spec);
    EXPECT_EQ(corpus->validation.size(), 30U);
    EXPECT_EQ(corpus->validation_bytes, 30);
}

TEST_F(TokenizerFileTest, PairsAsMergesAndWholeWords) {
    nlohmann::json json = byte_level_json();
    json["model"]["merges"] =
        nlohmann::json::array({nlohmann::json::array({"n", "e"}), nlohmann::json::array({"l", "o"})});
    EXPECT_THAT(read(json)->encode("low"), ElementsAre(256, 'w'));
    json["model"]["ignore_merges"] = true;
    EXPECT_THAT(read(json)->encode("low"), ElementsAre(257));
}

TEST_F(TokenizerFileTest, RefusesOtherTokenizers) {
    const auto refused = [&](const char* pointer, const nlohmann::json& value) {
        nlohmann::json json = byte_level_json();
        json[nlohmann::json::json_pointer(pointer)] = value;
        return ROPELAB_SENTENCE_OF(read(json), BadInput);
    };
    EXPECT_THAT(refused("/model/type", "WordPiece"), HasSubstr("only BPE and Unigram"));
    EXPECT_THAT(refused("/pre_tokenizer/type", "BertPreTokenizer"), HasSubstr("\"BertPreTokenizer\", which is not"));
    EXPECT_THAT(
        refused("/pre_tokenizer", {{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "(a"}}}}),
        HasSubstr("U_REGEX_MISMATCHED_PAREN): (a"));
    EXPECT_THAT(
        refused("/pre_tokenizer", {{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "\\Kx"}}}}),
        HasSubstr("it has \\K"));
    EXPECT_THAT(refused("/normalizer", {{"type", "Precompiled"}}), HasSubstr("\"Precompiled\", which is not"));
    EXPECT_THAT(refused("/model/dropout", 0.1), HasSubstr("dropout"));
    EXPECT_THAT(refused("/model/merges", {"x yz"}), HasSubstr("must also be in the vocabulary of the tokenizer"));
    EXPECT_THAT(refused("/model/vocab/日", 300), HasSubstr("alphabet"));
    EXPECT_THAT(refused("/model/vocab/lo", 257), HasSubstr("have the same id, 257"));
    EXPECT_THAT(refused("/added_tokens/0/id", 256), HasSubstr("have the same id, 256"));
    // An added token is spelled as it is, so that "Ġlow" is not " low".
    EXPECT_THAT(refused("/added_tokens/0", {{"id", 259}, {"content", "Ġlow"}}), HasSubstr("has other bytes"));
    EXPECT_THAT(refused("/model/vocab", 3), HasSubstr("tokenizer.json"));
    EXPECT_MESSAGE(subwords_of_file(scratch_.write("a.json", "{")), BadInput, "tokenizer.json");
    EXPECT_MESSAGE(subwords_of_file(scratch_.write("a.model", "text")), BadInput, "SentencePiece model");
    EXPECT_MESSAGE(subwords_of_file(scratch_.path() / "none.json"), BadInput, "cannot be read");
    EXPECT_MESSAGE(subwords_of_file(scratch_.path()), BadInput, "cannot be read");
    const std::filesystem::path large = scratch_.write("large.json", "{}");
    std::filesystem::resize_file(large, (std::uintmax_t{256} << 20) + 1);
    EXPECT_MESSAGE(subwords_of_file(large), BadInput, "at most 256 MiB");

    nlohmann::json few = byte_level_json();
    few["model"]["vocab"] = {{"a", 0}, {"b", 1}};
    few["model"]["merges"] = nlohmann::json::array();
    few["added_tokens"] = nlohmann::json::array();
    EXPECT_THAT(read(few)->encode("abc"), ElementsAre(0, 1)) << "as the library";
}

// Merges cross what GPT-2's expression would separate only if the whole text is one piece.
TEST_F(TokenizerFileTest, PiecesOfSingleDigitsAndWholeTexts) {
    nlohmann::json json = byte_level_json();
    json["model"]["vocab"]["12"] = 262;
    json["model"]["vocab"]["o1"] = 263;
    json["model"]["merges"].push_back("1 2");
    json["model"]["merges"].push_back("o 1");
    EXPECT_THAT(read(json)->encode("o12"), ElementsAre('o', 262));
    nlohmann::json digits = json;
    digits["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers", {{{"type", "Digits"}, {"individual_digits", true}}, {{"type", "ByteLevel"}}}}};
    const auto single = read(digits);
    EXPECT_THAT(single->encode("lower 12 \u00bd1"), ElementsAre(257, 258, ' ', '1', '2', ' ', 0xC2, 0xBD, '1'));
    EXPECT_EQ(Vocabulary::from_text(single->to_text()).encode("o12"), single->encode("o12"));
    json["pre_tokenizer"]["use_regex"] = false;
    json["model"]["merges"] = {"o 1", "1 2"};
    const auto whole = read(json);
    EXPECT_THAT(whole->encode("o12"), ElementsAre(263, '2'));
    EXPECT_TRUE(whole->encode("").empty());
    EXPECT_EQ(Vocabulary::from_text(whole->to_text()).encode("o12"), whole->encode("o12"));
}

// As SentencePiece 0.2.3 counts them when it is given the lines.
TEST(TokenizerFiles, SentencePieceWithoutLineEndsGoesLineByLine) {
    SKIP_WITHOUT_SHARED_DATA("../wild/round4/own_text.txt");
    const auto subwords =
        subwords_of_file(shared_data("../wild/round4/spm_unigram_no_bytes.model"), Normalization::left_out);
    const std::string text = read_file(shared_data("../wild/round4/own_text.txt"));
    const std::vector<std::int32_t> tokens = subwords->encode(text);
    EXPECT_TRUE(subwords->by_line());
    EXPECT_EQ(tokens.size(), 5223U);
    std::string lines = " " + text;
    std::ranges::replace(lines, '\n', ' ');
    EXPECT_EQ(joined(*subwords, tokens) + " ", lines);
    EXPECT_EQ(subwords->encode("paper\n\n\npaper"), subwords->encode("paper\npaper"));

    RunSpec spec;  // the splits end with lines
    spec.data = shared_data("../wild/round4/own_text.txt");
    spec.tokenizer = Tokenizer::file;
    spec.tokenizer_file = shared_data("../wild/round4/spm_unigram_no_bytes.model");
    const auto corpus = open_corpus(spec);
    EXPECT_EQ(corpus->training.size() + corpus->validation.size(), 5223U);
    EXPECT_EQ(corpus->validation_bytes, std::ssize(joined(*subwords, corpus->validation)));
}

TEST_F(TokenizerFileTest, ADropoutOfZeroIsNone) {
    nlohmann::json json = byte_level_json();
    json["model"]["dropout"] = 0.0;
    EXPECT_THAT(read(json)->encode("lo"), ElementsAre(256));
}

TEST_F(TokenizerFileTest, TextsOfANormalizerHaveItsForm) {
    nlohmann::json json = byte_level_json();
    json["normalizer"] = {{"type", "NFC"}};
    const auto subwords = read(json);
    const std::string composed = "low \u00e9\n\xff\n";
    EXPECT_EQ(joined(*subwords, subwords->encode(composed)), composed);
    EXPECT_EQ(joined(*subwords, subwords->encode("cafe\u0301\xff")), "caf\u00e9\xff");
    EXPECT_EQ(Vocabulary::from_text(subwords->to_text()).encode("e\u0301"), subwords->encode("\u00e9"));
    EXPECT_EQ(joined(*read(byte_level_json()), read(byte_level_json())->encode("e\u0301")), "e\u0301");
}

// Hugging Face tokenizers finds added tokens in two passes.
TEST_F(TokenizerFileTest, AddedTokensThatAreNormalizedComeLater) {
    nlohmann::json json = byte_level_json();
    json["added_tokens"] = {{{"id", 261}, {"content", "ab"}, {"normalized", false}},
                            {{"id", 262}, {"content", "xab"}, {"normalized", true}},
                            {{"id", 263}, {"content", "xx"}, {"normalized", true}}};
    const auto subwords = read(json);
    EXPECT_THAT(subwords->encode("xab xxab"), ElementsAre('x', 261, ' ', 263, 261));
    EXPECT_EQ(Vocabulary::from_text(subwords->to_text()).encode("xab xxab"), subwords->encode("xab xxab"));
    json["added_tokens"][0]["normalized"] = true;  // the longest one, in a single pass
    EXPECT_THAT(read(json)->encode("xab xxab"), ElementsAre(262, ' ', 263, 261));
}

// The pre-tokenizers of DeepSeek-V3 and of o200k as tokenizer.json have them. Token 256 + 256·i + b is the i-th of the
// characters from the space to "~" before byte b, so that the ids show where pieces end; they are those of Hugging Face
// tokenizers 0.23.3.
TEST_F(TokenizerFileTest, SplitsAsDeepSeekAndO200kDo) {
    nlohmann::json json = byte_level_json();
    json["added_tokens"] = nlohmann::json::array();
    nlohmann::json& vocabulary = json["model"]["vocab"];
    std::vector<std::string> spelled(256);
    for (const auto& [token, id] : vocabulary.items()) {
        if (id < 256) spelled[id.get<std::size_t>()] = token;
    }
    for (const char* token : {"lo", "low", "er", "Ġlow", "ne"}) vocabulary.erase(token);
    nlohmann::json merges = nlohmann::json::array();
    for (std::size_t first = 32; first < 127; ++first) {
        for (std::size_t second = 0; second < 256; ++second) {
            merges.push_back(spelled[first] + " " + spelled[second]);
            vocabulary[spelled[first] + spelled[second]] = 256 + 256 * (first - 32) + second;
        }
    }
    json["model"]["merges"] = merges;
    const auto read_with = [&](const std::vector<std::string>& expressions) {
        nlohmann::json steps = nlohmann::json::array();
        for (const std::string& expression : expressions)
            steps.push_back(
                {{"type", "Split"}, {"pattern", {{"Regex", expression}}}, {"behavior", "Isolated"}, {"invert", false}});
        steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}});
        json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", steps}};
        return read(json);
    };
    const auto deepseek =
        read_with({R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
                   "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| "
                   "?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"});
    const auto o200k = read_with(
        {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
         R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
         R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"});
    using Ids = std::vector<std::int32_t>;
    for (const auto& each : {deepseek, o200k}) {
        EXPECT_EQ(each->encode("12345 2024"), (Ids{4658, 51, 5429, 32, 50, 4402, 52}));
        EXPECT_EQ(each->encode("naïve é ($5)/"), (Ids{110, 17091, 175, 22373, 451, 169, 296, 36, 53, 2607}));
    }
    EXPECT_EQ(deepseek->encode("it's DON'T AbC"), (Ids{19060, 2163, 324, 12366, 2132, 321, 17219}));
    EXPECT_EQ(o200k->encode("it's DON'T AbC"), (Ids{19060, 2163, 324, 12366, 2132, 321, 98, 67}));
    EXPECT_EQ(deepseek->encode("x中a"), (Ids{120, 228, 184, 173, 97}));
    EXPECT_EQ(o200k->encode("x中a"), (Ids{23012, 184, 173, 97}));
}

// Each of the small tokenizers gives the ids of its library (Hugging Face tokenizers, SentencePiece, tiktoken), in its
// stored form too, or is refused by name.
TEST(TokenizerFiles, GiveTheIdsOfTheirLibraries) {
    SKIP_WITHOUT_SHARED_DATA("../tok/strings.json");
    const std::filesystem::path folder = shared_data("../tok");
    const std::map<std::string, std::string> refused = {{"bpe_suffix", "end_of_word_suffix"},
                                                        {"gpt2_bertnorm", "BertNormalizer"},
                                                        {"wordlevel", "WordLevel"},
                                                        {"wordpiece_bert", "WordPiece"}};
    std::size_t compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.is_directory()) continue;
        const std::string name = entry.path().filename().string();
        SCOPED_TRACE(name);
        std::filesystem::path file;
        for (const auto& each : std::filesystem::directory_iterator(entry.path())) {
            if (each.path().filename() != "expected.json") file = each.path();
        }
        if (const auto found = refused.find(name); found != refused.end()) {
            EXPECT_MESSAGE(subwords_of_file(file), BadInput, found->second);
            continue;
        }
        const std::string list = name.starts_with("probe") ? "probe_strings.json" : "strings.json";
        const auto strings = read_json_file(folder / list).get<std::vector<std::string>>();
        const auto expected =
            read_json_file(entry.path() / "expected.json").at("ids").get<std::vector<std::vector<std::int32_t>>>();
        ASSERT_EQ(expected.size(), strings.size());
        const auto subwords = subwords_of_file(file);
        const auto stored = subwords_from_text(subwords->to_text());
        std::size_t equal = 0;
        for (std::size_t i = 0; i < strings.size(); ++i) {
            equal += subwords->encode(strings[i]) == expected[i] && stored->encode(strings[i]) == expected[i] ? 1 : 0;
        }
        // SentencePiece up to 0.2.1 and from 0.2.2 on choose different ones of equally good paths of Unigram.
        const bool has_ties = name == "sp_uni_bytes_noprefix" || name == "sp_uni_nmt_nfkc" || name == "sp_uni_user";
        EXPECT_GE(equal, strings.size() - (has_ties ? 2 : 0));
        ++compared;
    }
    EXPECT_GE(compared, 60U);
}

// Harmless models, each of which SentencePiece must not get: the library would trust them.
TEST_F(SubwordsTest, RefusesModelsThatSentencePieceWouldTrust) {
    const auto field = [](int number, const std::string& bytes) {
        const auto byte = [](std::size_t value) { return std::string(1, static_cast<char>(value)); };
        const std::string length =
            bytes.size() < 128 ? byte(bytes.size()) : byte(bytes.size() % 128 + 128) + byte(bytes.size() / 128);
        return byte(static_cast<std::size_t>(number * 8 + 2)) + length + bytes;
    };
    const auto piece = [&](const std::string& text, char type, float score = -1) {
        std::string number(sizeof(score), '\0');
        std::memcpy(number.data(), &score, sizeof(score));
        return field(1, field(1, text) + "\x15" + number + "\x18" + type);
    };
    const std::string unknown = piece("<unk>", 2, 0);
    const std::string ab = piece("a", 1) + piece("b", 1, -2);
    const auto read = [&](const std::string& model) {
        return subwords_of_file(scratch_.write("a.model", model), Normalization::left_out);
    };
    EXPECT_EQ(read(unknown + ab)->encode("ba"), (std::vector<std::int32_t>{2, 1}));
    EXPECT_EQ(read(unknown + ab + field(5, field(2, "map")) + field(4, field(1, "a")))->encode("ba").size(), 2U)
        << "self tests and denormalization are left out";
    const auto refused = [&](const std::string& model) { return ROPELAB_SENTENCE_OF(read(model), BadInput); };
    EXPECT_THAT(refused(unknown + piece("", 1)), HasSubstr("its piece 1 is not a text of 1 to 4096 bytes in UTF-8"));
    EXPECT_THAT(refused(unknown + piece(std::string(4097, 'a'), 5)), HasSubstr("is not a text"));
    EXPECT_THAT(refused(unknown + piece("\xff", 1)), HasSubstr("is not a text"));
    EXPECT_THAT(refused(unknown + piece(std::string("a\0b", 3), 1)), HasSubstr("is not a text"));
    EXPECT_THAT(refused(unknown + piece("a", 6)), HasSubstr("its piece 1 has no valid type"));
    EXPECT_THAT(refused(unknown + piece("a", 9)), HasSubstr("has no valid type"));
    EXPECT_THAT(refused(unknown + piece("a", 1, NAN)), HasSubstr("a score that is not finite"));
    EXPECT_THAT(refused(unknown + ab + piece("a", 1)), HasSubstr("its piece 3 occurs twice"));
    EXPECT_THAT(refused(unknown + "\x0a\x7f" + "a"), HasSubstr("it is damaged"));
    EXPECT_THAT(refused(ab), HasSubstr("SentencePiece model that can be read"));
}

TEST(ByteLevelBpe, PiecesOfGpt4) {
    const auto pieces = [](std::string_view text, int digits) { return gpt4_pieces(text, digits); };
    EXPECT_THAT(pieces("It'S 12345 a.b\tc", 3), ElementsAre("It", "'S", " ", "123", "45", " a", ".b", "\tc"));
    EXPECT_THAT(pieces("12 x", 1), ElementsAre("1", "2", " x"));
    EXPECT_THAT(pieces("a  b \n\n  c!\n\n d", 3), ElementsAre("a", " ", " b", " \n\n", " ", " c", "!\n\n", " d"));
    EXPECT_THAT(pieces("  ", 3), ElementsAre("  "));
    EXPECT_THAT(pieces("'\u017Fx \xFFy", 3), ElementsAre("'\u017F", "x", " \xFF", "y"));
}

}  // namespace
}  // namespace ropelab
