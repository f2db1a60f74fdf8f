#pragma once

#include <string>
#include <variant>

#include "core/plan/stage.h"

// Position encodings that change the attention scores. Their forward passes are in core/engine/attention/relative.cpp.

namespace ropelab {

struct Heads {
    Count h;   // of queries
    Count kv;  // of keys and values
    Count D;   // channels per head
    bool operator==(const Heads&) const = default;
};

struct PlainScores {
    bool operator==(const PlainScores&) const = default;
};
/// Formula 25: scores are lowered in proportion to distance.
struct Alibi {
    bool operator==(const Alibi&) const = default;
};
/// T5's learned bias, which all layers share (formula 40).
struct DistanceBias {
    std::int64_t buckets;
    std::int64_t largest_distance;  // from which on the last bucket applies
    bool operator==(const DistanceBias&) const = default;
};
/// Learned vectors of clipped distances (formula 39).
struct Shaw {
    std::int64_t vectors;
    bool operator==(const Shaw&) const = default;
};
/// Embeddings of distances and two biases (formula 41).
struct TransformerXl {
    std::int64_t sequences;  // of a pass, which share the products of the distances
    bool operator==(const TransformerXl&) const = default;
};
/// Contextual positions (formula 43).
struct Cope {
    std::int64_t positions;
    bool operator==(const Cope&) const = default;
};
/// KERPLE's logarithmic kernel, which all layers share (formula 63).
struct Kerple {
    bool operator==(const Kerple&) const = default;
};
using Relative = std::variant<PlainScores, Alibi, DistanceBias, Shaw, TransformerXl, Cope, Kerple>;

/// What an encoding of scores adds to a model and changes in it.
struct RelativeFacts {
    std::string name = "";   // among the words of the scores: "ALiBi"; "" if it changes nothing
    std::string score = {};  // formula of the scores
    Stages shared = {};      // before the layers
    Stages keys = {};        // before the scores
    Stages values = {};      // after the weighted values
    /// For the backward pass, per attention probability, as measured; with LibTorch's operations on a device, besides
    /// the probabilities: the logits of the encoding's operations.
    double kept_per_score = 0;
    double kept_logits_by_libtorch = 0;
};
/// In layers with these heads; `score` is the formula of the scores without the encoding.
RelativeFacts facts_of(const Relative& relative, const PlanSizes& sizes, const Heads& heads, const std::string& score);
bool is_fused(const Relative& relative);

}  // namespace ropelab
