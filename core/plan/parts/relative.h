#pragma once

#include <string>
#include <variant>

#include "core/plan/stage.h"

// Position encodings that change the attention scores: one struct each, with all that anyone asks of it. Their forward
// passes are in core/model/attention/position.cpp.

namespace ropelab {

struct Heads {
    Count h;   // of queries
    Count kv;  // of keys and values
    Count D;   // channels per head
    bool operator==(const Heads&) const = default;
};

/// Scores are products only.
struct PlainScores {
    bool operator==(const PlainScores&) const = default;
};
/// ALiBi (formula 25): scores are lowered in proportion to distance.
struct Alibi {
    bool operator==(const Alibi&) const = default;
};
/// T5's learned bias of buckets of distances, which all layers share (formula 40).
struct DistanceBias {
    std::int64_t buckets;
    bool operator==(const DistanceBias&) const = default;
};
/// Shaw's learned vectors of clipped distances (formula 39).
struct Shaw {
    std::int64_t vectors;
    bool operator==(const Shaw&) const = default;
};
/// Transformer-XL's embeddings of distances and two biases (formula 41).
struct TransformerXl {
    std::int64_t sequences;  // of a pass, which share the products of the distances
    bool operator==(const TransformerXl&) const = default;
};
/// CoPE's contextual positions (formula 43).
struct Cope {
    std::int64_t positions;
    bool operator==(const Cope&) const = default;
};
using Relative = std::variant<PlainScores, Alibi, DistanceBias, Shaw, TransformerXl, Cope>;

/// What an encoding of scores adds to a model and changes in it.
struct RelativeFacts {
    std::string name = "";   // among the words of the scores: "ALiBi"; "" if it changes nothing
    std::string score = {};  // formula of the scores
    Stages shared = {};      // before the layers
    Stages keys = {};        // before the scores
    Stages values = {};      // after the weighted values
    /// Numbers per attention probability that the backward pass keeps, as measured.
    double kept_per_score = 0;
};
/// Returns the facts of an encoding in layers with these heads; `score` is the formula of the scores without it.
RelativeFacts facts_of(const Relative& relative, const PlanSizes& sizes, const Heads& heads, const std::string& score);
/// Returns whether the attention kernel computes the scores (core/plan/kernels.h).
bool is_fused(const Relative& relative);

}  // namespace ropelab
