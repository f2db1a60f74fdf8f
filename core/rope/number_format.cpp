#include "core/rope/number_format.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

struct BitLayout {
    std::string_view word;
    int bytes;
    int significand_bits;  // including the implicit leading 1
    int min_exponent;      // the smallest subnormal number is 2^min_exponent
    int max_exponent;      // every finite number is below 2^max_exponent
};

const BitLayout& layout(NumberFormat format) {
    static constexpr std::array<BitLayout, 4> layouts = {{
        {"float64", 8, 53, -1074, 1024},
        {"float32", 4, 24, -149, 128},
        {"float16", 2, 11, -24, 16},
        {"bfloat16", 2, 8, -133, 128},
    }};
    return layouts.at(static_cast<std::size_t>(format));
}

}  // namespace

const std::array<NumberFormat, 4>& number_formats() {
    static constexpr std::array<NumberFormat, 4> formats = {NumberFormat::float64, NumberFormat::float32,
                                                            NumberFormat::float16, NumberFormat::bfloat16};
    return formats;
}

std::string_view word_of(NumberFormat format) {
    return layout(format).word;
}

NumberFormat parse_number_format(std::string_view word) {
    std::vector<std::string_view> words;
    for (NumberFormat format : number_formats()) {
        if (word_of(format) == word) return format;
        words.push_back(word_of(format));
    }
    throw BadInput("\"" + std::string(word) + "\" is not a number format" + hint(word, words, "\""));
}

int bytes_of(NumberFormat format) {
    return layout(format).bytes;
}

double rounded(double value, NumberFormat format) {
    if (format == NumberFormat::float64 || value == 0.0 || !std::isfinite(value)) return value;
    const BitLayout& target = layout(format);
    // Fast path for normal numbers: plots of a table call this function a million times.
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int size = static_cast<int>((bits >> 52) & 0x7FF) - 1022;  // |value| in [2^(size − 1), 2^size)
    if (size - target.significand_bits >= target.min_exponent && size < target.max_exponent) {
        const int dropped = 53 - target.significand_bits;
        const std::uint64_t odd = (bits >> dropped) & 1;
        const std::uint64_t below_half = (std::uint64_t{1} << (dropped - 1)) - 1;
        return std::bit_cast<double>((bits + below_half + odd) >> dropped << dropped);
    }
    int exponent = 0;
    std::frexp(value, &exponent);  // |value| in [2^(exponent − 1), 2^exponent)
    // 2^unit is one unit in the last place of the result. Multiplying and dividing by it is exact.
    const int unit = std::max(exponent - target.significand_bits, target.min_exponent);
    const double result = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
    if (std::abs(result) >= std::ldexp(1.0, target.max_exponent)) {
        return std::copysign(std::numeric_limits<double>::infinity(), value);
    }
    return result;
}

std::int64_t first_inexact_position(NumberFormat format) {
    return (std::int64_t{1} << layout(format).significand_bits) + 1;
}

}  // namespace ropelab
