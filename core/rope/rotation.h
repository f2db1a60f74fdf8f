#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

/// Pairing of the channels that are rotated together (formula 6). `half` pairs channel i with i + n/2, where n is the
/// rotary dimension for slice and the head dimension for truncate (Hugging Face, GPT-NeoX). `interleaved` pairs channel
/// 2i with 2i + 1 (GPT-J, RoFormer).
enum class Pairing { half, interleaved };

/// Table of cos and sin for a head, of shape (positions, pairs), row-major. The numbers are computed in double and
/// rounded once to float. They include the attention factor.
struct RotationTable {
    std::size_t positions = 0;
    std::size_t pairs = 0;
    std::vector<float> cosine;
    std::vector<float> sine;
};

/// Returns the table for the given positions, which may be any integers in any order.
RotationTable rotation_table(const Frequencies& frequencies, std::span<const std::int64_t> positions);

/// Returns the table for the positions 0 … count − 1 in the canonical pairing, which training uses for every fraction.
/// It has head_dim/2 pairs; pair i consists of the channels i and i + head_dim/2. Unrotated pairs have frequency 0.
RotationTable canonical_table(const FrequencySettings& settings, std::size_t count);

/// Rotates every head vector in place (formula 1). `x` has the shape (rows, time, head_dim), row-major, where rows are
/// batches and heads; time step t uses row t of the table. Channels that belong to no pair do not change. Throws
/// BadInput if the sizes do not fit.
void rotate(std::span<float> x, std::size_t head_dim, const RotationTable& table, Pairing pairing);

/// Returns the permutation from a layout of channels to the canonical pairing: element c is the channel in the layout
/// of `rotary_dim`, `partial` and `pairing` that becomes channel c of the canonical layout. Rotating the permuted
/// channels with canonical_table is equivalent to rotating the original ones. The result has head_dim elements.
std::vector<std::int64_t> canonical_channels(int head_dim, int rotary_dim, Partial partial, Pairing pairing);

}  // namespace ropelab
