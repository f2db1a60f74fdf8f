#include "core/spec/run_spec.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/spec/error.h"
#include "core/spec/keys.h"
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
    EXPECT_MESSAGE(check(with([](auto& s) { s.micro_batch = 3; })), BadInput, "it must divide the batch size");
    EXPECT_NO_THROW(check(with([](auto& s) {
        s.width = 6;
        s.position = Position::learned;
    })));
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
    if (const auto* real = std::get_if<double>(&before)) return entry.name.starts_with("theta") ? *real + 2 : 0.5;
    if (entry.name == "tokenizer") return std::string("words");
    if (entry.choices.empty()) return std::string("0");
    return std::string(entry.choices[entry.choices[0] == std::get<std::string>(before) ? 1 : 0]);
}

TEST(RunSpec, RunsOfACohortMayDifferOnlyInRopeSeedAndLearningRates) {
    const std::set<std::string_view> free = {"theta",
                                             "fraction",
                                             "partial",
                                             "pairs",
                                             "rotated_layers",
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
}

}  // namespace
}  // namespace ropelab
