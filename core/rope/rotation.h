#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"

namespace ropelab {

/// Formula 6. `half` pairs channel i with i + n/2, where n is the rotary dimension for slice and the head dimension for
/// truncate (Hugging Face, GPT-NeoX). `interleaved` pairs channel 2i with 2i + 1 (GPT-J, RoFormer).
enum class Pairing { half, interleaved };

/// Cos and sin with the attention factor, (positions, pairs), row-major, computed in double and rounded once to float.
struct RotationTable {
    std::size_t positions = 0;
    std::size_t pairs = 0;
    std::vector<float> cosine;
    std::vector<float> sine;
};

/// Positions may be any integers in any order.
RotationTable rotation_table(const Frequencies& frequencies, std::span<const std::int64_t> positions);

/// In place (formula 1). `x`: (rows, time, head_dim), row-major, where rows are batches and heads; time step t uses row
/// t of the table. Channels that belong to no pair do not change. Throws BadInput if the sizes do not fit.
void rotate(std::span<float> x, std::size_t head_dim, const RotationTable& table, Pairing pairing);

/// Element c is the channel in the layout that becomes channel c of the canonical layout, 0 ≤ c < head_dim, which
/// training uses for every fraction: pair i of head_dim/2 consists of the channels i and i + head_dim/2. Rotating them
/// so, with frequency 0 for unrotated pairs, is equivalent.
std::vector<std::int64_t> canonical_channels(int head_dim, int rotary_dim, Partial partial, Pairing pairing);

// Errors in a format such as bfloat16 have two causes, which are measured separately: cosines and sines are rounded
// when they are stored, and the angles are inexact if they are computed in the format.

/// mω_i in radians. If `computed_in_format` is true, the position, the frequency and their product are each rounded to
/// `format`; the angle is infinite if the format cannot represent it. Otherwise the angle is computed in double.
double table_angle(std::int64_t position, double inverse_frequency, NumberFormat format, bool computed_in_format);

struct TableEntry {
    double cosine = 1;
    double sine = 0;
};
/// Times the attention factor, rounded to `format`; NaN for an infinite angle.
TableEntry table_entry(double angle, double attention_factor, NumberFormat format);

/// The largest absolute errors relative to double precision, one number per pair.
struct TableErrors {
    /// Angles in double, only the table is rounded.
    std::vector<double> stored;
    /// Angles in the format, the table in double; infinity if an angle is infinite.
    std::vector<double> computed;
    /// 1: over all positions; else over every stride-th one, an odd number, up to the last one. An even stride would
    /// miss errors, because a format with a short significand represents every second, fourth, … position exactly.
    std::int64_t stride = 1;
};
/// Of the positions 0 … count − 1, of which at most 2^20 are computed.
TableErrors table_errors(const Frequencies& frequencies, std::int64_t count, NumberFormat format);

}  // namespace ropelab
