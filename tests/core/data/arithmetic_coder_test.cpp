#include "core/data/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using Frequencies = std::vector<std::uint32_t>;

// Returns the frequencies of tokens with equal probabilities.
Frequencies uniform_frequencies(std::size_t vocabulary) {
    return coder_frequencies(std::vector<float>(vocabulary, 0.0F));
}

// Returns a message whose token i has the frequencies number i modulo their count, sampled with these frequencies.
std::vector<std::int32_t> sampled(const std::vector<Frequencies>& models, std::size_t length, std::mt19937_64& random) {
    std::vector<std::int32_t> tokens(length);
    for (std::size_t i = 0; i < length; ++i) {
        std::uint64_t left = random() % frequency_total;
        const Frequencies& frequencies = models[i % models.size()];
        while (left >= frequencies[static_cast<std::size_t>(tokens[i])]) {
            left -= frequencies[static_cast<std::size_t>(tokens[i]++)];
        }
    }
    return tokens;
}

// Codes and decodes the tokens; returns the number of bytes, and adds up the ideal number of bits.
std::size_t round_trip(const std::vector<Frequencies>& models, const std::vector<std::int32_t>& tokens, double& bits) {
    ArithmeticEncoder encoder;
    bits = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Frequencies& frequencies = models[i % models.size()];
        encoder.encode(frequencies, tokens[i]);
        bits += frequency_bits - std::log2(static_cast<double>(frequencies[static_cast<std::size_t>(tokens[i])]));
    }
    const std::string code = encoder.finish();
    ArithmeticDecoder decoder(code);
    std::vector<std::int32_t> decoded;
    for (std::size_t i = 0; i < tokens.size(); ++i) decoded.push_back(decoder.decode(models[i % models.size()]));
    EXPECT_EQ(decoded, tokens);
    return code.size();
}

TEST(ArithmeticCoder, RoundTripReachesTheEntropy) {
    std::mt19937_64 random(3);
    std::normal_distribution<float> normal;
    for (const std::size_t vocabulary : {2U, 3U, 65U, 1000U}) {
        for (const float scale : {0.0F, 1.0F, 6.0F, 60.0F}) {
            std::vector<Frequencies> models;
            for (int i = 0; i < 5; ++i) {
                std::vector<float> logits(vocabulary);
                for (float& logit : logits) logit = scale * normal(random);
                models.push_back(coder_frequencies(logits));
                EXPECT_EQ(std::accumulate(models.back().begin(), models.back().end(), std::uint64_t{0}),
                          frequency_total);
            }
            for (const std::size_t length : {0U, 1U, 2U, 5000U}) {
                double bits = 0;
                const auto bytes = static_cast<double>(round_trip(models, sampled(models, length, random), bits));
                EXPECT_LE(bytes, 1.001 * bits / 8 + 2) << vocabulary << " tokens, scale " << scale;
                EXPECT_GE(bytes, 0.999 * bits / 8 - 2) << "no code can be shorter on average";
            }
        }
    }
}

TEST(ArithmeticCoder, MegabyteOfRandomBytesKeepsItsSize) {
    std::mt19937_64 random(5);
    const std::vector<Frequencies> models = {uniform_frequencies(256)};
    std::vector<std::int32_t> tokens(1'000'000);
    for (std::int32_t& token : tokens) token = static_cast<std::int32_t>(random() % 256);
    double bits = 0;
    const std::size_t bytes = round_trip(models, tokens, bits);
    EXPECT_DOUBLE_EQ(bits, 8e6);
    EXPECT_GE(bytes, 999'990U);
    EXPECT_LE(bytes, 1'000'002U);
}

TEST(ArithmeticCoder, CertainTokensCostNothing) {
    double bits = 0;
    EXPECT_EQ(round_trip({uniform_frequencies(1)}, std::vector<std::int32_t>(100'000, 0), bits), 0U);
    const std::vector<Frequencies> sure = {coder_frequencies(std::vector<float>{0.0F, 100.0F, 0.0F})};
    EXPECT_LE(round_trip(sure, std::vector<std::int32_t>(100'000, 1), bits), 2U);
    // The most improbable tokens can be coded, too.
    EXPECT_LE(round_trip(sure, std::vector<std::int32_t>(1000, 2), bits), 31U * 1000 / 8 + 2);
}

TEST(ArithmeticCoder, ExampleOfTwoLettersCostsHalfABitPerLetter) {
    // A has 90 %, B 10 %: 0.469 bits per letter on average.
    const std::vector<Frequencies> models = {coder_frequencies(std::vector<float>{std::log(0.9F), std::log(0.1F)})};
    std::vector<std::int32_t> tokens(10'000, 0);
    for (std::size_t i = 0; i < tokens.size(); i += 10) tokens[i] = 1;
    double bits = 0;
    const std::size_t bytes = round_trip(models, tokens, bits);
    EXPECT_NEAR(bits / 10'000, 0.469, 0.0005);
    EXPECT_NEAR(static_cast<double>(bytes), 4690.0 / 8, 2);
}

TEST(ArithmeticCoder, CarriesRunThroughManyBytes) {
    // The last token of a uniform alphabet keeps the lower end near the upper one, where carries are long.
    const std::vector<Frequencies> models = {uniform_frequencies(256), uniform_frequencies(3)};
    std::vector<std::int32_t> tokens;
    std::mt19937 random(9);
    for (int i = 0; i < 20'000; ++i) {
        const std::int32_t last = i % 2 == 0 ? 255 : 2;
        tokens.push_back(random() % 50 == 0 ? static_cast<std::int32_t>(random() % 3) : last);
    }
    double bits = 0;
    round_trip(models, tokens, bits);
}

TEST(ArithmeticCoder, FrequenciesCostLittleMoreThanTheProbabilities) {
    const std::vector<float> logits = {1.5F, -2.0F, 0.25F, -30.0F};
    const Frequencies frequencies = coder_frequencies(logits);
    double sum = 0;
    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
    const double most = std::log2(static_cast<double>(frequency_total) / static_cast<double>(frequency_total - 4));
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const double ideal = -std::log2(std::exp(static_cast<double>(logits[i])) / sum);
        const double coded = frequency_bits - std::log2(static_cast<double>(frequencies[i]));
        EXPECT_LE(coded, ideal + most + 1e-12) << i;
    }
}

TEST(ArithmeticCoder, RefusesLogitsThatAreNotFinite) {
    const float infinite = std::numeric_limits<float>::infinity();
    EXPECT_MESSAGE(coder_frequencies(std::vector<float>{0.0F, infinite}), BadInput, "the run has diverged");
    EXPECT_MESSAGE(coder_frequencies(std::vector<float>{std::nanf(""), 0.0F}), BadInput, "not finite");
    EXPECT_MESSAGE(coder_frequencies({}), BadInput,
                   "A vocabulary of 0 tokens is too large or empty for the arithmetic coder");
}

TEST(ArchiveSizes, CompressRepetitionsAndNotNoise) {
    const auto repeated = archive_sizes(std::string(100'000, 'a'));
    ASSERT_THAT(repeated, testing::Not(testing::IsEmpty()));
    EXPECT_EQ(repeated.front().method, "gzip");
    std::mt19937 random(1);
    std::string noise;
    for (int i = 0; i < 100'000; ++i) noise += static_cast<char>(random());
    const auto incompressible = archive_sizes(noise);
    ASSERT_EQ(incompressible.size(), repeated.size());
    for (std::size_t i = 0; i < repeated.size(); ++i) {
        EXPECT_LT(repeated[i].bytes, 1000) << repeated[i].method;
        EXPECT_GT(incompressible[i].bytes, 100'000) << repeated[i].method;
    }
}

}  // namespace
}  // namespace ropelab
