#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/contract/engine.h"
#include "core/rope/circuit.h"
#include "core/rope/rotary_setup.h"
#include "core/run/checkpoint.h"
#include "core/stats/descriptive.h"

namespace ropelab {

/// First layer, in half pairing; fraction 0 if that layer has no RoPE.
RotarySetup setup_of(const RunSpec& spec);

/// Query and key of one head of the first layer, before rotation.
struct HeadVectors {
    // head_dim numbers, in the channel order of setup_of(spec).
    std::vector<double> query;
    std::vector<double> key;
};

/// BadInput if the run rotates only selected pairs or lists its frequencies: a rotary setup cannot represent this.
void require_plain_frequencies(const RunSpec& spec);

/// `head` counts from 0; `query` at position m and `key` at n are one UTF-8 character each. The vectors depend on no
/// other token, and on m and n (both ≥ 0) only if the model has position embeddings. Throws BadInput for unknown heads
/// and tokens, and as require_plain_frequencies.
HeadVectors head_vectors(Model& model, const Checkpoint& checkpoint, std::int64_t head, std::string_view query,
                         std::string_view key, std::int64_t m = 0, std::int64_t n = 0);

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
