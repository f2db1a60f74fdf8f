#include "core/study/text_bits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/data/corpus.h"
#include "core/spec/error.h"
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
    EXPECT_EQ(bits_per_unit(bits, units, 1).n, 32);
}

class TextBitsOfARun : public TrainedRunTest {};

TEST_F(TextBitsOfARun, ThePredictorAgreesWithTheWholeEvaluation) {
    for (const auto operations : {Operations::fused, Operations::eager}) {
        Checkpoint run = checkpoint();
        run.spec.operations = operations;
        run.spec.device = Device::cpu;
        const int vocabulary = Vocabulary::from_text(run.vocabulary).size();
        const auto model = engine_->create_model(run.spec, vocabulary, run.state);
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
        EXPECT_MESSAGE(predictor->next(0), BadInput, "at most 16");
        predictor->restart();
        EXPECT_MESSAGE(predictor->next(vocabulary), BadInput, "outside the model's vocabulary");
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            EXPECT_EQ(predictor->next(tokens[i]), first[i]) << "a restart gives equal numbers, bit for bit";
        }
    }
}

}  // namespace
}  // namespace ropelab
