#include "core/study/circuit_in_run.h"

#include <cmath>

#include "core/study/head_vectors.h"
#include "core/run/probing.h"
#include "core/rope/circuit.h"
#include "core/spec/error.h"
#include "tests/core/run/trained_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

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
                   "with the RoPE settings of the run");
    const RotarySetup own = setup_of(trained.spec);
    EXPECT_MESSAGE(loss_with(replaced_head(trained.spec, 9, 0, head_of(own, 1, 1), own)), BadInput, "layer 9");
}

}  // namespace
}  // namespace ropelab
