#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"
#include "core/rope/rotation.h"

namespace ropelab {

/// Formula 7, all divided by √d.
struct LogitSplit {
    std::vector<double> pairs;  // one per pair (rotated or frozen), highest frequency first
    double unrotated = 0;       // contribution of the channels that belong to no pair
    double total = 0;           // the logit: sum of all contributions
};

/// The query is at position m, the key at n; both are given before rotation, with head_dim channels. Positions are
/// rounded to the format `positions` first, as in a program that stores positions in this format; angles are then
/// computed in double. Throws BadInput if the sizes do not fit.
LogitSplit split_logit(std::span<const double> query, std::span<const double> key, std::int64_t m, std::int64_t n,
                       const Frequencies& frequencies, Partial partial, Pairing pairing,
                       NumberFormat positions = NumberFormat::float64);

/// `head_dim` independent normal numbers of mean 0 and variance 1, in the canonical layout of channels (rotation.h).
/// The first numbers do not depend on `head_dim`.
std::vector<double> random_query(std::int64_t seed, int head_dim);
std::vector<double> random_key(std::int64_t seed, int head_dim);

/// A vector of the canonical layout in that of `channels` = canonical_channels(…), so that a pair has the same numbers
/// in every layout. Both have head_dim elements.
std::vector<double> laid_out(std::span<const double> canonical, std::span<const std::int64_t> channels);

/// Indices (formula 6).
struct ChannelPair {
    std::size_t first = 0;
    std::size_t second = 0;
};
/// rotary_dim/2 pairs for slice, head_dim/2 pairs for truncate.
std::vector<ChannelPair> channel_pairs(int head_dim, int rotary_dim, Partial partial, Pairing pairing);

/// k = R_r q, whose logit with the query q is largest if it stands r = `distance` tokens before q (formula 17). The
/// attention factor is not applied, so the key has the norm of the query.
std::vector<double> aimed_key(std::span<const double> query, double distance, const Frequencies& frequencies,
                              Partial partial, Pairing pairing);

/// K(Δ) = Σ_i cos(Δω_i) over the rotated pairs (ω_i > 0) for Δ = 0 … count − 1.
std::vector<double> kernel(std::span<const double> inverse_frequencies, std::size_t count);

/// One pair of a query at m and a key at n, and its term of the logit (formula 7). A vector is a complex number: the
/// first channel is the real part. Angles are in radians and counterclockwise; a positive position rotates
/// counterclockwise, and angles between vectors are counted from k to q.
struct PairTerm {
    std::int64_t m = 0;
    std::int64_t n = 0;
    double frequency = 0;                // ω_i, in radians per token
    std::complex<double> query;          // q_i
    std::complex<double> key;            // k_i
    std::complex<double> rotated_query;  // R_m q_i
    std::complex<double> rotated_key;    // R_n k_i
    double query_norm = 0;               // ‖q_i‖
    double key_norm = 0;                 // ‖k_i‖
    double query_rotation = 0;           // m·ω_i
    double key_rotation = 0;             // n·ω_i
    double relative_rotation = 0;        // (m − n)·ω_i
    /// φ: the angle from k_i to q_i, above −π and at most π; 0 if one of them is 0.
    double phase = 0;
    /// φ + (m − n)·ω_i: from the rotated k_i to the rotated q_i, with all periods.
    double angle = 0;
    /// Without whole periods, from −π to π.
    double reduced_angle = 0;
    /// ‖q_i‖ cos(angle): signed projection of the rotated q_i on the rotated k_i.
    double projection = 0;
    /// ‖q_i‖ ‖k_i‖ cos(angle): dot product of the rotated vectors.
    double product = 0;
    double attention_factor = 1;
    int head_dim = 0;
    /// In the logit: the product times the square of the attention factor, divided by √d.
    double term = 0;
};

/// Before rotation; `frequency` in radians per token. Throws BadInput if `head_dim` is not positive.
PairTerm pair_term(std::complex<double> query, std::complex<double> key, std::int64_t m, std::int64_t n,
                   double frequency, double attention_factor, int head_dim);

// Changes of an attention logit with the distance Δ, relative to distance 0 (formula 60). The query equals the key, and
// each of their channels has mean square 1, so that ‖q‖² = ‖k‖² = d and every pair contributes 2·cos(Δω_i)/√d.

/// In nats: (2/√d)·f²·Σ_i (cos(Δω_i) − 1) over the rotated pairs, where f is the attention factor.
double rotation_change(const Frequencies& frequencies, int head_dim, double distance);

/// As rotation_change, with each cosine multiplied by ζ_i^(Δ/scale_base) (formula 42).
double xpos_change(const Frequencies& frequencies, int head_dim, double distance, double scale_base);

/// Cosine similarity of two positions (formula 30), (2/C)·Σ_i cos(Δ·10000^(−2i/C)) for the model's width C, which must
/// be even. It does not depend on the positions themselves.
double sinusoidal_similarity(std::int64_t width, double distance);

}  // namespace ropelab
