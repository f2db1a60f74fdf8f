#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ropelab {

/// How a number is stored. The first is the reference that tables are compared with.
enum class NumberFormat { float64, float32, float16, bfloat16 };

const std::array<NumberFormat, 4>& number_formats();
std::string_view word_of(NumberFormat format);
/// Throws BadInput for an unknown word.
NumberFormat parse_number_format(std::string_view word);
/// Bytes a number.
int bytes_of(NumberFormat format);

/// The nearest number that the format can hold, ties to even; infinity past its largest (65,504 for float16).
double rounded(double value, NumberFormat format);

/// The first position (from 0) that the format cannot tell from its neighbour: 257 for bfloat16 (2^p + 1, p the bits
/// of the significand).
std::int64_t first_wrong_position(NumberFormat format);

}  // namespace ropelab
