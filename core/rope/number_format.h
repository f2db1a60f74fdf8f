#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ropelab {

/// Floating-point format of stored numbers. float64 is the reference to which the others are compared.
enum class NumberFormat { float64, float32, float16, bfloat16 };

/// Returns all formats, in the order of the enumeration.
const std::array<NumberFormat, 4>& number_formats();
/// Returns the name of a format: "float64", "float32", "float16" or "bfloat16".
std::string_view word_of(NumberFormat format);
/// Returns the format with the given name. Throws BadInput if there is none.
NumberFormat parse_number_format(std::string_view word);
/// Returns the number of bytes per number.
int bytes_of(NumberFormat format);

/// Rounds a number to the nearest number that the format can represent, ties to even. The result is infinite beyond the
/// largest finite number of the format (65,504 for float16).
double rounded(double value, NumberFormat format);

/// Returns the smallest position (counted from 0) that the format cannot represent: 2^p + 1, where p is the number of
/// bits of the significand; 257 for bfloat16.
std::int64_t first_inexact_position(NumberFormat format);

}  // namespace ropelab
