#include "core/study/learned_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/plan/layout.h"
#include "core/rope/encodings.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

const std::vector<std::int64_t> asked_distances = {0, 1, 3, 7, 40};

Checkpoint checkpoint_with(Position position) {
    Checkpoint result;
    result.spec.position = position;
    result.spec.layers = 2;
    result.spec.width = 16;
    result.spec.heads = 4;
    result.spec.key_value_heads = 2;
    result.spec.context = 8;
    result.spec.relative_clip = 3;
    result.spec.cope_positions = 4;
    result.spec.distance_buckets = 4;
    result.spec.largest_distance = 16;
    for (const Parameter& parameter : layout_of(result.spec, 4).parameters) {
        NamedTensor tensor{"model." + parameter.name, parameter.shape, {}};
        tensor.values.resize(static_cast<std::size_t>(parameter.size));
        RandomStream(1, parameter.name).fill_normal(tensor.values, 1.0);
        result.state.push_back(std::move(tensor));
    }
    return result;
}

// Returns a number of a weight by its indices in two dimensions.
double weight_at(const Checkpoint& of, const std::string& name, std::int64_t row, std::int64_t column) {
    for (const NamedTensor& tensor : of.state) {
        if (tensor.name != "model." + name) continue;
        return static_cast<double>(tensor.values[static_cast<std::size_t>(row * tensor.shape.back() + column)]);
    }
    ADD_FAILURE() << name;
    return 0;
}

double norm_of(const Checkpoint& of, const std::string& name, std::int64_t row, std::int64_t length) {
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += std::pow(weight_at(of, name, row, i), 2);
    return std::sqrt(sum);
}

TEST(LearnedEncodings, BiasOfTheHeadByBucket) {
    for (const Position position : {Position::t5, Position::rope_bias}) {
        const Checkpoint checkpoint = checkpoint_with(position);
        const auto learned = learned_encoding(checkpoint, 1, 2, asked_distances);
        ASSERT_TRUE(learned);
        EXPECT_EQ(learned->kind, LearnedEncoding::Kind::change);
        // Buckets of 0, 1, 3, 7 and 40 with 4 buckets up to distance 16.
        const std::vector<int> buckets = t5_buckets(41, 4, 16);
        for (std::size_t i = 0; i < asked_distances.size(); ++i) {
            const int bucket = buckets[static_cast<std::size_t>(asked_distances[i])];
            EXPECT_DOUBLE_EQ(learned->values[i], weight_at(checkpoint, "distance_bias.weight", 2, bucket) -
                                                     weight_at(checkpoint, "distance_bias.weight", 2, 0));
        }
    }
}

TEST(LearnedEncodings, LogarithmOfTheHeadByDistance) {
    const Checkpoint checkpoint = checkpoint_with(Position::kerple);
    const auto learned = learned_encoding(checkpoint, 1, 2, asked_distances);
    ASSERT_TRUE(learned);
    EXPECT_EQ(learned->kind, LearnedEncoding::Kind::change);
    const double r1 = std::exp(weight_at(checkpoint, "distance_kernel.log_r1", 0, 2));
    const double r2 = std::exp(weight_at(checkpoint, "distance_kernel.log_r2", 0, 2));
    for (std::size_t i = 0; i < asked_distances.size(); ++i) {
        EXPECT_NEAR(learned->values[i], -r1 * std::log(1 + r2 * static_cast<double>(asked_distances[i])), 1e-12);
    }
}

TEST(LearnedEncodings, NormsOfClippedVectors) {
    for (const auto& [position, name] : {std::pair{Position::shaw, "layers.1.attention.relative_keys.weight"},
                                         std::pair{Position::cope, "layers.1.attention.contextual.weight"}}) {
        const Checkpoint checkpoint = checkpoint_with(position);
        const auto learned = learned_encoding(checkpoint, 1, 0, asked_distances);
        ASSERT_TRUE(learned);
        EXPECT_EQ(learned->kind, LearnedEncoding::Kind::deviation);
        const bool counts_itself = position == Position::cope;  // the gate of the token at distance 0 is open
        const std::vector<std::int64_t> rows =
            counts_itself ? std::vector<std::int64_t>{1, 2, 3, 3, 3} : std::vector<std::int64_t>{0, 1, 3, 3, 3};
        const double root = position == Position::cope ? 1 : 2;  // √4 divides Shaw's logits, and not what CoPE adds
        for (std::size_t i = 0; i < rows.size(); ++i) {
            EXPECT_NEAR(learned->values[i], norm_of(checkpoint, name, rows[i], 4) / root, 1e-12) << i;
        }
    }
}

TEST(LearnedEncodings, TermOfTransformerXlByDistance) {
    const Checkpoint checkpoint = checkpoint_with(Position::transformer_xl);
    const auto learned = learned_encoding(checkpoint, 0, 3, asked_distances);
    ASSERT_TRUE(learned);
    const auto term = [&](std::size_t distance) {
        double sum = 0;
        for (std::int64_t channel = 0; channel < 4; ++channel) {
            for (std::size_t i = 0; i < 16; ++i) {
                // Head 3 of 4 uses the second of two key heads.
                sum += weight_at(checkpoint, "distance_query.weight", 3, channel) *
                       weight_at(checkpoint, "layers.0.attention.relative.weight", 4 + channel,
                                 static_cast<std::int64_t>(i)) *
                       sinusoidal_embedding(distance, i, 16);
            }
        }
        return sum / 2;
    };
    for (std::size_t i = 0; i < asked_distances.size(); ++i) {
        EXPECT_NEAR(learned->values[i], term(static_cast<std::size_t>(asked_distances[i])) - term(0), 1e-9) << i;
    }
}

TEST(LearnedEncodings, SimilarityOfLearnedEmbeddings) {
    const Checkpoint checkpoint = checkpoint_with(Position::learned);
    const auto learned = learned_encoding(checkpoint, 0, 0, asked_distances);
    ASSERT_TRUE(learned);
    EXPECT_EQ(learned->kind, LearnedEncoding::Kind::similarity);
    EXPECT_NEAR(learned->values[0], 1, 1e-12);
    double product = 0;
    for (std::int64_t i = 0; i < 16; ++i) {
        product += weight_at(checkpoint, "positions.weight", 7, i) * weight_at(checkpoint, "positions.weight", 0, i);
    }
    EXPECT_NEAR(
        learned->values[3],
        product / (norm_of(checkpoint, "positions.weight", 7, 16) * norm_of(checkpoint, "positions.weight", 0, 16)),
        1e-12);
    EXPECT_TRUE(std::isnan(learned->values[4])) << "the context has 8 positions";
}

TEST(LearnedEncodings, AreThoseThatTheRowsCallLearned) {
    for (const PositionEncoding& encoding : position_encodings()) {
        const Position position = encoding.choice.value;
        EXPECT_EQ(learned_encoding(checkpoint_with(position), 0, 0, asked_distances).has_value(), encoding.is_learned())
            << encoding.choice.word;
    }
}

TEST(LearnedEncodings, FixedEncodingsHaveNone) {
    for (const Position position :
         {Position::none, Position::rope, Position::sinusoidal, Position::alibi, Position::xpos}) {
        EXPECT_FALSE(learned_encoding(checkpoint_with(position), 0, 0, asked_distances));
    }
    Checkpoint checkpoint = checkpoint_with(Position::t5);
    checkpoint.spec.attention_layers = "deltanet + full";
    EXPECT_FALSE(learned_encoding(checkpoint, 0, 0, asked_distances));
    EXPECT_TRUE(learned_encoding(checkpoint, 1, 0, asked_distances));
    checkpoint.spec.attention_layers = "auto";
    EXPECT_MESSAGE(learned_encoding(checkpoint, 0, 4, asked_distances), BadInput, "There is no head 4 in layer 0");
    checkpoint.state.clear();
    EXPECT_MESSAGE(learned_encoding(checkpoint, 0, 0, asked_distances), BadInput,
                   "lacks the weight distance_bias.weight");
}

}  // namespace
}  // namespace ropelab
