#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"

namespace ropelab {

// What a number format does to a cos/sin table (F31's table). Two causes are kept apart: the finished numbers are
// rounded when they are stored, and the angles are wrong already where they were computed in the format.

/// The angle m·g that a program gets: exact in double, or with the position, the inverse frequency and their product
/// each rounded to `format`, as a program does that counts positions in it. Infinite past what the format can hold.
double table_angle(std::int64_t position, double inverse_frequency, NumberFormat format, bool computed_in_format);

/// A number of the table.
struct TableEntry {
    double cosine = 1;
    double sine = 0;
};
/// Cosine and sine of an angle times the attention factor, rounded to `format`; NaN for an infinite angle.
TableEntry table_entry(double angle, double attention_factor, NumberFormat format);

/// The largest absolute error of cosine or sine against double, one number a pair.
struct TableErrors {
    /// Angles in double, numbers rounded to the format.
    std::vector<double> stored;
    /// Angles computed in the format, numbers in double; infinity where an angle is.
    std::vector<double> computed;
};
/// Over the given positions.
TableErrors table_errors(const Frequencies& frequencies, std::span<const std::int64_t> positions, NumberFormat format);

/// At most about `most` positions of first … last, both included. The distance between neighbours is odd: every second,
/// fourth, … position is just what a short significand can hold, so an even stride would miss the errors.
std::vector<std::int64_t> sampled_positions(std::int64_t first, std::int64_t last, std::int64_t most);

}  // namespace ropelab
