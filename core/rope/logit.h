#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"
#include "core/rope/rotation.h"

namespace ropelab {

/// Contributions of the pairs to an attention logit (formula 7), all divided by √d.
struct LogitSplit {
    std::vector<double> pairs;  // one per pair (rotated or frozen), highest frequency first
    double unrotated = 0;       // contribution of the channels that belong to no pair
    double total = 0;           // the logit: sum of all contributions
};

/// Computes the logit of the query `query` at position m and the key `key` at position n, split by pairs. The vectors
/// are given before rotation and have head_dim channels. Positions are rounded to the format `positions` first, as in a
/// program that stores positions in this format; angles are then computed in double. Throws BadInput if the sizes do
/// not fit.
LogitSplit split_logit(std::span<const double> query, std::span<const double> key, std::int64_t m, std::int64_t n,
                       const Frequencies& frequencies, Partial partial, Pairing pairing,
                       NumberFormat positions = NumberFormat::float64);

/// Return a random query and a random key of `head_dim` independent normal numbers of mean 0 and variance 1, which
/// depend on the seed. The first numbers do not depend on the head dimension.
std::vector<double> random_query(std::int64_t seed, int head_dim);
std::vector<double> random_key(std::int64_t seed, int head_dim);

/// Indices of the two channels of a pair (formula 6).
struct ChannelPair {
    std::size_t first = 0;
    std::size_t second = 0;
};
/// Returns the channels of each pair of a head: rotary_dim/2 pairs for slice, head_dim/2 pairs for truncate.
std::vector<ChannelPair> channel_pairs(int head_dim, int rotary_dim, Partial partial, Pairing pairing);

/// Returns the key k = R_r q whose logit with the query q is largest if it stands r = `distance` tokens before q
/// (formula 17). The attention factor is not applied, so the key has the norm of the query.
std::vector<double> aimed_key(std::span<const double> query, double distance, const Frequencies& frequencies,
                              Partial partial, Pairing pairing);

/// Returns the rotation matrix R_m of position m, of shape (head_dim, head_dim), row-major. The matrix is orthogonal;
/// the attention factor is not applied.
std::vector<double> rotation_matrix(int head_dim, double position, const Frequencies& frequencies, Partial partial,
                                    Pairing pairing);

/// Returns the kernel K(Δ) = Σ_i cos(Δω_i) over the rotated pairs (ω_i > 0) for the distances Δ = 0 … count − 1.
std::vector<double> kernel(std::span<const double> inverse_frequencies, std::size_t count);

}  // namespace ropelab
