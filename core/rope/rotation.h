#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

/// Which two channels of a head turn together (F6). `half`: i with i + n/2 (Hugging Face, GPT-NeoX), n being the rotary
/// dimension for slice and the head dimension for truncate. `interleaved`: 2i with 2i + 1 (GPT-J, RoFormer).
enum class Pairing { half, interleaved };

/// The cos/sin table of a head: positions × pairs, row-major. Angles, cosines and sines are computed in double and
/// rounded once, to float; both carry the attention factor.
struct RotationTable {
    std::size_t positions = 0;
    std::size_t pairs = 0;
    std::vector<float> cosine;
    std::vector<float> sine;
};

/// A table for the given positions (any integers, in any order).
RotationTable rotation_table(const Frequencies& frequencies, std::span<const std::int64_t> positions);

/// A table in the one pairing that training uses whatever the fraction: head_dim/2 pairs, i with i + head_dim/2, the
/// unrotated ones with frequency 0; positions 0 … count − 1.
RotationTable canonical_table(const FrequencySettings& settings, std::size_t count);

/// Turns every head in place (F1). `x`: rows × time × head_dim, row-major, where row runs over batch and heads; time
/// step t stands at the table's row t. Channels that belong to no pair pass unchanged. Throws BadInput where the sizes
/// do not fit.
void rotate(std::span<float> x, std::size_t head_dim, const RotationTable& table, Pairing pairing);

/// For each channel of the canonical layout, head_dim in all, the channel of the layout that `rotary_dim`, `partial`
/// and `pairing` make: rotating canonical channels with canonical_table equals rotating the original ones.
std::vector<std::int64_t> canonical_channels(int head_dim, int rotary_dim, Partial partial, Pairing pairing);

}  // namespace ropelab
