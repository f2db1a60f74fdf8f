#include "core/experiment/first_layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/data/corpus.h"
#include "core/rope/logit.h"
#include "core/spec/error.h"
#include "core/spec/random_stream.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

constexpr std::int64_t width = 16;

NamedTensor drawn(const std::string& name, std::vector<std::int64_t> shape) {
    NamedTensor tensor{name, shape, {}};
    std::int64_t size = 1;
    for (std::int64_t side : shape) size *= side;
    tensor.values.resize(static_cast<std::size_t>(size));
    RandomStream(1, name).fill_normal(tensor.values, 1.0);
    return tensor;
}

Checkpoint checkpoint() {
    Checkpoint result;
    result.spec.width = width;
    result.spec.heads = 2;
    result.spec.context = 32;
    result.spec.theta = 300;
    result.spec.fraction = 0.5;
    result.vocabulary = Vocabulary::of_characters("abcé").to_text();
    result.state = {drawn("model.embedding.weight", {4, width}), drawn("model.layers.0.attention_norm.weight", {width}),
                    drawn("model.layers.0.attention.qkv.weight", {3 * width, width})};
    return result;
}

// The same in training's own layout: which is 0 for q, 1 for k.
std::vector<float> canonical(const Checkpoint& of, std::size_t symbol, std::size_t head, std::size_t which) {
    const float* x = of.state[0].values.data() + symbol * width;
    double mean = 0;
    for (std::size_t i = 0; i < width; ++i) mean += x[i] / width;
    double variance = 0;
    for (std::size_t i = 0; i < width; ++i) variance += (x[i] - mean) * (x[i] - mean) / width;
    std::vector<float> result;
    for (std::size_t c = 0; c < 8; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
            sum += of.state[2].values[(which * width + head * 8 + c) * width + i] * of.state[1].values[i] *
                   (x[i] - mean) / std::sqrt(variance + 1e-5);
        }
        result.push_back(static_cast<float>(sum));
    }
    return result;
}

TEST(FirstLayer, TheLogitIsThatOfTrainingsLayout) {
    const Checkpoint trained = checkpoint();
    const RotarySetup setup = setup_of(trained.spec);
    EXPECT_EQ(setup.head_dim, 8);
    EXPECT_EQ(rotary_dim(setup), 4);
    const RotationTable table = canonical_table({.head_dim = 8, .theta = setup.theta, .fraction = setup.fraction}, 32);
    for (std::size_t head : {0, 1}) {
        const HeadVectors vectors = first_layer_vectors(trained, static_cast<std::int64_t>(head), "b", "é");
        // q at position 20, k at 13, rotated as training does it.
        std::vector<float> q(32 * 8, 0.0F);
        std::vector<float> k(32 * 8, 0.0F);
        const auto query = canonical(trained, 1, head, 0);
        const auto key = canonical(trained, 3, head, 1);
        std::copy(query.begin(), query.end(), q.begin() + 20 * 8);
        std::copy(key.begin(), key.end(), k.begin() + 13 * 8);
        rotate(q, 8, table, Pairing::half);
        rotate(k, 8, table, Pairing::half);
        double expected = 0;
        for (std::size_t c = 0; c < 8; ++c) expected += q[20 * 8 + c] * k[13 * 8 + c] / std::sqrt(8.0);
        const LogitSplit split = split_logit(vectors.query, vectors.key, 20, 13, frequencies(frequency_settings(setup)),
                                             setup.partial, setup.pairing);
        EXPECT_NEAR(split.total, expected, 1e-5 * std::abs(expected) + 1e-5);
        EXPECT_GT(std::abs(split.unrotated), 1e-3);  // half of the channels do not turn
    }
}

TEST(FirstLayer, HeadsOfAGroupShareAKey) {
    Checkpoint trained = checkpoint();
    trained.spec.key_value_heads = 1;
    const HeadVectors first = first_layer_vectors(trained, 0, "a", "b");
    const HeadVectors second = first_layer_vectors(trained, 1, "a", "b");
    EXPECT_EQ(first.key, second.key);
    EXPECT_NE(first.query, second.query);
}

TEST(FirstLayer, LearnedPositionsMoveQueryAndKey) {
    Checkpoint trained = checkpoint();
    trained.spec.position = Position::learned_rope;
    EXPECT_MESSAGE(first_layer_vectors(trained, 0, "a", "b"), BadInput, "positions.weight");
    trained.state.push_back(drawn("model.positions.weight", {32, width}));
    const HeadVectors here = first_layer_vectors(trained, 0, "a", "b", 3, 2);
    const HeadVectors there = first_layer_vectors(trained, 0, "a", "b", 3, 9);
    EXPECT_EQ(here.query, there.query);
    EXPECT_NE(here.key, there.key);
}

TEST(FirstLayer, RefusesWhatTheRunDoesNotHave) {
    Checkpoint trained = checkpoint();
    EXPECT_MESSAGE(first_layer_vectors(trained, 2, "a", "b"), BadInput, "heads 0 to 1");
    EXPECT_MESSAGE(first_layer_vectors(trained, 0, "z", "b"), BadInput, "z");
    EXPECT_MESSAGE(first_layer_vectors(trained, 0, "ab", "b"), BadInput, "2 symbols");
    EXPECT_MESSAGE(first_layer_vectors(trained, 0, "a", ""), BadInput, "0 symbols");
    trained.state.pop_back();
    EXPECT_MESSAGE(first_layer_vectors(trained, 0, "a", "b"), BadInput, "qkv");
}

TEST(FirstLayer, ARunWithoutRotationTurnsNothing) {
    RunSpec spec;
    spec.position = Position::learned;
    EXPECT_EQ(setup_of(spec).fraction, 0);
}

}  // namespace
}  // namespace ropelab
