#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"

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

// Errors of a cos/sin table in a number format such as bfloat16. They have two causes, which are measured separately:
// the cosines and sines are rounded when they are stored, and the angles are inexact if they are computed in the
// format.

/// Returns the angle mω_i of a table entry in radians. If `computed_in_format` is true, the position, the frequency and
/// their product are each rounded to `format`; the angle is infinite if the format cannot represent it. Otherwise the
/// angle is computed in double.
double table_angle(std::int64_t position, double inverse_frequency, NumberFormat format, bool computed_in_format);

/// Cosine and sine in one entry of the table.
struct TableEntry {
    double cosine = 1;
    double sine = 0;
};
/// Returns the cosine and sine of an angle times the attention factor, rounded to `format`; NaN for an infinite angle.
TableEntry table_entry(double angle, double attention_factor, NumberFormat format);

/// Largest absolute errors of cosine and sine relative to double precision, one number per pair.
struct TableErrors {
    /// Error if angles are computed in double and only the table is rounded to the format.
    std::vector<double> stored;
    /// Error if angles are computed in the format and the table is stored in double; infinity if an angle is infinite.
    std::vector<double> computed;
};
TableErrors table_errors(const Frequencies& frequencies, std::span<const std::int64_t> positions, NumberFormat format);

/// Returns about `max_count` positions from `first` to `last`, both included, with a constant odd stride. An even
/// stride would miss errors, because a format with a short significand represents every second, fourth, … position
/// exactly.
std::vector<std::int64_t> sampled_positions(std::int64_t first, std::int64_t last, std::int64_t max_count);

}  // namespace ropelab
