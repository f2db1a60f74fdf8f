#include "core/study/compression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/data/corpus.h"
#include "core/spec/error.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

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
    const auto model = engine_->create_model(spec, vocabulary.size(), run.state);
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
