#include "core/study/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/data/corpus.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {

namespace {

/// Model whose logits of token t + 1 are (number of tokens of the text so far)·token: they show what it has seen.
class CountingModel : public Model {
 public:
    std::vector<float> logits(std::span<const std::int32_t> tokens) override {
        lengths.push_back(std::ssize(tokens));
        std::vector<float> result;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            for (int token = 0; token < 3; ++token) result.push_back(static_cast<float>((i + 1) * token));
        }
        return result;
    }
    std::vector<std::int32_t> generate(std::span<const std::int32_t>, const Generation&) override { return {}; }
    double whole_loss(std::span<const std::int32_t>) override { return 0; }
    ProbeResult probe(const ProbeRequest&) override { return {}; }

    std::vector<std::int64_t> lengths;
};

double bits_after(std::int64_t seen, int token) {
    double sum = 0;
    for (int each = 0; each < 3; ++each) sum += std::exp(static_cast<double>(seen * each));
    return -std::log2(std::exp(static_cast<double>(seen * token)) / sum);
}

TEST(TextBits, EachTokenSeesTheTokensThatTheTextSays) {
    CountingModel model;
    const std::vector<std::int32_t> tokens = {0, 1, 2, 1, 0, 2, 2, 1, 0, 1};
    const TextBits result = text_bits(model, 4, 3, tokens);
    EXPECT_THAT(result.seen, testing::ElementsAre(0, 1, 2, 3, 4, 3, 4, 3, 4, 3));
    ASSERT_EQ(result.bits.size(), tokens.size());
    EXPECT_DOUBLE_EQ(result.bits[0], std::log2(3.0));
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        EXPECT_NEAR(result.bits[i], bits_after(result.seen[i], tokens[i]), 1e-9) << i;
    }
    EXPECT_THAT(model.lengths, testing::ElementsAre(4, 4, 4, 3));
}

TEST(TextBits, ContextsOfOneTokenAndShortTexts) {
    CountingModel model;
    EXPECT_THAT(text_bits(model, 1, 3, std::vector<std::int32_t>{0, 1, 2}).seen, testing::ElementsAre(0, 1, 1));
    EXPECT_THAT(text_bits(model, 8, 3, std::vector<std::int32_t>{2}).bits, testing::ElementsAre(std::log2(3.0)));
    EXPECT_TRUE(text_bits(model, 8, 3, {}).bits.empty());
    EXPECT_EQ(restart_overlap(1), 0);
    EXPECT_EQ(restart_overlap(5), 3);
    const std::vector<std::int32_t> tokens(100, 1);
    EXPECT_LT(text_bits(model, 8, 3, tokens, [](std::int64_t done) { return done < 20; }).bits.size(), 30U);
}

TEST(TextBits, MeanIsPerUnitAndTheIntervalComesFromBlocks) {
    std::vector<double> bits(400);
    std::vector<std::int64_t> units(400, 2);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i % 2 == 0 ? 1 : 5;
    const Description even = bits_per_unit(bits, units, 50);
    EXPECT_EQ(even.n, 8);
    EXPECT_DOUBLE_EQ(even.mean, 1.5);
    EXPECT_NEAR(even.confidence_low, 1.5, 1e-12);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i < 200 ? 1 : 5;
    const Description halves = bits_per_unit(bits, units, 50);
    EXPECT_DOUBLE_EQ(halves.mean, 1.5);
    EXPECT_LT(halves.confidence_low, 1);
    EXPECT_GT(halves.confidence_high, 2);
    EXPECT_TRUE(std::isnan(bits_per_unit(bits, units, 400).confidence_low));
    std::fill(units.begin(), units.begin() + 200, 6);
    const Description uneven = bits_per_unit(bits, units, 50);
    EXPECT_DOUBLE_EQ(uneven.mean, 0.75) << "1,200 bits of 1,600 units, not the mean of the blocks";
    EXPECT_NEAR(uneven.confidence_high - uneven.mean, uneven.mean - uneven.confidence_low, 1e-12);
    EXPECT_EQ(bits_per_unit(bits, units, 1).n, 32);
}

class TextBitsOfARun : public TrainedRunTest {};

TEST_F(TextBitsOfARun, ThePredictorAgreesWithTheWholeEvaluation) {
    for (const auto operations : {Operations::fused, Operations::eager}) {
        Checkpoint run = checkpoint();
        run.spec.operations = operations;
        run.spec.device = Device::cpu;
        const int vocabulary = Vocabulary::from_text(run.vocabulary).size();
        const auto model = create_model(*engine_, run.spec, vocabulary, run.state);
        const auto predictor = model->predictor();
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 16; ++i) tokens.push_back(i * 5 % vocabulary);
        const std::vector<float> whole = model->logits(tokens);
        std::vector<std::vector<float>> first;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            first.push_back(predictor->next(tokens[i]));
            ASSERT_EQ(first.back().size(), static_cast<std::size_t>(vocabulary));
            for (std::size_t token = 0; token < first.back().size(); ++token) {
                EXPECT_NEAR(first.back()[token], whole[i * first.back().size() + token], 1e-4) << i;
            }
        }
        EXPECT_MESSAGE(predictor->next(0), BadInput, "16 tokens");
        predictor->restart();
        EXPECT_MESSAGE(predictor->next(vocabulary), BadInput, "outside the model's vocabulary");
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            EXPECT_EQ(predictor->next(tokens[i]), first[i]) << "a restart gives equal numbers, bit for bit";
        }
    }
}

class CompressionTest : public TrainedRunTest {
 protected:
    static std::string compressed(std::string_view text) { return compress(*engine_, checkpoint(), text)->file; }
    static std::string text(std::size_t size) { return small_text(8000).substr(100, size); }
};

TEST_F(CompressionTest, RoundTripIsExactAndReachesTheModelsBits) {
    for (const std::size_t size : {0U, 1U, 2U, 15U, 16U, 17U, 18U, 1500U}) {
        const auto result = compress(*engine_, checkpoint(), text(size));
        ASSERT_TRUE(result);
        const CompressionSizes& sizes = result->sizes;
        EXPECT_EQ(decompress(*engine_, checkpoint(), result->file), text(size)) << size << " bytes";
        EXPECT_EQ(compressed_tokens(result->file), static_cast<std::int64_t>(size));
        EXPECT_EQ(sizes.file_bytes, std::ssize(result->file));
        EXPECT_EQ(sizes.text_bytes, static_cast<std::int64_t>(size));
        EXPECT_NEAR(sizes.coded_bits, sizes.model_bits, 1e-5 * static_cast<double>(size));
        EXPECT_LE(static_cast<double>(sizes.code_bytes), 1.001 * sizes.model_bits / 8 + 2);
        EXPECT_LE(sizes.file_bytes - sizes.code_bytes, 60) << "header and checksums";
    }
    EXPECT_EQ(compressed(text(500)), compressed(text(500)));
}

TEST_F(CompressionTest, BitsAreThoseOfTheWholeEvaluation) {
    const Checkpoint run = checkpoint();
    const Vocabulary vocabulary = Vocabulary::from_text(run.vocabulary);
    RunSpec spec = run.spec;
    spec.device = Device::cpu;
    const auto model = create_model(*engine_, spec, vocabulary.size(), run.state);
    const TextBits whole = text_bits(*model, spec.context, vocabulary.size(), vocabulary.encode(text(600)));
    double sum = 0;
    for (const double bits : whole.bits) sum += bits;
    const double coded = compress(*engine_, run, text(600))->sizes.model_bits;
    EXPECT_NEAR(coded, sum, 1e-3 * sum);
    EXPECT_LT(coded, 600 * std::log2(vocabulary.size())) << "the model has learned something";
}

TEST_F(CompressionTest, RefusesAnotherModel) {
    const std::string file = compressed(text(300));
    Checkpoint other = checkpoint();
    for (NamedTensor& tensor : other.state) {
        if (tensor.name == "model.embedding.weight") tensor.values[3] += 1e-6F;
    }
    EXPECT_MESSAGE(decompress(*engine_, other, file), BadInput, "compressed with another model");
    Checkpoint changed = checkpoint();
    changed.spec.theta = 77;  // equal weights, other probabilities
    EXPECT_MESSAGE(decompress(*engine_, changed, file), BadInput, "computes other probabilities");
}

TEST_F(CompressionTest, RefusesDamagedFiles) {
    const std::string file = compressed(text(300));
    for (std::size_t i = 0; i < file.size(); ++i) {
        std::string damaged = file;
        damaged[i] = static_cast<char>(damaged[i] ^ 4);
        EXPECT_THROW(decompress(*engine_, checkpoint(), damaged), BadInput) << "byte " << i;
    }
    EXPECT_MESSAGE(decompress(*engine_, checkpoint(), file.substr(0, file.size() - 1)), BadInput, "damaged");
    EXPECT_MESSAGE(decompress(*engine_, checkpoint(), file.substr(0, 9)), BadInput, "ends too early");
    EXPECT_MESSAGE(decompress(*engine_, checkpoint(), file + "x"), BadInput, "damaged");
    EXPECT_MESSAGE(decompress(*engine_, checkpoint(), "a text"), BadInput, "not a text that");
    std::string newer = file;
    newer[5] = 2;
    EXPECT_MESSAGE(compressed_tokens(newer), BadInput, "version 2 of the format");
}

TEST_F(CompressionTest, RefusesCharactersOutsideTheVocabulary) {
    EXPECT_MESSAGE(compress(*engine_, checkpoint(), text(3) + "\u20AC"), BadInput, "\u20AC");
}

TEST_F(CompressionTest, StopsOnRequest) {
    const auto never = [](std::int64_t) { return false; };
    EXPECT_FALSE(compress(*engine_, checkpoint(), text(300), never));
    EXPECT_FALSE(decompress(*engine_, checkpoint(), compressed(text(300)), never));
}

}  // namespace

}  // namespace ropelab
