#include "core/settings/run_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/settings/activation.h"
#include "core/settings/keys.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

RunSpec with(const std::function<void(RunSpec&)>& change) {
    RunSpec spec;
    change(spec);
    return spec;
}

TEST(RunSpec, DefaultsPassTheCheck) {
    EXPECT_NO_THROW(check(RunSpec{}));
}

TEST(RunSpec, CheckThrowsForValuesThatContradictEachOther) {
    EXPECT_MESSAGE(check(with([](auto& s) { s.heads = 3; })), BadInput, "64 is not a multiple of the 3 heads");
    EXPECT_MESSAGE(check(with([](auto& s) { s.width = 6; })), BadInput, "head dimension is 3");
    EXPECT_MESSAGE(check(with([](auto& s) { s.final_learning_rate = 1; })), BadInput, "final_learning_rate");
    EXPECT_MESSAGE(check(with([](auto& s) { s.context = 0; })), BadInput, "context is 0");
    EXPECT_MESSAGE(check(with([](auto& s) { s.precision = Precision::int8; })), BadInput, "precision");
    EXPECT_MESSAGE(check(with([](auto& s) { s.micro_batch = 3; })), BadInput, "it must divide the batch size");
    EXPECT_MESSAGE(check(with([](auto& s) {
                       s.block = Block::pythia;
                       s.norm_position = NormPosition::post;
                   })),
                   BadInput, "pythia blocks run them in parallel");
    EXPECT_MESSAGE(check(with([](auto& s) { s.deepnorm = true; })), BadInput, "set norm_position to post");
    EXPECT_NO_THROW(check(with([](auto& s) {
        s.deepnorm = true;
        s.norm_position = NormPosition::post;
    })));
    EXPECT_NO_THROW(check(with([](auto& s) {
        s.width = 6;
        s.position = Position::learned;
    })));
}

TEST(RunSpec, CheckThrowsForEncodingsThatCannotBeComputed) {
    EXPECT_MESSAGE(
        check(with([](auto& s) {
            s.position = Position::t5;
            s.largest_distance = 16;
        })),
        BadInput, "largest_distance is 16, but it must be above half the number of distance_buckets, that is above 16");
    EXPECT_NO_THROW(check(with([](auto& s) { s.largest_distance = 16; })));  // without T5's bias
    EXPECT_MESSAGE(check(with([](auto& s) {
                       s.position = Position::xpos;
                       s.xpos_scale_base = 1;
                   })),
                   BadInput, "The context of 128 tokens is too long for xPos with xpos_scale_base = 1");
    EXPECT_MESSAGE(check(with([](auto& s) {
                       s.position = Position::shaw;
                       s.theta_training = ThetaTraining::one;
                   })),
                   BadInput, "does not use RoPE");
}

TEST(RunSpec, ListedFrequenciesAreOnePerRotatedPair) {
    const auto listed = [](const char* text) {
        return with([&](auto& s) {
            s.fraction = 6.0 / 32;
            s.frequencies = text;
        });
    };
    EXPECT_EQ(listed_frequencies(RunSpec{}), std::vector<double>{});
    EXPECT_EQ(listed_frequencies(listed("1,0.5+0.01")), (std::vector{1.0, 0.5, 0.01}));
    EXPECT_EQ(listed_frequencies(listed("1 0.5, 1e-2")), (std::vector{1.0, 0.5, 0.01}));
    EXPECT_NO_THROW(check(listed("1+0.5+0.01")));
    EXPECT_MESSAGE(check(listed("1+0.5")), BadInput,
                   "listed frequencies is 2, but it must equal the number of rotated pairs per head, which is 3");
    EXPECT_MESSAGE(check(listed("fast")), BadInput, "it must be auto or a list of numbers like 1+0.5+0.01");
    EXPECT_MESSAGE(check(listed("1+0.5+-1")), BadInput, "between 0 and 2π");
    EXPECT_MESSAGE(check(listed(",")), BadInput, "it must be auto or a list");
    RunSpec spec = listed("1+0.5+0.01");
    spec.theta_schedule = ThetaSchedule::linear;
    EXPECT_MESSAGE(check(spec), BadInput, "theta can neither be trained nor follow a schedule");
    spec = listed("1+0.5+0.01");
    spec.position = Position::alibi;
    EXPECT_MESSAGE(check(spec), BadInput, "frequencies has no effect");
}

TEST(RunSpec, EachPositionEncodingHasALabelOfItsOwn) {
    std::map<std::string, std::string_view> words;
    for (const PositionEncoding& encoding : position_encodings()) {
        RunSpec spec;
        spec.position = encoding.choice.value;
        const std::string_view word = encoding.choice.word;
        const auto [other, is_new] = words.emplace(label_of(spec), word);
        EXPECT_TRUE(is_new) << other->first << " is the label of " << other->second << " and " << word;
        EXPECT_EQ(other->first == "NoPE", spec.position == Position::none) << word;
        EXPECT_FALSE(other->first.empty()) << word;
        EXPECT_EQ(label_of(spec).find("θ 10k, 100 %") != std::string::npos, spec.rotates()) << word;
    }
    EXPECT_GE(words.size(), 14U);
}

TEST(RunSpec, LabelsShowTheSettingsOfEncodings) {
    EXPECT_EQ(label_of(with([](auto& s) {
                  s.position = Position::t5;
                  s.distance_buckets = 8;
                  s.largest_distance = 64;
              })),
              "T5 bias, 8 buckets, up to distance 64");
    EXPECT_EQ(label_of(with([](auto& s) { s.frequencies = "1+0.5"; })), "frequencies 1+0.5, 100 %");
}

TEST(RunSpec, TokenizersAreWordsOrFiles) {
    RunSpec spec;
    spec.data = "text.txt";
    for (const char* word : {"auto", "characters", "bytes", "bpe", "unigram", "words", "a/tokenizer.json", "b.model"}) {
        key("tokenizer").set(spec, Value(std::string(word)));
        EXPECT_EQ(to_text(key("tokenizer").get(spec)), word);
        EXPECT_NO_THROW(check(spec));
    }
    EXPECT_EQ(spec.tokenizer, Tokenizer::file);
    key("tokenizer").set(spec, Value(std::string("bytes")));
    EXPECT_EQ(spec.tokenizer_file, "");
    EXPECT_MESSAGE(key("tokenizer").set(spec, Value(std::string("bite"))), BadInput, "unigram, words, or a file");

    spec.vocabulary_size = 500;
    EXPECT_MESSAGE(check(spec), BadInput, "only the tokenizers bpe, unigram and words");
    spec.tokenizer = Tokenizer::unigram;
    EXPECT_NO_THROW(check(spec));
    EXPECT_EQ(spec.largest_vocabulary(), 500);
    spec.vocabulary_size = 257;
    EXPECT_MESSAGE(check(spec), BadInput, "between 300 and 65536");
    spec.vocabulary_size = 0;
    EXPECT_EQ(spec.largest_vocabulary(), 1024);
    spec.data = "synthetic-local";
    EXPECT_MESSAGE(check(spec), BadInput, "entropy floor for characters");
}

TEST(RunSpec, LabelsShowThePositionEncoding) {
    EXPECT_EQ(label_of(RunSpec{}), "θ 10k, 100 %");
    EXPECT_EQ(label_of(with([](auto& s) { s.fraction = 0; })), "RoPE 0 %");
    EXPECT_EQ(label_of(with([](auto& s) { s.fraction = 2.0 / 32; })), "θ 10k, 2 ch");
    EXPECT_EQ(label_of(with([](auto& s) { s.fraction = 0.14; })), "θ 10k, 14 %");
    EXPECT_EQ(label_of(with([](auto& s) {
                  s.fraction = 0.25;
                  s.partial = Partial::truncate;
              })),
              "θ 10k, 25 % truncated");
    EXPECT_EQ(label_of(with([](auto& s) { s.rope_precision = RopePrecision::bfloat16_positions; })),
              "θ 10k, 100 %, bfloat16 positions");
    EXPECT_EQ(label_of(with([](auto& s) { s.position = Position::none; })), "NoPE");
    EXPECT_EQ(label_of(with([](auto& s) { s.position = Position::learned; })), "learned positions");
    EXPECT_EQ(label_of(with([](auto& s) { s.position = Position::learned_rope; })), "learned + θ 10k, 100 %");
}

// Returns a value of the setting that differs from its default.
Value other_value(const Key& entry) {
    const Value before = entry.get(RunSpec{});
    if (const auto* flag = std::get_if<bool>(&before)) return !*flag;
    if (const auto* whole = std::get_if<std::int64_t>(&before)) return *whole + 2;
    if (const auto* real = std::get_if<double>(&before)) {
        return entry.name.starts_with("theta") || entry.name.starts_with("xpos") || entry.name == "sinusoidal_base"
                   ? *real + 2
                   : 0.5;
    }
    if (entry.name == "tokenizer") return std::string("words");
    if (entry.choices.empty()) return std::string("0");
    return std::string(entry.choices[entry.choices[0].word == std::get<std::string>(before) ? 1 : 0].word);
}

TEST(RunSpec, ExpertsRefuseContradictions) {
    const auto refused = [](const std::function<void(RunSpec&)>& change) {
        return with([&](RunSpec& spec) {
            spec.experts = 4;
            change(spec);
        });
    };
    EXPECT_NO_THROW(check(refused([](auto&) {})));
    EXPECT_MESSAGE(check(refused([](auto& s) { s.experts = 1; })), BadInput, "requires at least 2 experts");
    EXPECT_MESSAGE(check(refused([](auto& s) { s.experts_per_token = 5; })), BadInput,
                   "must not exceed the number of experts, which is 4");
    EXPECT_MESSAGE(check(refused([](auto& s) { s.dense_layers = 2; })), BadInput,
                   "must be less than the number of layers, which is 2");
    EXPECT_MESSAGE(check(refused([](auto& s) {
                       s.second_expert = SecondExpert::random;
                       s.experts_per_token = 1;
                   })),
                   BadInput, "it must be 2 for a random second expert");
    EXPECT_MESSAGE(check(refused([](auto& s) { s.micro_batch = 4; })), BadInput, "with experts it must be 0");
    EXPECT_NO_THROW(check(with([](auto& s) { s.dense_layers = 2; })));  // without experts the setting has no effect
}

TEST(RunSpec, FeedForwardNetworksHaveAboutEquallyManyWeights) {
    using enum FeedForward;
    RunSpec spec;
    EXPECT_EQ(spec.feed_forward_kind(), gelu);
    EXPECT_EQ(spec.hidden_width(), 256);
    spec.block = Block::llama;
    EXPECT_EQ(spec.feed_forward_kind(), swiglu);
    EXPECT_EQ(spec.hidden_width(), 176);  // 170.7, rounded up to a multiple of 8
    EXPECT_EQ(spec.up_rows(), 352);
    spec.multiple_of = 64;
    EXPECT_EQ(spec.hidden_width(), 192);
    spec.feed_forward = relu;
    EXPECT_EQ(spec.hidden_width(), 256);
    EXPECT_EQ(spec.up_rows(), 256);
    spec.mlp_width = 100;
    EXPECT_EQ(spec.hidden_width(), 100);
    for (const ActivationRow& row : activations()) {
        RunSpec wide;
        wide.width = 96;
        wide.feed_forward = row.choice.value;
        EXPECT_EQ(wide.width * (wide.up_rows() + wide.hidden_width()), 8 * 96 * 96);
    }
}

TEST(RunSpec, RunsOfACohortMayDifferOnlyInRopeSeedAndLearningRates) {
    const std::set<std::string_view> free = {"theta",
                                             "fraction",
                                             "partial",
                                             "pairs",
                                             "rotated_layers",
                                             "frequencies",
                                             "theta_end",
                                             "theta_learning_rate",
                                             "seed",
                                             "learning_rate",
                                             "final_learning_rate",
                                             "warmup",
                                             "decay_iterations",
                                             "position"};
    const RunSpec base;
    for (const Key& entry : keys()) {
        RunSpec changed;
        entry.set(changed, other_value(entry));
        ASSERT_NE(changed, base) << entry.name;
        EXPECT_EQ(same_shape(base, changed), free.contains(entry.name)) << entry.name;
    }
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.position = Position::learned; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.position = Position::learned_rope; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.theta_schedule = ThetaSchedule::linear; })));
    for (const Position position : {Position::shaw, Position::t5, Position::transformer_xl, Position::xpos,
                                    Position::cope, Position::rope_bias}) {
        const RunSpec relative = with([&](auto& s) { s.position = position; });
        RunSpec slower = relative;
        slower.theta = 500;
        EXPECT_FALSE(same_shape(base, relative));
        EXPECT_TRUE(same_shape(relative, slower));
    }
}

}  // namespace
}  // namespace ropelab
