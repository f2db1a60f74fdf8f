#include "core/study/perplexity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

/// Model in which the loss of a target is its number and a hundredth of its position; it knows even ones.
class PositionModel : public Model {
 public:
    std::vector<float> logits(std::span<const std::int32_t>) override { return {}; }
    std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation&) override { return {}; }
    double whole_loss(std::span<const std::int32_t>) override { return 0; }
    ProbeResult probe(const ProbeRequest& request) override {
        requests.push_back(request);
        ProbeResult result;
        for (std::size_t i = 0; i < request.sequences.targets.size(); ++i) {
            const std::int32_t target = request.sequences.targets[i];
            result.sequence_losses.values.push_back(
                target < 0 ? 0.0F : static_cast<float>(target) + 0.01F * static_cast<float>(i));
            result.sequence_correct.values.push_back(target % 2 == 0 ? 1.0F : 0.0F);
        }
        return result;
    }
    std::vector<ProbeRequest> requests;
};

const std::vector<std::int32_t> ten = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

testing::Matcher<std::vector<double>> near(std::vector<double> values) {
    return testing::Pointwise(testing::DoubleNear(1e-5), std::move(values));
}

TEST(Perplexity, EachTokenIsPredictedInTheFirstWindowThatHasTheTokenBeforeIt) {
    PositionModel model;
    ProbeRequest with;
    with.frozen_pairs = {3};
    with.attention = true;
    const TextLoss strided = text_loss(model, ten, {4, 2}, {}, with);
    EXPECT_THAT(strided.losses, near({1, 2.01, 3.02, 4.03, 5.02, 6.03, 7.02, 8.03, 9.02}));
    EXPECT_EQ(strided.windows, 4);
    EXPECT_THAT(strided.at_position, testing::ElementsAre(1, 1, 4, 3));
    EXPECT_THAT(strided.loss_by_position, near({1, 2.01, 6.02, 6.03}));
    EXPECT_NEAR(strided.nats(), 45.18, 1e-5);
    ASSERT_EQ(model.requests.size(), 4U);
    for (const ProbeRequest& request : model.requests) {
        EXPECT_EQ(request.frozen_pairs, with.frozen_pairs);
        EXPECT_TRUE(request.sequence_losses);
        EXPECT_FALSE(request.vectors || request.attention);
    }
    EXPECT_THAT(model.requests[1].sequences.tokens, testing::ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(model.requests[3].sequences.targets, testing::ElementsAre(7, 8, 9));

    const TextLoss apart = text_loss(model, ten, {4, 4});
    EXPECT_THAT(apart.losses, near({1, 2.01, 3.02, 4.03, 5, 6.01, 7.02, 8.03, 9}));
    EXPECT_THAT(apart.at_position, testing::ElementsAre(3, 2, 2, 2));
    EXPECT_THAT(text_loss(model, std::vector<std::int32_t>{4, 7}, {4, 4}).losses, near({7}));
    EXPECT_TRUE(text_loss(model, ten, {4, 2}, [](std::int64_t done) { return done == 2; }).losses.empty());
    EXPECT_MESSAGE(text_loss(model, std::vector<std::int32_t>{4}, {4, 4}), BadInput, "has 1 tokens");
    for (const auto& [window, stride] : {std::pair(0, 0), {4, 0}, {4, 5}})
        EXPECT_MESSAGE(text_loss(model, ten, {window, stride}), BadInput, "at most the window");
    EXPECT_EQ(text_loss(model, ten, {1, 1}).windows, 9);
}

// Positions 0, 1–2, 3–6 and 7 of two windows of 8; the loss of a position is its number, 10 more in the second window.
TEST(Perplexity, BinsDoubleWithThePosition) {
    TextLoss loss;
    for (int i = 0; i < 19; ++i) loss.losses.push_back(i % 8 + 10 * (i / 8));  // the third window is not whole
    const std::vector<PositionLoss> bins = binned_by_position(loss, 8, 1);
    ASSERT_EQ(bins.size(), 4U);
    const std::int64_t firsts[] = {0, 1, 3, 7};
    const std::int64_t counts[] = {1, 2, 4, 1};
    const double means[] = {0, 1.5, 4.5, 7};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(bins[i].first, firsts[i]);
        EXPECT_EQ(bins[i].count, counts[i]);
        EXPECT_EQ(bins[i].loss.n, 2);
        EXPECT_DOUBLE_EQ(bins[i].loss.mean, means[i] + 5);
    }
    EXPECT_EQ(binned_by_position(loss, 8, 100).size(), 8U) << "at least one position each";
}

TEST(Perplexity, OfALastWordAllTokensCount) {
    PositionModel model;
    const std::vector<LastWord> texts = {{{1, 2, 4, 6, 8}, 2}, {{5, 4, 7}, 1}, {{2, 6}, 1}};
    const LastWordLoss loss = last_word_loss(model, texts, 3);
    EXPECT_THAT(loss.losses, near({14.03, 7.01, 6}));
    EXPECT_THAT(loss.is_correct, testing::ElementsAre(true, false, true));
    EXPECT_NEAR(loss.accuracy(), 2.0 / 3, 1e-12);
    EXPECT_NEAR(loss.mean(), 27.04 / 3, 1e-5);
    EXPECT_THAT(model.requests.at(0).sequences.tokens, testing::ElementsAre(2, 4, 6));
    EXPECT_THAT(model.requests.at(0).sequences.targets, testing::ElementsAre(-1, 6, 8));
    EXPECT_FALSE(last_word_loss(model, std::vector<LastWord>{{{4, 7, 2}, 2}}, 3).is_correct[0]) << "its first is odd";
    EXPECT_TRUE(last_word_loss(model, texts, 3, [](std::int64_t done) { return done == 1; }).losses.empty());
    for (const std::int64_t word : {0, 3})
        EXPECT_MESSAGE(last_word_loss(model, std::vector<LastWord>{{{4, 7, 2}, word}}, 3), BadInput,
                       "last word of text 1 has " + std::to_string(word) + " tokens");
}

TEST(Perplexity, TheSpacesBeforeALastWordBelongToIt) {
    const Vocabulary vocabulary = Vocabulary::of_all_bytes();
    const auto words = [&](const std::string& lines) { return last_words_of(lines, "words.jsonl", vocabulary); };
    const auto read = words("{\"text\": \"ab cd  ef\"}\n\n{\"text\": \"a b\", \"id\": 7}");
    ASSERT_EQ(read.size(), 2U);
    EXPECT_EQ(read[0].tokens, vocabulary.encode("ab cd  ef"));
    EXPECT_EQ(read[0].word, 4);
    EXPECT_EQ(read[1].tokens, vocabulary.encode("a b"));
    EXPECT_EQ(read[1].word, 2);
    for (const char* line : {"{\"text\": \"word\"}", "{\"text\": \" word\"}", "{\"text\": \"two words \"}", "[]",
                             "no JSON", "{\"text\": 5}", "{}"})
        EXPECT_MESSAGE(words(std::string("{\"text\": \"a b\"}\n \n") + line), BadInput, "Line 3 of words.jsonl is not");
    EXPECT_MESSAGE(words(" \n\n"), BadInput, "words.jsonl has no lines");
}

TEST(Perplexity, WordsAreRunsOfOtherCharactersThanWhitespace) {
    for (const auto& [text, words] : {std::pair("", 0), {" \n", 0}, {"a", 1}, {" a b\t\tcd\n", 3}, {"a,b c", 2}})
        EXPECT_EQ(words_of_text(text), words) << text;
}

}  // namespace
}  // namespace ropelab
