// Heads whose query and key a probe replaces, against the attention that core/rope computes for the same vectors.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/rope/attention/circuit.h"
#include "core/rope/rotation.h"
#include "tests/core/engine/probe/probed_run.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

struct Replaced {
    ReplacedHead head;
    Frequencies frequencies;  // in the canonical pairing: one per pair of the head
};

/// Returns a head of a run that attends `distance` tokens back. Its vectors are in the canonical pairing, which equals
/// the pairing `half` of a head all of whose pairs have a frequency.
Replaced replaced_head(const RunSpec& spec, std::int64_t layer, std::int64_t head, double distance, double norm) {
    Frequencies all = frequencies(
        {.head_dim = spec.head_dim(), .theta = spec.theta, .fraction = spec.fraction, .partial = spec.partial});
    all.inverse_frequencies.resize(static_cast<std::size_t>(spec.head_dim() / 2), 0.0);
    all.rotary_dim = spec.head_dim();
    const CircuitVectors vectors =
        circuit_at_distance(distance, norm, spec.head_dim(), all, Partial::slice, Pairing::half);
    return {{layer, head, vectors.query, vectors.key}, all};
}

void expect_circuit(const RunSpec& spec) {
    const auto tokens = tiny_tokens(400);
    const auto cohort = trained(spec, tokens);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3, 200});
    request.map_size = spec.context;
    const ProbeResult before = cohort->probe(0, request);
    const Replaced replaced = replaced_head(spec, 1, 1, 2, 3);
    request.replaced_heads = {replaced.head};
    const ProbeResult after = cohort->probe(0, request);

    const std::vector<double> logits = circuit_logits(replaced.head.query, replaced.head.key, replaced.frequencies,
                                                      Partial::slice, Pairing::half, spec.context);
    const std::vector<double> expected = circuit_attention(logits, spec.context);
    const auto map = after.attention.row(1, 1);
    ASSERT_EQ(map.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(map[i], expected[i], 1e-5) << i;
    const std::vector<double> by_distance = circuit_attention_by_distance(logits, spec.context);
    for (std::int64_t distance = 0; distance < spec.context; ++distance) {
        EXPECT_NEAR(after.attention_by_distance.row(1, 1)[static_cast<std::size_t>(distance)],
                    by_distance[static_cast<std::size_t>(distance)], 1e-5);
    }
    EXPECT_NE(after.loss, before.loss);
    // The other heads of the layer see the same tokens as before.
    const auto other_before = before.attention.row(1, 0);
    const auto other_after = after.attention.row(1, 0);
    for (std::size_t i = 0; i < other_before.size(); ++i) EXPECT_NEAR(other_after[i], other_before[i], 1e-6) << i;

    // The intervention needs no measurement inside the model.
    request.map_size = 0;
    request.vectors = request.attention = false;
    EXPECT_NEAR(cohort->probe(0, request).loss, after.loss, 1e-6);
    request.replaced_heads.clear();
    EXPECT_NEAR(cohort->probe(0, request).loss, before.loss, 1e-5);
}

TEST(ReplacedHeads, AttendAsComputedFromTheirVectors) {
    expect_circuit(quick_spec());
}

TEST(ReplacedHeads, LeaveTheOtherHeadsOfAGroup) {
    RunSpec spec = quick_spec();
    spec.block = Block::llama;
    spec.heads = 4;
    spec.width = 32;
    spec.key_value_heads = 2;
    spec.qk_norm = QkNorm::head;
    spec.fraction = 0.5;
    expect_circuit(spec);
}

TEST(ReplacedHeads, RefuseWhatDoesNotFit) {
    const auto tokens = tiny_tokens(400);
    const RunSpec spec = quick_spec();
    const auto cohort = trained(spec, tokens, 0);
    ProbeRequest request;
    request.sequences = sequences_at(tokens, spec.context, {3});
    const ReplacedHead good = replaced_head(spec, 0, 0, 1, 1).head;
    ReplacedHead bad = good;
    bad.layer = spec.layers;
    request.replaced_heads = {bad};
    EXPECT_MESSAGE(cohort->probe(0, request), BadInput, "layers 0 to " + std::to_string(spec.layers - 1));
    bad = good;
    bad.key.pop_back();
    request.replaced_heads = {bad};
    EXPECT_MESSAGE(cohort->probe(0, request), BadInput, "the head dimension of this model");
    bad = good;
    bad.query[0] = std::nan("");
    request.replaced_heads = {bad};
    EXPECT_MESSAGE(cohort->probe(0, request), BadInput, "finite");
}

}  // namespace
}  // namespace ropelab
