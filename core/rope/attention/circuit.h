#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/rotation.h"

namespace ropelab {

// Attention heads that are built by hand: every token has the same query and the same key before rotation, so the
// logits depend only on the distance Δ = m − n (formula 7): Σ ‖q_i‖ ‖k_i‖ cos(φ_i + Δω_i)/√d, where φ_i is the angle
// from k_i to q_i. The norms and the phases of the pairs determine at which distance the head attends.

/// Before rotation; head_dim numbers each.
struct CircuitVectors {
    std::vector<double> query;
    std::vector<double> key;

    bool operator==(const CircuitVectors&) const = default;
};

/// A head that attends `distance` tokens back: every pair of the query and of the key has the norm `norm`, and the
/// phases are φ_i = −distance·ω_i, so that all pairs have their largest term at this distance (formula 17). Distance 0
/// is a diagonal head, distance 1 a previous-token head. Channels that belong to no pair are 0. Throws BadInput if the
/// norm is not finite or negative, or the distance is negative.
CircuitVectors circuit_at_distance(double distance, double norm, int head_dim, const Frequencies& frequencies,
                                   Partial partial, Pairing pairing);

/// Without the norms of all but the `pairs` fastest pairs.
CircuitVectors with_fast_pairs(CircuitVectors vectors, std::size_t pairs, const Frequencies& frequencies,
                               Partial partial, Pairing pairing);

/// At Δ = 0 … count − 1, as split_logit, the unrotated part included. Throws BadInput if the sizes do not fit.
std::vector<double> circuit_logits(std::span<const double> query, std::span<const double> key,
                                   const Frequencies& frequencies, Partial partial, Pairing pairing, std::size_t count);

/// (tokens, tokens), row-major: row m is the softmax of the logits at the distances m, m − 1, …, 0, followed by zeros.
/// Throws BadInput if `logits` has not one number per distance below `tokens`.
std::vector<double> circuit_attention(std::span<const double> logits, std::int64_t tokens);

/// Weights at the distances 0 … tokens − 1 of one query with `tokens` keys, itself included. Throws BadInput like
/// circuit_attention, and without tokens.
std::vector<double> circuit_weights(std::span<const double> logits, std::int64_t tokens);

/// Mean weight at the distances 0 … tokens − 1 over the queries that have a key at this distance, as
/// ProbeResult::attention_by_distance measures it inside a model. Queries in front of position `first` are left out,
/// because few keys have large weights. Throws BadInput like circuit_attention.
std::vector<double> circuit_attention_by_distance(std::span<const double> logits, std::int64_t tokens,
                                                  std::int64_t first = 0);

/// Distance at which a circuit attends: index of the largest logit, the first of equal ones. BadInput for none.
std::int64_t circuit_peak(std::span<const double> logits);

/// Σ ab/(‖a‖ ‖b‖), without subtracting means; NaN if a curve is 0 everywhere. Throws BadInput if the lengths differ.
double cosine_similarity(std::span<const double> a, std::span<const double> b);

}  // namespace ropelab
