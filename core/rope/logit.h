#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"
#include "core/rope/rotation.h"

namespace ropelab {

/// A logit split by pairs (F7), scaled by 1/√d.
struct LogitSplit {
    std::vector<double> pairs;  // one a rotated or stopped pair, fastest first
    double unrotated = 0;       // the channels outside every pair
    double total = 0;
};

/// The logit of q at position m and k at position n, both head_dim long, before rotation. Angles in double where
/// `positions` is float64; otherwise each position is first rounded to that format, as a program that counts in it
/// does.
LogitSplit split_logit(std::span<const double> query, std::span<const double> key, std::int64_t m, std::int64_t n,
                       const Frequencies& frequencies, Partial partial, Pairing pairing,
                       NumberFormat positions = NumberFormat::float64);

/// The two channels of pair i (F6).
struct ChannelPair {
    std::size_t first = 0;
    std::size_t second = 0;
};
std::vector<ChannelPair> channel_pairs(int head_dim, int rotary_dim, Partial partial, Pairing pairing);

/// k = R_r q (F17): the key that q finds at `distance` tokens before it, where its logit has the maximum. A rotation
/// only: the attention factor is left out.
std::vector<double> aimed_key(std::span<const double> query, double distance, const Frequencies& frequencies,
                              Partial partial, Pairing pairing);

/// R_m written out: head_dim × head_dim, row-major, orthogonal (without the attention factor).
std::vector<double> rotation_matrix(int head_dim, double position, const Frequencies& frequencies, Partial partial,
                                    Pairing pairing);

/// K(Δ) = Σ_i cos(Δ g_i) over the pairs that turn, Δ = 0 … count − 1.
std::vector<double> kernel(std::span<const double> inverse_frequencies, std::size_t count);

}  // namespace ropelab
