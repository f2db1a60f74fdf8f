#include "core/settings/choices.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/settings/keys.h"

namespace ropelab {
namespace {

// Rows in the order of the enumeration, each with a word of its own that the setting accepts.
template <typename Rows>
void expect_rows(const Rows& rows, const char* setting) {
    int expected = 0;
    for (const auto& row : rows) {
        EXPECT_EQ(static_cast<int>(row.choice.value), expected++) << setting << " " << row.choice.word;
        if (row.choice.word.empty()) continue;
        RunSpec spec;
        key(setting).set(spec, Value(std::string(row.choice.word)));
        EXPECT_EQ(to_text(key(setting).get(spec)), row.choice.word);
    }
}

TEST(Choices, EveryValueHasARow) {
    expect_rows(position_encodings(), "position");
    expect_rows(norms(), "norm");
    expect_rows(tokenizers(), "tokenizer");
    expect_rows(activations(), "feed_forward");
    for (const ActivationRow& row : activations()) {
        if (row.choice.value == FeedForward::automatic) continue;
        EXPECT_EQ(activation_of(row.choice.value).kind, row.choice.value);
        EXPECT_EQ(activation_of(row.choice.value).name, row.choice.title);
        EXPECT_FALSE(row.choice.title.empty());
    }
    EXPECT_EQ(encoding_of(Position::kerple).choice.word, "kerple");
    EXPECT_EQ(activation_of(FeedForward::mish).name, "Mish");
}

TEST(Choices, WordsAndTitlesOfASettingAreDistinct) {
    for (const Key& entry : keys()) {
        std::set<std::string_view> words;
        std::set<std::string_view> titles;
        std::set<std::string_view> meanings;
        for (const auto& [word, title, meaning] : entry.choices) {
            EXPECT_FALSE(word.empty()) << entry.name;
            EXPECT_TRUE(words.insert(word).second) << entry.name << " " << word;
            EXPECT_TRUE(titles.insert(title.empty() ? word : title).second) << entry.name << " " << title;
            EXPECT_TRUE(meaning.empty() || meanings.insert(meaning).second) << entry.name << " " << word;
        }
    }
    for (const char* setting : {"position", "norm", "feed_forward"}) {
        for (const auto& [word, title, meaning] : key(setting).choices) EXPECT_FALSE(meaning.empty()) << word;
    }
}

TEST(Choices, HelpNamesEveryWord) {
    for (const char* setting : {"position", "norm", "feed_forward"}) {
        for (const auto& [word, title, meaning] : key(setting).choices) {
            // Those without an encoding or activation of their own explain themselves.
            const std::set<std::string_view> plain = {"none", "learned+rope", "relu", "swish"};
            if (plain.contains(word)) continue;
            EXPECT_NE(key(setting).meaning.find(word), std::string::npos) << setting << " " << word;
        }
    }
    EXPECT_EQ(key("tokenizer").meaning,
              "Tokenizer: characters and bytes (auto: characters if the file is valid UTF-8, except for enwik8 and "
              "folders); bpe and unigram (subwords that SentencePiece finds in the training split); words (its most "
              "frequent words); or a file: a tokenizer.json, a SentencePiece .model, or a file of tiktoken.");
    EXPECT_TRUE(
        key("position")
            .meaning.starts_with(
                "Position encoding. rope rotates queries and keys; learned and sinusoidal add position embeddings; "));
    EXPECT_TRUE(key("feed_forward")
                    .meaning.ends_with("glu, bilinear, reglu, geglu, swiglu and geglu-tanh multiply two projections."));
}

TEST(Choices, PropertiesOfPositionEncodings) {
    const auto words = [](bool (PositionTraits::*has)() const) {
        return words_with(position_encodings(), has, " or ");
    };
    EXPECT_EQ(words(&PositionTraits::rotates), "rope, learned+rope, xpos, rope+bias or fope");
    EXPECT_EQ(words(&PositionTraits::learns_positions), "learned or learned+rope");
    EXPECT_EQ(words(&PositionTraits::is_relative),
              "rope, alibi, shaw, t5, transformer-xl, xpos, cope, rope+bias or kerple");
    EXPECT_EQ(words(&PositionTraits::has_plain_scores), "none, learned, rope, learned+rope or sinusoidal");
    EXPECT_EQ(words(&PositionTraits::is_learned),
              "learned, learned+rope, shaw, t5, transformer-xl, cope, rope+bias or kerple");
    EXPECT_EQ(words_with(tokenizers(), &TokenizerFacts::is_trained, " and "), "bpe, unigram and words");

    const std::map<Position, Position> rotated = {{Position::rope, Position::none},
                                                  {Position::xpos, Position::none},
                                                  {Position::fope, Position::none},
                                                  {Position::learned_rope, Position::learned},
                                                  {Position::rope_bias, Position::t5}};
    for (const PositionEncoding& encoding : position_encodings()) {
        const Position position = encoding.choice.value;
        const auto other = rotated.find(position);
        EXPECT_EQ(without_rotation(position), other == rotated.end() ? position : other->second);
    }
}

TEST(Choices, SettingsOfAnEncodingHaveAnEffectWithItOnly) {
    std::set<std::string_view> own;
    for (const PositionEncoding& encoding : position_encodings()) {
        RunSpec spec;
        spec.position = encoding.choice.value;
        for (const auto& setting : encoding.settings) {
            EXPECT_TRUE(key(setting.key).matters(spec)) << encoding.choice.word << " " << setting.key;
            own.insert(setting.key);
        }
    }
    EXPECT_EQ(own.size(), 7U);
    for (const std::string_view name : own) EXPECT_FALSE(key(name).matters(RunSpec{})) << name;
}

}  // namespace
}  // namespace ropelab
