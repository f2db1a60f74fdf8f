#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ropelab {

/// float64 is the reference to which the others are compared.
enum class NumberFormat { float64, float32, float16, bfloat16 };

const std::array<NumberFormat, 4>& number_formats();
/// "float64", "float32", "float16" or "bfloat16".
std::string_view word_of(NumberFormat format);
/// Throws BadInput if there is none.
NumberFormat parse_number_format(std::string_view word);
int bytes_of(NumberFormat format);

/// Rounds to nearest, ties to even; infinite beyond the format's largest finite number (65,504 for float16).
double rounded(double value, NumberFormat format);

/// Counted from 0: 2^p + 1, where p is the number of bits of the significand; 257 for bfloat16.
std::int64_t first_inexact_position(NumberFormat format);

}  // namespace ropelab
