#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "core/contract/engine.h"
#include "core/plan/model_plan.h"
#include "core/rope/attention/circuit.h"
#include "core/rope/rotary_setup.h"
#include "core/run/checkpoint.h"
#include "core/stats/descriptive.h"

namespace ropelab {

/// First layer, in half pairing; fraction 0 if that layer has no RoPE.
RotarySetup setup_of(const RunSpec& spec);
/// Of a layer of any model, in half pairing; fraction 0 if the layer does not rotate. Throws BadInput if there is no
/// such layer, or if a setup cannot represent its queries and keys (latent attention, a gated DeltaNet) or its
/// frequencies (selected pairs, listed or trained ones).
RotarySetup setup_of_layer(const ModelPlan& plan, std::int64_t layer);

/// Of one head, before rotation (with QK norm, after the normalization): the query of one token and the key of another.
struct HeadVectors {
    // head_dim numbers, in the channel order of setup_of_layer.
    std::vector<double> query;
    std::vector<double> key;
    // Positions of the tokens.
    std::int64_t m = 0;
    std::int64_t n = 0;
};

/// BadInput if the run rotates only selected pairs or lists its frequencies: a rotary setup cannot represent this.
void require_plain_frequencies(const RunSpec& spec);

/// Of the query of token m and the key of token n; layer, head and tokens count from 0. Throws BadInput if the model or
/// the text has no such layer, head or token, and as setup_of_layer.
HeadVectors head_vectors(Model& model, const ModelPlan& plan, std::int64_t layer, std::int64_t head,
                         std::span<const std::int32_t> text, std::int64_t m, std::int64_t n);

/// The vectors are in the channel order of `setup`. Throws BadInput if the setup does not have the frequencies of the
/// run (setup_of), because the head would attend at other distances.
ReplacedHead replaced_head(const RunSpec& spec, std::int64_t layer, std::int64_t head, const CircuitVectors& vectors,
                           const RotarySetup& setup);

struct CircuitLoss {
    double before = 0;  // nats per token
    double after = 0;   // nats per token
    Description rise;   // after − before: mean and 95 % interval over the sequences
    std::int64_t sequences = 0;
    std::int64_t length = 0;  // tokens per sequence
};
/// On evenly spaced sequences of the validation split, about 4,096 tokens. Throws BadInput if the data is missing, as
/// corpus_of does. If `cancelled` returns true, the result has no sequences.
CircuitLoss measure_circuit(Engine& engine, const Checkpoint& checkpoint, const ReplacedHead& replaced,
                            const std::filesystem::path& data_dir, const std::function<bool()>& cancelled);

/// A trained head and its cosine similarity with a circuit.
struct HeadSimilarity {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    double similarity = 0;
    std::vector<double> attention;  // mean attention weight at ProbeResult::distances
};
/// The cosine similarity of the mean attention weights at the distances of the probe, for sequences of the probe's
/// length. The most similar head first; none if the probe did not measure attention. `logits` are those of
/// circuit_logits and need one number per token of the sequences.
std::vector<HeadSimilarity> similar_heads(const ProbeResult& probe, std::span<const double> logits);

}  // namespace ropelab
