#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/rope/circuit.h"
#include "core/rope/rotary_setup.h"
#include "core/spec/engine.h"
#include "core/stats/descriptive.h"

namespace ropelab {

// A hand-built head (core/rope/circuit.h) inside a trained model, and beside its trained heads.

/// Returns the replacement of one head of a run by a circuit, whose vectors are in the channel order of `setup`. Throws
/// BadInput if the setup does not have the frequencies of the run (setup_of), because the head would attend at other
/// distances.
ReplacedHead replaced_head(const RunSpec& spec, std::int64_t layer, std::int64_t head, const CircuitVectors& vectors,
                           const RotarySetup& setup);

/// Validation loss of a checkpoint with its own heads and with one replaced head, on the same sequences.
struct CircuitLoss {
    double before = 0;  // nats per token
    double after = 0;   // nats per token
    Description rise;   // after − before: mean and 95 % interval over the sequences
    std::int64_t sequences = 0;
    std::int64_t length = 0;  // tokens per sequence
};
/// Measures the loss of a checkpoint on evenly spaced sequences of its validation split, about 4,096 tokens, before and
/// after a head is replaced. Throws BadInput if the data is missing, as corpus_of does. If `cancelled` returns true,
/// the result has no sequences.
CircuitLoss measure_circuit(Engine& engine, const Checkpoint& checkpoint, const ReplacedHead& replaced,
                            const std::filesystem::path& data_dir, const std::function<bool()>& cancelled);

/// A trained head and its cosine similarity with a circuit.
struct HeadSimilarity {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    double similarity = 0;
    std::vector<double> attention;  // mean attention weight at ProbeResult::distances
};
/// Compares the attention by distance of a circuit with that of all heads of a probe: the cosine similarity of the mean
/// attention weights at the distances of the probe, for sequences of the probe's length. Returns the heads with the
/// most similar one first; none if the probe did not measure attention. `logits` are those of circuit_logits and need
/// one number per token of the sequences.
std::vector<HeadSimilarity> similar_heads(const ProbeResult& probe, std::span<const double> logits);

}  // namespace ropelab
