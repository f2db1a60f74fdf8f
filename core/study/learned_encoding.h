#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/run/checkpoint.h"

namespace ropelab {

/// The position encoding that one head of a trained run has learned (formula 60).
struct LearnedEncoding {
    /// Meaning of the values. `change`: change of the logit from distance 0, in nats. `deviation`: standard deviation
    /// of the term of the logit over random queries with channels of variance 1, in nats. `similarity`: mean cosine
    /// similarity of the position embeddings at this distance.
    enum class Kind { change, deviation, similarity } kind = Kind::change;
    /// One value per requested distance; NaN for a distance that the model does not have.
    std::vector<double> values;
};

/// Computes what a run has learned about positions from its weights, without the engine: by layer and head, both
/// counted from 0, at the given distances, which must not be negative. Encodings that all layers or heads share do not
/// depend on `layer` or `head`. Returns nullopt if the run's encoding has no learned part. Throws BadInput for an
/// unknown layer or head, and if the checkpoint lacks a weight.
std::optional<LearnedEncoding> learned_encoding(const Checkpoint& checkpoint, std::int64_t layer, std::int64_t head,
                                                std::span<const std::int64_t> distances);

}  // namespace ropelab
