#include "core/study/head_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/data/corpus.h"
#include "core/engine/torch_engine.h"
#include "core/plan/layout.h"
#include "core/rope/attention/circuit.h"
#include "core/rope/logit.h"
#include "core/run/probing.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/canonical_table.h"
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

void draw_state(Checkpoint& of) {
    of.state.clear();
    for (const Parameter& parameter : layout_of(of.spec, 4).parameters) {
        of.state.push_back(drawn("model." + parameter.name, parameter.shape));
    }
}

Checkpoint checkpoint() {
    Checkpoint result;
    result.spec.layers = 1;
    result.spec.width = width;
    result.spec.heads = 2;
    result.spec.context = 32;
    result.spec.theta = 300;
    result.spec.fraction = 0.5;
    result.spec.precision = Precision::float32;
    result.vocabulary = Vocabulary::of_characters("abcé").to_text();
    draw_state(result);
    return result;
}

const std::vector<float>& weights(const Checkpoint& of, const std::string& name) {
    return std::find_if(of.state.begin(), of.state.end(), [&](const auto& t) { return t.name == "model." + name; })
        ->values;
}

// Of the tokens m and n of a text.
HeadVectors vectors_of(const Checkpoint& of, std::int64_t head, std::string_view text, std::int64_t m, std::int64_t n,
                       std::int64_t layer = 0) {
    static TorchEngine engine;
    const std::vector<std::int32_t> tokens = Vocabulary::from_text(of.vocabulary).encode(text);
    return head_vectors(*create_model(engine, of.spec, 4, of.state), plan_of(of), layer, head, tokens, m, n);
}

// Computes the first layer's query (`which` = 0) or key (1) of a token in the channel order of training.
std::vector<float> canonical(const Checkpoint& of, std::size_t token, std::size_t head, std::size_t which) {
    const float* x = weights(of, "embedding.weight").data() + token * width;
    double mean = 0;
    for (std::size_t i = 0; i < width; ++i) mean += x[i] / width;
    double variance = 0;
    for (std::size_t i = 0; i < width; ++i) variance += (x[i] - mean) * (x[i] - mean) / width;
    std::vector<float> result;
    for (std::size_t c = 0; c < 8; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i) {
            sum += weights(of, "layers.0.attention.qkv.weight")[(which * width + head * 8 + c) * width + i] *
                   weights(of, "layers.0.attention_norm.weight")[i] * (x[i] - mean) / std::sqrt(variance + 1e-5);
        }
        result.push_back(static_cast<float>(sum));
    }
    return result;
}

TEST(HeadVectorsTest, LogitEqualsThatOfTheTrainingLayout) {
    const Checkpoint trained = checkpoint();
    const RotarySetup setup = setup_of(trained.spec);
    EXPECT_EQ(setup.head_dim, 8);
    EXPECT_EQ(rotary_dim(setup), 4);
    const RotationTable table = canonical_table({.head_dim = 8, .theta = setup.theta, .fraction = setup.fraction}, 32);
    for (std::size_t head : {0, 1}) {
        const HeadVectors vectors = vectors_of(trained, static_cast<std::int64_t>(head), "bé", 0, 1);
        // The query at position 20 and the key at position 13, rotated as in training.
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
        EXPECT_NEAR(split.total, expected, 1e-5 * std::abs(expected) + 1e-4);
        EXPECT_GT(std::abs(split.unrotated), 1e-3);  // half of the channels are not rotated
    }
}

TEST(HeadVectorsTest, HeadsOfAGroupHaveTheSameKey) {
    Checkpoint trained = checkpoint();
    trained.spec.key_value_heads = 1;
    draw_state(trained);
    const HeadVectors first = vectors_of(trained, 0, "ab", 0, 1);
    const HeadVectors second = vectors_of(trained, 1, "ab", 0, 1);
    EXPECT_EQ(first.key, second.key);
    EXPECT_NE(first.query, second.query);
}

TEST(HeadVectorsTest, LearnedPositionsChangeQueryAndKey) {
    Checkpoint trained = checkpoint();
    trained.spec.position = Position::learned_rope;
    draw_state(trained);
    const HeadVectors here = vectors_of(trained, 0, "bbba", 3, 1);
    const HeadVectors there = vectors_of(trained, 0, "bbba", 3, 2);
    EXPECT_EQ(here.query, there.query);
    EXPECT_NE(here.key, there.key);
}

TEST(HeadVectorsTest, RejectsUnknownLayersHeadsAndTokens) {
    const Checkpoint trained = checkpoint();
    EXPECT_MESSAGE(vectors_of(trained, 0, "ab", 0, 1, 1), BadInput, "no layer 1: the model has layers 0 to 0");
    EXPECT_MESSAGE(vectors_of(trained, 2, "ab", 0, 1), BadInput, "no head 2: layer 0 has heads 0 to 1");
    EXPECT_MESSAGE(vectors_of(trained, 0, "ab", 0, 2), BadInput, "no token 2: the text has tokens 0 to 1");
}

// The logit of the vectors at their positions is that of the attention that the probe measured.
void expect_logits_of_attention(const Checkpoint& of, std::int64_t layer) {
    static TorchEngine engine;
    const std::vector<std::int32_t> tokens = Vocabulary::from_text(of.vocabulary).encode("cabéabcéba");
    const auto model = create_model(engine, of.spec, 4, of.state);
    ProbeRequest request;
    request.sequences = sequence_of(tokens);
    request.map_size = request.sequences.length;
    const ProbeResult attention = model->probe(request);
    const RotarySetup setup = setup_of_layer(plan_of(of), layer);
    constexpr std::int64_t m = 8;
    for (std::int64_t head = 0; head < of.spec.heads; ++head) {
        std::vector<double> logits;
        for (std::int64_t n = 0; n <= m; ++n) {
            const HeadVectors vectors = head_vectors(*model, plan_of(of), layer, head, tokens, m, n);
            EXPECT_EQ(vectors.m, m);
            EXPECT_EQ(vectors.n, n);
            logits.push_back(split_logit(vectors.query, vectors.key, m, n, frequencies(frequency_settings(setup)),
                                         setup.partial, setup.pairing)
                                 .total);
        }
        double sum = 0;
        for (const double logit : logits) sum += std::exp(logit);
        const auto row = attention.attention.row(layer, head);
        for (std::int64_t n = 0; n <= m; ++n) {
            EXPECT_NEAR(row[static_cast<std::size_t>(m * std::ssize(tokens) + n)],
                        std::exp(logits[static_cast<std::size_t>(n)]) / sum, 1e-4)
                << "layer " << layer << ", head " << head << ", key " << n;
        }
    }
}

TEST(HeadVectorsTest, LogitsOfAnyLayerAreThoseOfItsAttention) {
    Checkpoint trained = checkpoint();
    trained.spec.layers = 3;
    trained.spec.key_value_heads = 1;
    draw_state(trained);
    for (NamedTensor& tensor : trained.state) {
        for (float& number : tensor.values) number *= 0.3F;  // else one key has all of the attention
    }
    for (const std::int64_t layer : {0, 2}) expect_logits_of_attention(trained, layer);
    trained.spec.rotated_layers = "0-1";
    EXPECT_EQ(setup_of_layer(plan_of(trained), 1), setup_of(trained.spec));
    EXPECT_EQ(setup_of_layer(plan_of(trained), 2).fraction, 0);
    expect_logits_of_attention(trained, 2);
    trained.spec.frequencies = "1+0.5";
    EXPECT_MESSAGE(setup_of_layer(plan_of(trained), 0), BadInput, "which a rotary setup cannot represent");
}

TEST(HeadVectorsTest, RunWithoutRopeHasFractionZero) {
    RunSpec spec;
    spec.position = Position::learned;
    EXPECT_EQ(setup_of(spec).fraction, 0);
}

CircuitVectors head_of(const RotarySetup& setup, double distance, double norm) {
    return circuit_at_distance(distance, norm, setup.head_dim, frequencies(frequency_settings(setup)), setup.partial,
                               setup.pairing);
}

std::vector<double> curve_of(const RotarySetup& setup, const CircuitVectors& vectors, std::int64_t length) {
    return circuit_logits(vectors.query, vectors.key, frequencies(frequency_settings(setup)), setup.partial,
                          setup.pairing, static_cast<std::size_t>(length));
}

class CircuitInRun : public TrainedRunTest {
 protected:
    static CircuitLoss loss_with(const ReplacedHead& head) {
        return measure_circuit(*engine_, checkpoint(), head, {}, [] { return false; });
    }
};

TEST_F(CircuitInRun, LossIsThatOfTheModelWithTheReplacedHead) {
    const Checkpoint trained = checkpoint();
    const RotarySetup setup = setup_of(trained.spec);
    const ReplacedHead head = replaced_head(trained.spec, 0, 1, head_of(setup, 1, 6), setup);
    const CircuitLoss loss = loss_with(head);
    EXPECT_GT(loss.sequences, 1);
    EXPECT_EQ(loss.length, trained.spec.context);
    EXPECT_NE(loss.before, loss.after);
    EXPECT_NEAR(loss.rise.mean, loss.after - loss.before, 1e-6);
    EXPECT_LT(loss.rise.confidence_low, loss.rise.mean);
    EXPECT_GT(loss.rise.confidence_high, loss.rise.mean);
    const CircuitLoss elsewhere = loss_with(replaced_head(trained.spec, 1, 1, head_of(setup, 1, 6), setup));
    EXPECT_EQ(elsewhere.before, loss.before);
    EXPECT_NE(elsewhere.after, loss.after);
}

TEST_F(CircuitInRun, ChannelsAreThoseOfTraining) {
    // The attention inside the model does not depend on the pairing in which the head was built.
    const Checkpoint trained = checkpoint();
    RotarySetup half = setup_of(trained.spec);
    RotarySetup interleaved = half;
    interleaved.pairing = Pairing::interleaved;
    const ReplacedHead first = replaced_head(trained.spec, 0, 0, head_of(half, 3, 2), half);
    const ReplacedHead second = replaced_head(trained.spec, 0, 0, head_of(interleaved, 3, 2), interleaved);
    EXPECT_EQ(first.query, second.query);
    for (std::size_t i = 0; i < first.key.size(); ++i) EXPECT_NEAR(first.key[i], second.key[i], 1e-12);
}

TEST_F(CircuitInRun, FindsTheHeadThatTheCircuitReplaced) {
    const Checkpoint trained = checkpoint();
    const RotarySetup setup = setup_of(trained.spec);
    const CircuitVectors vectors = head_of(setup, 3, 8);
    const auto model = model_of(*engine_, trained);
    ProbeRequest request;
    const auto corpus = corpus_of(trained, {});
    request.sequences = spaced_sequences(corpus->validation, trained.spec.context, 4);
    request.replaced_heads = {replaced_head(trained.spec, 1, 0, vectors, setup)};
    const ProbeResult result = model->probe(request);
    const auto heads = similar_heads(result, curve_of(setup, vectors, trained.spec.context));
    ASSERT_EQ(std::ssize(heads), trained.spec.layers * trained.spec.heads);
    EXPECT_EQ(heads.front().layer, 1);
    EXPECT_EQ(heads.front().head, 0);
    EXPECT_NEAR(heads.front().similarity, 1, 1e-6);
    for (std::size_t i = 1; i < heads.size(); ++i) {
        EXPECT_LE(heads[i].similarity, heads[i - 1].similarity);
        double product = 0, own = 0, other = 0;
        const auto circuit =
            circuit_attention_by_distance(curve_of(setup, vectors, trained.spec.context), trained.spec.context);
        for (std::size_t distance = 0; distance < circuit.size(); ++distance) {
            const double trained_weight = result.attention_by_distance.row(heads[i].layer, heads[i].head)[distance];
            product += circuit[distance] * trained_weight;
            own += circuit[distance] * circuit[distance];
            other += trained_weight * trained_weight;
        }
        EXPECT_NEAR(heads[i].similarity, product / std::sqrt(own * other), 1e-12);
    }
    EXPECT_TRUE(similar_heads(ProbeResult(), {}).empty());
}

TEST_F(CircuitInRun, RefusesOtherFrequencies) {
    const Checkpoint trained = checkpoint();
    RotarySetup setup = setup_of(trained.spec);
    setup.theta *= 2;
    EXPECT_MESSAGE(replaced_head(trained.spec, 0, 0, head_of(setup, 1, 1), setup), BadInput,
                   "the run has " + text_of(setup_of(trained.spec)) + "; build the head with the RoPE settings");
    RunSpec fewer = trained.spec;
    fewer.pairs = "0-1";
    EXPECT_MESSAGE(replaced_head(fewer, 0, 0, head_of(setup, 1, 1), setup), BadInput,
                   " with the pairs 0-1; build the head");
    const RotarySetup own = setup_of(trained.spec);
    EXPECT_MESSAGE(loss_with(replaced_head(trained.spec, 9, 0, head_of(own, 1, 1), own)), BadInput, "layer 9");
}

}  // namespace

}  // namespace ropelab
