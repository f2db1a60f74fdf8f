#include "core/rope/attention/sentence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/rope/logit.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

const std::vector<std::string> words = {"Enhanced", "Transformer", "with", "Rotary", "Position", "Embedding"};

RotarySetup setup_of_64() {
    return parse_setups("theta=10k head_dim=64 context=2048").a;
}

TEST(SentenceAttention, IsTheSoftmaxOfTheLogitsOfFormula7) {
    const RotarySetup setup = setup_of_64();
    const SentenceAttention at = sentence_attention(words, 5, 1, setup);
    const LogitSplit split = split_logit(token_vector("query", "Rotary", 1, 64), token_vector("key", "with", 1, 64), 8,
                                         7, frequencies(frequency_settings(setup)), setup.partial, setup.pairing);
    EXPECT_NEAR(at.logits[3 * 6 + 2], split.total, 1e-12);
    double sum = 0;
    for (int n = 0; n <= 3; ++n) sum += std::exp(at.logits[3 * 6 + n]);
    EXPECT_NEAR(at.weights[3 * 6 + 2], std::exp(at.logits[3 * 6 + 2]) / sum, 1e-12);
    EXPECT_EQ(at.weights[3 * 6 + 4], 0);
    double output = 0;
    for (int n = 0; n <= 3; ++n)
        output += at.weights[3 * 6 + n] * token_vector("value", words[static_cast<std::size_t>(n)], 1, 64)[9];
    EXPECT_NEAR(at.outputs[3 * 64 + 9], output, 1e-12);
}

TEST(SentenceAttention, DoesNotChangeIfTheSentenceMoves) {
    const SentenceAttention before = sentence_attention(words, 0, 1, setup_of_64());
    const SentenceAttention after = sentence_attention(words, 1000, 1, setup_of_64());
    EXPECT_LT(largest_change(before.weights, after.weights), 1e-13);
    EXPECT_LT(relative_change(before.outputs, after.outputs), 1e-13);
}

// A shift by s multiplies the output by R_s, so that a pair of the output changes by |o|² (2 − 2 cos(sω)).
TEST(SentenceAttention, MovesIfValuesWereRotated) {
    const SentenceAttention before = sentence_attention(words, 0, 1, setup_of_64(), true);
    const SentenceAttention after = sentence_attention(words, 1000, 1, setup_of_64(), true);
    EXPECT_LT(largest_change(before.weights, after.weights), 1e-13);
    double change = 0;
    double whole = 0;
    for (std::size_t token = 0; token < words.size(); ++token) {
        for (std::size_t pair = 0; pair < 32; ++pair) {
            const double x = before.outputs[token * 64 + pair];
            const double y = before.outputs[token * 64 + pair + 32];
            whole += x * x + y * y;
            change += (x * x + y * y) * (2 - 2 * std::cos(1000 * std::pow(1e4, -2.0 * static_cast<double>(pair) / 64)));
        }
    }
    EXPECT_NEAR(relative_change(before.outputs, after.outputs), std::sqrt(change / whole), 1e-9);
    // numpy: √(2 − 2 · mean of cos(1000 ω)) is 1.2009 for outputs of equal norms in all pairs.
    EXPECT_NEAR(relative_change(before.outputs, after.outputs), 1.2009, 0.15);
}

TEST(SentenceAttention, NeedsATokenToAttend) {
    EXPECT_MESSAGE(sentence_attention(std::vector<std::string>(), 0, 1, setup_of_64()), BadInput,
                   "Attention over a sentence requires a token, but the sentence has none.");
}

}  // namespace
}  // namespace ropelab
