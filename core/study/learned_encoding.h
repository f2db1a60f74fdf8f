#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/run/checkpoint.h"

namespace ropelab {

/// Learned by one head (formula 60).
struct LearnedEncoding {
    /// `change`: from distance 0, in nats. `deviation`: of the logit's term over random queries with channels of
    /// variance 1, in nats. `similarity`: mean cosine similarity of the position embeddings.
    enum class Kind { change, deviation, similarity } kind = Kind::change;
    /// One per requested distance; NaN for a distance that the model does not have.
    std::vector<double> values;
};

/// From the weights, without the engine. Layers and heads count from 0; distances must not be negative. Encodings that
/// all layers or heads share do not depend on `layer` or `head`. nullopt if the run's encoding has no learned part.
/// Throws BadInput for an unknown layer or head, and if the checkpoint lacks a weight.
std::optional<LearnedEncoding> learned_encoding(const Checkpoint& checkpoint, std::int64_t layer, std::int64_t head,
                                                std::span<const std::int64_t> distances);

}  // namespace ropelab
